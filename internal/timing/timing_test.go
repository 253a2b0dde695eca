package timing_test

import (
	"strings"
	"testing"
	"time"

	"parley/internal/timing"
)

func cron(t testing.TB, text, zone string) timing.Timing {
	t.Helper()
	got, err := timing.Cron(text, zone)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func at(t testing.TB, text string) time.Time {
	t.Helper()
	got, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestNext(t *testing.T) {
	for _, c := range []struct{ cron, zone, now, want string }{
		{"30 8 * * *", "UTC", "2026-01-01T08:29:59Z", "2026-01-01T08:30:00Z"},
		{"30 8 * * *", "UTC", "2026-01-01T08:30:00Z", "2026-01-02T08:30:00Z"},
		{"30 8 * * mon-fri", "UTC", "2026-01-02T09:00:00Z", "2026-01-05T08:30:00Z"},
		{"0 0 * * 7", "UTC", "2026-01-01T00:00:00Z", "2026-01-04T00:00:00Z"},
		{"0 0 29 2 *", "UTC", "2026-01-01T00:00:00Z", "2028-02-29T00:00:00Z"},
		{"0 0 29 2 *", "UTC", "2096-03-01T00:00:00Z", "2104-02-29T00:00:00Z"},
		{"0 0 31 * *", "UTC", "2026-01-31T00:00:00Z", "2026-03-31T00:00:00Z"},
		{"0 12 13 * fri", "UTC", "2026-01-01T00:00:00Z", "2026-01-02T12:00:00Z"}, // either kind of day
		{"0 12 */2 * fri", "UTC", "2026-01-01T12:00:00Z", "2026-01-09T12:00:00Z"},
		{"10-20/5,50 * * JAN *", "UTC", "2026-01-31T23:20:00Z", "2026-01-31T23:50:00Z"},
		{"5/20 * * * *", "UTC", "2026-01-01T00:05:00Z", "2026-01-01T00:25:00Z"},
		{"@weekly", "UTC", "2026-01-01T00:00:00Z", "2026-01-04T00:00:00Z"},
		{"30 8 * * *", "Asia/Kathmandu", "2026-01-01T00:00:00Z", "2026-01-01T02:45:00Z"},
		// The clock goes from 2 to 3: half past two is at three.
		{"30 2 * * *", "Europe/Berlin", "2026-03-28T12:00:00Z", "2026-03-29T01:00:00Z"},
		{"30 2 * * *", "Europe/Berlin", "2026-03-29T01:00:00Z", "2026-03-30T00:30:00Z"},
		// The clock goes from 3 back to 2: half past two is there twice, and due once.
		{"30 2 * * *", "Europe/Berlin", "2026-10-24T12:00:00Z", "2026-10-25T00:30:00Z"},
		{"30 2 * * *", "Europe/Berlin", "2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z"},
		// The clock goes from midnight to one.
		{"0 0 * * *", "Africa/Cairo", "2026-04-23T12:00:00Z", "2026-04-23T22:00:00Z"},
		// A change by half an hour.
		{"15 2 * * *", "Australia/Lord_Howe", "2026-10-03T12:00:00Z", "2026-10-03T15:30:00Z"},
		// A whole day was left out.
		{"0 9 30 12 *", "Pacific/Apia", "2011-12-29T12:00:00Z", "2011-12-30T10:00:00Z"},
	} {
		got := cron(t, c.cron, c.zone).First(at(t, c.now))
		if !got.Equal(at(t, c.want)) {
			t.Errorf("%s in %s after %s: %s, want %s", c.cron, c.zone, c.now, got.UTC().Format(time.RFC3339), c.want)
		}
	}
}

// Over a year with both clock changes, the due times are those that somebody finds who looks
// at a clock on the wall every minute.
func TestAYearOnTheWall(t *testing.T) {
	for _, c := range []struct{ cron, zone string }{
		{"30 2 * * *", "Europe/Berlin"}, {"*/15 * * * *", "Europe/Berlin"}, {"0 3 * * *", "Europe/Berlin"}, {"0,59 0-4 * * sun", "Europe/Berlin"},
		{"30 1,2 * * *", "America/New_York"}, {"0 * * * *", "Australia/Lord_Howe"}, {"15 2 * * *", "Australia/Lord_Howe"},
		{"0 0 * * *", "Africa/Cairo"}, {"59 23 * * *", "Africa/Cairo"}, {"0 0 1 */3 *", "Asia/Tehran"}, {"45 6 * * 1-5", "UTC"},
	} {
		timing := cron(t, c.cron, c.zone)
		from, to := at(t, "2026-01-01T00:00:00Z"), at(t, "2027-01-01T00:00:00Z")
		want := watched(t, c.cron, c.zone, from, to)
		var got []time.Time
		for due := timing.First(from.Add(-time.Second)); due.Before(to); due = timing.Next(due, due) {
			got = append(got, due)
		}
		if len(got) != len(want) {
			t.Errorf("%s in %s: %d times, want %d", c.cron, c.zone, len(got), len(want))
		}
		for i := range min(len(got), len(want)) {
			if !got[i].Equal(want[i]) {
				t.Fatalf("%s in %s: number %d is %s, want %s", c.cron, c.zone, i, got[i].UTC(), want[i].UTC())
			}
		}
	}
}

// watched looks at the wall every minute. What the hands skip is due when they have moved,
// and what they show again is not due again.
func watched(t *testing.T, text, zone string, from, to time.Time) (list []time.Time) {
	loc, err := time.LoadLocation(zone)
	if err != nil {
		t.Fatal(err)
	}
	plain := cron(t, text, "UTC") // the same times, on the wall
	wall := func(at time.Time) time.Time {
		_, offset := at.In(loc).Zone()
		return at.Add(time.Duration(offset) * time.Second)
	}
	shown := wall(from).Add(-time.Minute) // the latest that the wall has shown
	next := plain.First(shown)
	for now := from; now.Before(to); now = now.Add(time.Minute) {
		w := wall(now)
		if !w.After(shown) {
			continue
		}
		if !next.After(w) {
			list = append(list, now)
			next = plain.First(w)
		}
		shown = w
	}
	return list
}

func TestEvery(t *testing.T) {
	six, err := timing.Every(6 * time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	due := at(t, "2026-01-01T00:10:00Z")
	for _, c := range []struct {
		now, next, last string
		passed          int
	}{
		{"2026-01-01T00:10:00Z", "2026-01-01T06:10:00Z", "2026-01-01T00:10:00Z", 1},
		{"2026-01-01T06:09:59Z", "2026-01-01T06:10:00Z", "2026-01-01T00:10:00Z", 1},
		{"2026-01-01T06:10:00Z", "2026-01-01T12:10:00Z", "2026-01-01T06:10:00Z", 2},
		{"2026-01-02T00:11:00Z", "2026-01-02T06:10:00Z", "2026-01-02T00:10:00Z", 5},
		{"2046-01-01T00:10:00Z", "2046-01-01T06:10:00Z", "2046-01-01T00:10:00Z", 10_000},
	} {
		now := at(t, c.now)
		if got := six.Next(due, now); !got.Equal(at(t, c.next)) {
			t.Errorf("after %s: %s", c.now, got)
		}
		if last, n := six.Passed(due, now); !last.Equal(at(t, c.last)) || n != c.passed {
			t.Errorf("up to %s: %d, the last %s", c.now, n, last)
		}
	}
	if six.String() != "every 6h" || six.Shortest() != 6*time.Hour || six.Zero() || !(timing.Timing{}).Zero() {
		t.Errorf("%q, %s", six, six.Shortest())
	}
}

func TestPassed(t *testing.T) {
	minutely := cron(t, "* * * * *", "")
	due := at(t, "2026-01-01T00:00:00Z")
	for _, c := range []struct {
		now, last string
		n         int
	}{
		{"2026-01-01T00:00:30Z", "2026-01-01T00:00:00Z", 1},
		{"2026-01-01T01:00:00Z", "2026-01-01T01:00:00Z", 61},
		{"2026-12-31T01:02:03Z", "2026-12-31T01:02:00Z", 10_000},
	} {
		if last, n := minutely.Passed(due, at(t, c.now)); !last.Equal(at(t, c.last)) || n != c.n {
			t.Errorf("up to %s: %d, the last %s", c.now, n, last.UTC())
		}
	}
}

func TestShortest(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"* * * * *": time.Minute, "*/15 * * * *": 15 * time.Minute, "0,59 * * * *": time.Minute, "0 3 * * *": 24 * time.Hour,
		"50 23 * * *": 24 * time.Hour, "0 0 1 * *": 28 * 24 * time.Hour, "0,30 0,23 * * *": 30 * time.Minute, "30 2 29 2 *": 366 * 24 * time.Hour,
	} {
		if got := cron(t, text, "Europe/Berlin").Shortest(); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// What could never be due, or not as it looks, is refused in words.
func TestRefused(t *testing.T) {
	for _, c := range []struct{ cron, zone, want string }{
		{"", "", "is not a cron expression of five fields"},
		{"* * * *", "", "of five fields"},
		{"0 0 0 0 * *", "", "of five fields"},
		{"@reboot", "", "of five fields"},
		{strings.Repeat("0,", 200) + "0 * * * *", "", "of five fields"},
		{"60 * * * *", "", `"60" is no minute from 0 to 59`},
		{"-1 * * * *", "", "is no minute"},
		{"* 24 * * *", "", "is no hour from 0 to 23"},
		{"* * 0 * *", "", "is no day of the month from 1 to 31"},
		{"* * * 13 *", "", "is no month"},
		{"* * * * 8", "", "is no day of the week"},
		{"* * * * monday", "", "is no day of the week"},
		{"5-1 * * * *", "", "is no minute"},
		{"*/0 * * * *", "", "is no minute"},
		{"*/-1 * * * *", "", "is no minute"},
		{"*/99999999999999999999 * * * *", "", "is no minute"},
		{"1,,2 * * * *", "", "is no minute"},
		{"٣ * * * *", "", "is no minute"},
		{"0 0 30 2 *", "", "is never due"},
		{"0 0 31 4,6,9,11 *", "", "is never due"},
		{"0 0 * * *", "Mars/Olympus", "There is no time zone \"Mars/Olympus\""},
		{"0 0 * * *", "Local", "There is no time zone"},
		{"0 0 * * *", "../../etc/passwd", "There is no time zone"},
		{"0 0 * * *", "/etc/localtime", "There is no time zone"},
		{"0 0 * * *", "europe/berlin\x00", "There is no time zone"},
	} {
		if _, err := timing.Cron(c.cron, c.zone); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.40q in %q: %v", c.cron, c.zone, err)
		}
	}
	for _, d := range []time.Duration{1, 0, -time.Hour, time.Second - 1, timing.LongestInterval + 1, 1<<63 - 1} {
		if _, err := timing.Every(d); err == nil {
			t.Errorf("every %s is accepted", d)
		}
	}
}

// Whatever is accepted is due at whole minutes, later and later, and says the same again.
func FuzzCron(f *testing.F) {
	for _, seed := range []string{"* * * * *", "*/7 1-5,20 1 jan sun", "0 0 29 2 *", "@daily", "59 23 31 12 7", "1/2 3/4 5/6 7/8 0"} {
		f.Add(seed, "Europe/Berlin")
	}
	f.Fuzz(func(t *testing.T, text, zone string) {
		got, err := timing.Cron(text, zone)
		if err != nil {
			return
		}
		now := at(t, "2026-01-01T00:00:00Z")
		for range 50 {
			next := got.Next(now, now)
			if !next.After(now) || next.Nanosecond() != 0 {
				t.Fatalf("after %s comes %s", now, next)
			}
			now = next
		}
		again, err := timing.Cron(strings.TrimSuffix(got.String(), " "+got.Zone().String()), got.Zone().String())
		if err != nil || again.String() != got.String() {
			t.Errorf("%q became %q: %v", got, again, err)
		}
	})
}

// Each day has its time once, also when the clocks change, and the last one is told from there.
func TestDaily(t *testing.T) {
	for _, zone := range []string{"UTC", "Europe/Berlin", "Australia/Lord_Howe", "Asia/Kathmandu"} {
		for _, text := range []string{"02:30", "00:00", "23:59", "18:05"} {
			clock := at(t, "2000-01-01T"+text+":00Z")
			place, err := timing.Zone(zone)
			if err != nil {
				t.Fatal(err)
			}
			daily := timing.Daily(clock.Hour(), clock.Minute(), place)
			same := cron(t, clock.Format("4 15 * * *"), zone)
			due := daily.First(at(t, "2026-01-01T00:00:00Z"))
			for n := range 365 {
				next := same.First(due)
				if got := daily.First(due); !got.Equal(next) {
					t.Fatalf("%s in %s, day %d: %s, want %s", text, zone, n, got, next)
				}
				for _, now := range []time.Time{due, due.Add(time.Minute), next.Add(-time.Second)} {
					if got := daily.Last(now); !got.Equal(due) {
						t.Fatalf("%s in %s: the last at %s is %s, want %s", text, zone, now, got, due)
					}
				}
				due = next
			}
		}
	}
}
