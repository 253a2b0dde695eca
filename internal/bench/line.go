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
	// Share is the rate as a part of the limit's with as many callers. It and the
	// next two compare within a round, and are the median of the rounds.
	Share float64 `json:"share,omitempty"`
	// Ratio is the rate as a part of that at the smallest size.
	Ratio float64 `json:"ratio,omitempty"`
	// Commits is the median time in those of a single commit of the limit.
	Commits float64 `json:"commits,omitempty"`
	// Transactions is how many an operation took that wrote something.
	Transactions float64 `json:"transactions,omitempty"`

	Messages int     `json:"messages,omitempty"` // stored when it began
	Kept     int     `json:"kept,omitempty"`     // of them in keepers
	Callers  int     `json:"callers,omitempty"`
	Ops      int     `json:"ops,omitempty"`
	Rounds   int     `json:"rounds,omitempty"`
	CPU      float64 `json:"cpu_us,omitempty"` // of this process, an operation
	Allocs   float64 `json:"allocs,omitempty"` // an operation
	// CPURatio compares the processor times of what Ratio compares by rate.
	CPURatio float64 `json:"cpu_ratio,omitempty"`

	Agents int   `json:"agents,omitempty"`
	Bytes  int64 `json:"bytes,omitempty"` // of memory for each agent or turn
	Heap   int64 `json:"heap_bytes,omitempty"`
	RSS    int64 `json:"rss_bytes,omitempty"`

	Turns      int   `json:"turns,omitempty"` // that wait for their models, or for a provider's patience
	Peak       int64 `json:"peak_bytes,omitempty"`
	Goroutines int   `json:"goroutines,omitempty"`

	// Of turns with so many tool steps: the whole of one, and the exchanges of a
	// bare client with the same provider. P50 and P99 are then all but the
	// provider's own time, a step.
	Steps    int     `json:"steps,omitempty"`
	Turn     float64 `json:"turn_us,omitempty"`
	Exchange float64 `json:"exchange_us,omitempty"`

	// Watchers look on at the steps of the turns; Alone and TimeRatio compare with none.
	Watchers int `json:"watchers,omitempty"`

	// Of asks through a door: the median of a direct call, and of one through it. P50 is
	// then what the door adds, AddedCPU what it adds to the hub's processor time, and
	// ClientCPU the time of the client's process. BareCPU is for comparison: that of a
	// server with nothing behind it.
	Direct    float64 `json:"direct_us,omitempty"`
	Through   float64 `json:"through_us,omitempty"`
	AddedCPU  float64 `json:"added_cpu_us,omitempty"`
	BareCPU   float64 `json:"bare_cpu_us,omitempty"`
	ClientCPU float64 `json:"client_cpu_us,omitempty"`
	// Clients that wait for messages. P50 and P99 are then from the commit to the reader.
	Waiting int `json:"waiting,omitempty"`
	// Of writers beside event streams: their median time alone, and the two as a ratio.
	Streams   int     `json:"streams,omitempty"`
	Alone     float64 `json:"alone_us,omitempty"`
	TimeRatio float64 `json:"time_ratio,omitempty"`
	// Large messages a second beside the small ones. Alone is then the p99 without them, and
	// TimeRatio compares these.
	Large int `json:"large,omitempty"`

	Tasks  int     `json:"tasks,omitempty"` // open at the kill
	Leased int     `json:"leased,omitempty"`
	Max    float64 `json:"max_us,omitempty"`

	Hubs   int     `json:"hubs,omitempty"`     // on one database
	Frozen float64 `json:"frozen_s,omitempty"` // for how long one of them was

	// RecallAt5 is how much of what was asked for is among the first five found.
	RecallAt5 float64 `json:"recall_at_5,omitempty"`

	Targets []Verdict `json:"targets,omitempty"`
}

// lineOf is the medians of the rounds.
func lineOf(name string, callers int, samples []sample) Line {
	m := middle(samples)
	return Line{Name: name, PerS: round(m.perS, 1), P50: inMicros(m.p50), P99: inMicros(m.p99),
		Callers: callers, Ops: m.ops, Rounds: len(samples), CPU: inMicros(m.cpu), Allocs: round(m.allocs, 1)}
}

func inMicros(d time.Duration) float64 { return round(float64(d)/float64(time.Microsecond), 1) }

func round(v float64, digits int) float64 {
	unit := math.Pow10(digits)
	return math.Round(v*unit) / unit
}

// compare is the median, over the rounds, of one sample as a part of another;
// 0, which is not shown, if there is nothing to compare.
func compare(a, b []sample, value func(sample) float64) float64 {
	var parts []float64
	for i := range min(len(a), len(b)) {
		if of := value(b[i]); of > 0 {
			parts = append(parts, value(a[i])/of)
		}
	}
	return round(median(parts, func(v float64) float64 { return v }), 3)
}

func perSecond(s sample) float64 { return s.perS }
func cpuTime(s sample) float64   { return float64(s.cpu) }
func halfTime(s sample) float64  { return float64(s.p50) }

// report writes the lines of a series that are wanted.
func (s *series) report() error {
	for _, callers := range s.plan.callers() {
		if err := s.add(s.limitLine(callers)); err != nil {
			return err
		}
		for _, what := range contacts {
			for _, size := range s.plan.sizes {
				if err := s.add(s.contactLine(key{what, callers, size})); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (s *series) add(l Line) error {
	if l.Ops == 0 || !s.wanted.has(l.Name) {
		return nil
	}
	return s.bench.report.add(l)
}

func (s *series) limitLine(callers int) Line {
	var all []sample
	for _, size := range s.plan.sizes {
		all = append(all, s.samples[key{rawInserts, callers, size}]...)
	}
	l := lineOf(s.lineName(key{rawInserts, callers, 0}), callers, all)
	l.Share = 1
	return l
}

func (s *series) contactLine(k key) Line {
	samples := s.samples[k]
	limit := s.samples[key{rawInserts, k.callers, k.size}]
	l := lineOf(s.lineName(k), k.callers, samples)
	l.Messages = s.stored[k]
	l.Share = compare(samples, limit, perSecond)
	if k.callers == 1 {
		l.Commits = compare(samples, limit, halfTime)
	}
	if smallest := s.plan.sizes[0]; k.size != smallest {
		l.Ratio = compare(samples, s.samples[key{k.what, k.callers, smallest}], perSecond)
	}
	return l
}
