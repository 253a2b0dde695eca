package bench

import (
	"bytes"
	"math/rand/v2"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestPercentile(t *testing.T) {
	var hundred []time.Duration
	for i := range 100 {
		hundred = append(hundred, time.Duration(i+1))
	}
	for _, c := range []struct {
		sorted []time.Duration
		p      float64
		want   time.Duration
	}{
		{nil, 50, 0},
		{[]time.Duration{7}, 50, 7},
		{[]time.Duration{7}, 99, 7},
		{[]time.Duration{1, 2}, 50, 1},
		{[]time.Duration{1, 2, 3}, 50, 2},
		{hundred, 50, 50},
		{hundred, 99, 99},
		{hundred, 100, 100},
		{hundred, 0, 1},
	} {
		if got := percentile(c.sorted, c.p); got != c.want {
			t.Errorf("percentile(%d values, %v) = %d, want %d", len(c.sorted), c.p, got, c.want)
		}
	}
}

func TestMedian(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   float64
	}{
		{nil, 0}, {[]float64{3}, 3}, {[]float64{1, 4}, 2.5}, {[]float64{9, 1, 4}, 4}, {[]float64{100, 1, 2, 3}, 2.5},
	} {
		if got := median(c.values, func(v float64) float64 { return v }); got != c.want {
			t.Errorf("median of %v = %v, want %v", c.values, got, c.want)
		}
	}
}

func TestCompareWithinRounds(t *testing.T) {
	rates := func(values ...float64) (list []sample) {
		for _, v := range values {
			list = append(list, sample{perS: v})
		}
		return list
	}
	for _, c := range []struct {
		a, b []sample
		want float64
	}{
		{rates(10, 1, 30), rates(100, 10, 100), 0.1}, // the second round was slow for both
		{rates(10), nil, 0},
		{rates(10, 20), rates(100, 0), 0.1},
		{nil, nil, 0},
	} {
		if got := compare(c.a, c.b, perSecond); got != c.want {
			t.Errorf("compare(%v, %v) = %v, want %v", c.a, c.b, got, c.want)
		}
	}
}

func TestJudge(t *testing.T) {
	for _, c := range []struct {
		line Line
		want []Verdict
	}{
		{Line{Name: "sqlite.raw.64", Share: 1}, nil},
		{Line{Name: "sqlite.notify.64", Share: 0.5, Ratio: 0.79},
			[]Verdict{{"share", "≥ 0.50", true}, {"ratio", "≥ 0.80", false}}},
		{Line{Name: "postgres.ask.64", Share: 0.1, Ratio: 0.79, P50: 2, P99: 8.1},
			[]Verdict{{"share", "≥ 0.15", false}, {"ratio", "≥ 0.75", true}, {"p99/p50", "≤ 4", false}}},
		{Line{Name: "sqlite.notify.64.1000", Share: 0.1}, nil},
		{Line{Name: "sqlite.ask.1", Share: 0.1, Ratio: 1, Commits: 6.01},
			[]Verdict{{"commits", "≤ 6", false}, {"ratio", "≥ 0.50", true}}},
		{Line{Name: "postgres.restart", P50: 2e6}, []Verdict{{"p50_us", "≤ 2 s", true}}},
		{Line{Name: "memory.agent", RSS: 401e6}, []Verdict{{"rss_bytes", "≤ 400 MB", false}}},
	} {
		if diff := cmp.Diff(c.want, judge(c.line, targets())); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.line.Name, diff)
		}
	}
}

func TestTable(t *testing.T) {
	var out bytes.Buffer
	r := newReport(Options{Out: &out})
	for _, l := range []Line{
		{Name: "sqlite.raw.64", PerS: 43210.4, P50: 1234, P99: 2999.6, Share: 1},
		{Name: "sqlite.ask.1", Messages: 1_000_000, PerS: 71.25, P50: 812.5, P99: 15400, Share: 0.125, Ratio: 0.9, Commits: 3.456},
		{Name: "sqlite.restart", P50: 321000, Max: 2.5e6, Tasks: 10_000},
		{Name: "memory.agent", Bytes: 938, RSS: 140_300_000, Agents: 100_000},
	} {
		if err := r.add(l); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.end(); err != nil {
		t.Fatal(err)
	}
	want := `                             messages      per s       p50       p99   share   ratio  ` + `
sqlite.raw.64                             43,210   1.23 ms      3 ms    1.00
sqlite.ask.1                1,000,000       71.2    812 µs   15.4 ms    0.12    0.90  3.5 single commits, ✓ commits ≤ 6, ✓ ratio ≥ 0.50
sqlite.restart                                      321 ms                            10,000 open tasks, slowest 2.50 s, ✓ p50 ≤ 2 s
memory.agent                                                                          938 bytes an agent, 140 MB in all with 100,000 of them, ✓ rss ≤ 400 MB

4 of 4 targets reached.
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestNumbers(t *testing.T) {
	for n, want := range map[int]string{0: "", 7: "7", 999: "999", 1000: "1,000", 1234567: "1,234,567"} {
		if got := count(n); got != want {
			t.Errorf("count(%d) = %q, want %q", n, got, want)
		}
	}
	for d, want := range map[time.Duration]string{
		0: "0 µs", 999 * time.Microsecond: "999 µs", 1500 * time.Microsecond: "1.5 ms",
		99_940 * time.Microsecond: "99.9 ms", 100 * time.Millisecond: "100 ms", 1500 * time.Millisecond: "1.50 s",
	} {
		if got := micros(d); got != want {
			t.Errorf("micros(%v) = %q, want %q", d, got, want)
		}
	}
}

func TestSharesDivideAndCover(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, c := range []struct{ length, of int }{{10, 4}, {64, 64}, {64, 1}, {7, 3}} {
		owner := map[int]int{}
		for n := range c.of {
			for range 2_000 {
				at := share{n, c.of}.pick(r, c.length)
				if other, taken := owner[at]; taken && other != n {
					t.Errorf("%+v: %d belongs to %d and %d", c, at, other, n)
				}
				owner[at] = n
			}
		}
		if len(owner) != c.length {
			t.Errorf("%+v: %d places are used", c, len(owner))
		}
	}
}

func TestBodies(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 1000 {
		if b := body(r); len(b) < 50 || len(b) > 500 || !utf8.ValidString(b) {
			t.Fatalf("%d bytes: %q", len(b), b)
		}
	}
}
