package timing

import (
	"math/bits"
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // the zones are known on every machine, also in an empty container

	"parley"
)

// cron is the times of a cron expression: minute, hour, day of the month, month and day of
// the week. Each field is a set of bits.
type cron struct {
	text                              string
	zone                              *time.Location
	minutes, hours, days, months, dow uint64
	// either says that both kinds of days are given: then one of them is enough.
	either bool
}

// field is what one of the five may hold.
type field struct {
	name     string
	from, to int
	names    []string // of the values from the first on
}

func fields() [5]field {
	return [5]field{
		{name: "minute", to: 59},
		{name: "hour", to: 23},
		{name: "day of the month", from: 1, to: 31},
		{name: "month", from: 1, to: 12, names: []string{"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"}},
		{name: "day of the week", to: 7, names: []string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}},
	}
}

// shorthand are words for whole expressions.
func shorthand(word string) string {
	switch strings.ToLower(word) {
	case "@hourly":
		return "0 * * * *"
	case "@daily", "@midnight":
		return "0 0 * * *"
	case "@weekly":
		return "0 0 * * 0"
	case "@monthly":
		return "0 0 1 * *"
	case "@yearly", "@annually":
		return "0 0 1 1 *"
	}
	return word
}

const cronHint = "Write minute, hour, day of the month, month and day of the week, like 30 8 * * mon-fri."

// Cron reads a cron expression. zone is the name of a time zone; empty is UTC.
func Cron(text, zone string) (Timing, error) {
	text = strings.Join(strings.Fields(text), " ")
	words := strings.Fields(shorthand(text))
	if len(words) != 5 || len(text) > 200 {
		return Timing{}, parley.Errorf(parley.Invalid, "%q is not a cron expression of five fields.", parley.Clip(text, 64)).WithHint("%s", cronHint)
	}
	c := &cron{text: text}
	sets := [5]*uint64{&c.minutes, &c.hours, &c.days, &c.months, &c.dow}
	for i, f := range fields() {
		set, err := f.parse(words[i])
		if err != nil {
			return Timing{}, err
		}
		*sets[i] = set
	}
	if c.dow&(1<<7) != 0 { // Sunday is 0 and 7
		c.dow |= 1
	}
	c.either = !strings.HasPrefix(words[2], "*") && !strings.HasPrefix(words[4], "*")
	var err error
	if c.zone, err = Zone(zone); err != nil {
		return Timing{}, err
	}
	if c.after(time.Date(2000, 3, 1, 0, 0, 0, 0, time.UTC)).IsZero() {
		return Timing{}, parley.Errorf(parley.Invalid, "%q is never due: there is no such day.", text)
	}
	return Timing{cron: c}, nil
}

// Zone finds a time zone; empty is UTC. The machine's own is refused, since another hub on
// another machine would mean another time.
func Zone(name string) (*time.Location, error) {
	zone, err := time.LoadLocation(name)
	if err != nil || name == "Local" {
		return nil, parley.Errorf(parley.Invalid, "There is no time zone %q.", parley.Clip(name, 64)).
			WithHint("Write a name like Europe/Berlin, America/New_York or UTC.")
	}
	return zone, nil
}

// Daily is due once a day, when the clocks of a zone show a time.
func Daily(hour, minute int, zone *time.Location) Timing {
	const every = 1<<32 - 1 // all days and months
	return Timing{cron: &cron{text: strconv.Itoa(minute) + " " + strconv.Itoa(hour) + " * * *", zone: zone,
		minutes: 1 << minute, hours: 1 << hour, days: every, months: every, dow: every}}
}

// parse reads a list of values, ranges and steps.
func (f field) parse(text string) (set uint64, err error) {
	for part := range strings.SplitSeq(text, ",") {
		some, err := f.part(part)
		if err != nil {
			return 0, err
		}
		set |= some
	}
	return set, nil
}

func (f field) part(text string) (set uint64, err error) {
	span, stepText, stepped := strings.Cut(text, "/")
	step := 1
	if stepped {
		if step, err = strconv.Atoi(stepText); err != nil || step < 1 || step > f.to {
			return 0, f.wrong(text)
		}
	}
	from, to := f.from, f.to
	if span != "*" {
		first, last, ranged := strings.Cut(span, "-")
		if from, err = f.value(first); err != nil {
			return 0, f.wrong(text)
		}
		switch {
		case ranged:
			if to, err = f.value(last); err != nil || to < from {
				return 0, f.wrong(text)
			}
		case !stepped:
			to = from
		}
	}
	for v := from; v <= to; v += step {
		set |= 1 << v
	}
	return set, nil
}

func (f field) value(text string) (int, error) {
	for i, name := range f.names {
		if strings.EqualFold(text, name) {
			return f.from + i, nil
		}
	}
	n, err := strconv.ParseUint(text, 10, 8)
	if err == nil && (int(n) < f.from || int(n) > f.to) {
		err = strconv.ErrRange
	}
	return int(n), err
}

func (f field) wrong(text string) error {
	return parley.Errorf(parley.Invalid, "%q is no %s from %d to %d.", parley.Clip(text, 32), f.name, f.from, f.to).WithHint("%s", cronHint)
}

// farthest is how many days can lie before the next due time: eight years between two
// 29ths of February around 2100, and a little more.
const farthest = 8*366 + 4

// after is the first due time after now; zero if there is none.
func (c *cron) after(now time.Time) time.Time {
	shown, day := c.shown(now)
	for range farthest {
		if c.onDay(day) {
			if at := c.firstOn(day, shown, now); !at.IsZero() {
				return at
			}
		}
		day = day.AddDate(0, 0, 1)
	}
	return time.Time{}
}

// shown is what the wall shows at a time, written as one of UTC, and the day on which to
// begin to look for later times. Whatever the wall showed before is over, unless it was
// changed lately. Then all of the day before is looked at too.
func (c *cron) shown(now time.Time) (shown, day time.Time) {
	local := now.In(c.zone)
	day = civil(local)
	changed, _ := local.ZoneBounds()
	if !changed.IsZero() && now.Sub(changed) < 48*time.Hour {
		return time.Time{}, day.AddDate(0, 0, -1)
	}
	_, offset := local.Zone()
	return now.UTC().Add(time.Duration(offset) * time.Second), day
}

// firstOn is the first due time on a day that is after now; zero if there is none. The
// instants of a day's times never go back. shown is as above.
func (c *cron) firstOn(day, shown, now time.Time) time.Time {
	for hours := c.hours; hours != 0; hours &= hours - 1 {
		hour := day.Add(time.Duration(bits.TrailingZeros64(hours)) * time.Hour)
		if !hour.Add(time.Hour).After(shown) {
			continue
		}
		for minutes := c.minutes; minutes != 0; minutes &= minutes - 1 {
			wall := hour.Add(time.Duration(bits.TrailingZeros64(minutes)) * time.Minute)
			if !wall.After(shown) {
				continue
			}
			if at := instant(wall, c.zone); at.After(now) {
				return at
			}
		}
	}
	return time.Time{}
}

// before is the last due time up to now; now itself if there is none for a long time.
func (c *cron) before(now time.Time) time.Time {
	day := civil(now.In(c.zone)).AddDate(0, 0, -1)
	for range farthest {
		last := time.Time{}
		for at := c.after(day); !at.IsZero() && !at.After(now); at = c.after(at) {
			last = at
		}
		if !last.IsZero() {
			return last
		}
		day = day.AddDate(0, 0, -1)
	}
	return now
}

// onDay reports whether something is due on a day.
func (c *cron) onDay(day time.Time) bool {
	if c.months&(1<<int(day.Month())) == 0 {
		return false
	}
	inMonth, inWeek := c.days&(1<<day.Day()) != 0, c.dow&(1<<int(day.Weekday())) != 0
	if c.either {
		return inMonth || inWeek
	}
	return inMonth && inWeek
}

// shortest looks at the due times of some days in UTC, where all days are the same.
func (c *cron) shortest() time.Duration {
	plain := *c
	plain.zone = time.UTC
	shortest := LongestInterval
	at := plain.after(time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC).Add(-time.Minute))
	for n := 0; n < 2*24*60 && at.Year() < 2009 && shortest > time.Minute; n++ {
		next := plain.after(at)
		shortest = min(shortest, next.Sub(at))
		at = next
	}
	return shortest
}

// civil is the day of a time, written as the beginning of that day in UTC.
func civil(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC)
}

// instant is when a clock on the wall of a zone shows a time, which is written as one of
// UTC. If it shows it twice, it is the first time, and if it leaves it out, it is the
// instant of the change.
func instant(wall time.Time, zone *time.Location) time.Time {
	// A zone is less than a day ahead of UTC. From there on, each offset is tried in turn
	// for as long as it holds.
	for at := wall.Add(-24 * time.Hour).In(zone); ; {
		_, offset := at.Zone()
		_, end := at.ZoneBounds()
		shown := wall.Add(-time.Duration(offset) * time.Second)
		switch {
		case shown.Before(at):
			return at.UTC() // the change to this offset left it out
		case end.IsZero() || shown.Before(end):
			return shown
		}
		at = end
	}
}
