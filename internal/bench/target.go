package bench

import (
	"fmt"
	"regexp"
)

// target is what a line has to reach.
type target struct {
	lines *regexp.Regexp
	field string
	most  bool // not more than the bound, instead of not less
	bound float64
	shown string // the bound as people read it
}

func targets() []target {
	t := func(lines, field string, most bool, bound float64, shown string) target {
		return target{regexp.MustCompile("^" + lines + "$"), field, most, bound, shown}
	}
	return []target{
		t(`\w+\.notify\.64`, "share", false, 0.5, "0.50"),
		t(`sqlite\.ask\.64`, "share", false, 0.22, "0.22"),
		t(`sqlite\.delegate\.64`, "share", false, 0.14, "0.14"),
		t(`sqlite\.ask\.1`, "commits", true, 6, "6"),
		t(`postgres\.ask\.64`, "share", false, 0.15, "0.15"),
		t(`postgres\.delegate\.64`, "share", false, 0.12, "0.12"),
		t(`\w+\.(notify|ask|delegate)\.1`, "ratio", false, 0.5, "0.50"),
		t(`sqlite\.(notify|ask|delegate)\.64`, "ratio", false, 0.8, "0.80"),
		t(`postgres\.(notify|ask|delegate)\.64`, "ratio", false, 0.75, "0.75"),
		t(`\w+\.ask\.64`, "p99/p50", true, 4, "4"),
		t(`\w+\.(notify|ask)\.rules`, "ratio", false, 0.9, "0.90"),
		t(`\w+\.search\.\w+\.\w+`, "p99_us", true, 50e3, "50 ms"),
		t(`\w+\.retrieve\.raw`, "p99_us", true, 60e3, "60 ms"),
		t(`\w+\.notify\.indexed`, "ratio", false, 0.9, "0.90"),
		t(`memory\.agent`, "rss_bytes", true, 400e6, "400 MB"),
		t(`memory\.waiting`, "peak_bytes", true, 300e6, "300 MB"),
		t(`memory\.limited`, "peak_bytes", true, 300e6, "300 MB"),
		t(`\w+\.turn`, "p50_us", true, 3e3, "3 ms"),
		t(`recall`, "recall_at_5", false, 0.9, "0.90"),
		t(`retrieval`, "recall_at_5", false, 0.9, "0.90"),
		t(`retrieval\.\w+`, "recall_at_5", false, 0.85, "0.85"),
		t(`memory\.asks`, "peak_bytes", true, 256<<20, "256 MiB"),
		t(`team\.start\.\w+`, "p50_us", true, 3e6, "3 s"),
		t(`team\..+`, "peak_bytes", true, teamMemory, "300 MB"),
		t(`team\.reload`, "max_us", true, 100e3, "100 ms"),
		t(`doors\.\w+`, "p50_us", true, 1e3, "1 ms"),
		t(`poll\.\w+\.1000`, "peak_bytes", true, pollMemory, "300 MB"),
		t(`poll\.\w+\.1000`, "p99_us", true, 20e3, "20 ms"),
		t(`streams\.1000`, "peak_bytes", true, streamMemory, "500 MB"),
		t(`streams\.1000`, "ratio", false, 0.9, "0.90"),
		t(`streams\.1000`, "time_ratio", true, 1.1, "1.10"),
		t(`\w+\.frozen`, "max_us", true, 2e6, "2 s"),
		t(`\w+\.restart`, "p50_us", true, 2e6, "2 s"),
	}
}

// Verdict says whether a line reached a target.
type Verdict struct {
	Field string `json:"field"`
	Want  string `json:"want"`
	Met   bool   `json:"met"`
}

// judge compares a line with the targets for it.
func judge(l Line, all []target) (list []Verdict) {
	for _, t := range all {
		value := l.value(t.field)
		if value == 0 || !t.lines.MatchString(l.Name) {
			continue
		}
		v := Verdict{Field: t.field, Want: "≥ " + t.shown, Met: value >= t.bound}
		if t.most {
			v.Want, v.Met = "≤ "+t.shown, value <= t.bound
		}
		list = append(list, v)
	}
	return list
}

func (l Line) value(field string) float64 {
	switch field {
	case "share":
		return l.Share
	case "ratio":
		return l.Ratio
	case "commits":
		return l.Commits
	case "p50_us":
		return l.P50
	case "p99_us":
		return l.P99
	case "p99/p50":
		if l.P50 == 0 {
			return 0
		}
		return l.P99 / l.P50
	case "max_us":
		return l.Max
	case "peak_bytes":
		return float64(l.Peak)
	case "recall_at_5":
		return l.RecallAt5
	case "time_ratio":
		return l.TimeRatio
	case "rss_bytes":
		return float64(l.RSS)
	}
	panic(fmt.Sprintf("no target can be set for %q", field))
}
