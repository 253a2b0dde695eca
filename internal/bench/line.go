package bench

import (
	"math"
	"time"
)

// Line is one result. What does not apply to it is left out.
type Line struct {
	Name string  `json:"name"`
	PerS float64 `json:"per_s,omitempty"`
	P50  float64 `json:"p50_us,omitempty"`
	P99  float64 `json:"p99_us,omitempty"`
	// Share is the rate as a part of the limit's with as many callers.
	Share float64 `json:"share,omitempty"`
	// Ratio is the rate as a part of that at the smallest size.
	Ratio float64 `json:"ratio,omitempty"`
	// Commits is the median time in times of a single commit.
	Commits  float64 `json:"commits,omitempty"`
	Messages int     `json:"messages,omitempty"` // stored when it began
	Callers  int     `json:"callers,omitempty"`
	Ops      int     `json:"ops,omitempty"`
	Rounds   int     `json:"rounds,omitempty"`
	Allocs   float64 `json:"allocs_per_op,omitempty"`

	Agents int   `json:"agents,omitempty"`
	Bytes  int64 `json:"bytes,omitempty"` // of memory for each agent
	Heap   int64 `json:"heap_bytes,omitempty"`
	RSS    int64 `json:"rss_bytes,omitempty"`

	Tasks  int     `json:"tasks,omitempty"` // open at the kill
	Leased int     `json:"leased,omitempty"`
	Max    float64 `json:"max_us,omitempty"`

	Targets []Verdict `json:"targets,omitempty"`
}

// lineOf is the medians of the rounds.
func lineOf(name string, callers int, samples []sample) Line {
	m := middle(samples)
	return Line{Name: name, PerS: round(m.perS, 1), P50: inMicros(m.p50), P99: inMicros(m.p99),
		Callers: callers, Ops: m.ops, Rounds: len(samples), Allocs: round(m.allocs, 1)}
}

func inMicros(d time.Duration) float64 { return round(float64(d)/float64(time.Microsecond), 1) }

func round(v float64, digits int) float64 {
	unit := math.Pow10(digits)
	return math.Round(v*unit) / unit
}

// part is a as a part of b; 0, which is not shown, if b is unknown.
func part(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return round(a/b, 3)
}

// report writes the lines of a series that are wanted.
func (s *series) report() error {
	var lines []Line
	for _, callers := range s.plan.callers() {
		limit := lineOf(s.plan.lineName(s.engine.name(), rawInserts, callers, 0), callers,
			s.samples[s.plan.lineName(s.engine.name(), rawInserts, callers, 0)])
		limit.Share = 1
		lines = append(lines, limit)
		for _, what := range contacts {
			lines = append(lines, s.growth(what, callers, limit)...)
		}
	}
	for _, l := range lines {
		if l.Ops > 0 && s.wanted.has(l.Name) {
			if err := s.bench.report.add(l); err != nil {
				return err
			}
		}
	}
	return nil
}

// growth is one kind of contact at all sizes.
func (s *series) growth(what string, callers int, limit Line) (lines []Line) {
	var smallest float64
	for i, size := range s.plan.sizes {
		name := s.plan.lineName(s.engine.name(), what, callers, size)
		l := lineOf(name, callers, s.samples[name])
		l.Messages = s.stored[name]
		l.Share = part(l.PerS, limit.PerS)
		if i == 0 {
			smallest = l.PerS
		} else {
			l.Ratio = part(l.PerS, smallest)
		}
		if callers == 1 {
			l.Commits = part(l.P50, limit.P50)
		}
		lines = append(lines, l)
	}
	return lines
}
