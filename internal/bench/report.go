package bench

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

// report writes lines as they come, so that a run that is ended early has
// told what it knew.
type report struct {
	out     io.Writer
	json    bool
	targets []target
	begun   bool
	met     int
	judged  int
}

func newReport(o Options) *report { return &report{out: o.Out, json: o.JSON, targets: targets()} }

func (r *report) add(l Line) error {
	l.Targets = judge(l, r.targets)
	for _, v := range l.Targets {
		r.judged++
		if v.Met {
			r.met++
		}
	}
	if r.json {
		return json.NewEncoder(r.out).Encode(l)
	}
	if !r.begun {
		r.begun = true
		if _, err := fmt.Fprintln(r.out, header()); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintln(r.out, row(l))
	return err
}

// end says how many targets were reached.
func (r *report) end() error {
	if r.json || r.judged == 0 {
		return nil
	}
	_, err := fmt.Fprintf(r.out, "\n%d of %d targets reached.\n", r.met, r.judged)
	return err
}

const columns = "%-26s %10s %10s %9s %9s %7s %7s  %s"

func header() string {
	return fmt.Sprintf(columns, "", "messages", "per s", "p50", "p99", "share", "ratio", "")
}

// row is a line as people read it.
func row(l Line) string {
	cells := []any{l.Name, count(l.Messages), rate(l.PerS), duration(l.P50), duration(l.P99), fraction(l.Share), fraction(l.Ratio)}
	return strings.TrimRight(fmt.Sprintf(columns, append(cells, strings.Join(remarks(l), ", "))...), " ")
}

// remarks are what has no column, and the targets.
func remarks(l Line) (list []string) {
	if l.Commits > 0 {
		list = append(list, fmt.Sprintf("%.1f single commits", l.Commits))
	}
	if l.Transactions > 0 {
		list = append(list, fmt.Sprintf("%.4g transactions", l.Transactions))
	}
	if l.Transactions > 0 && l.CPU > 0 {
		list = append(list, fmt.Sprintf("%s of processor time", duration(l.CPU)))
	}
	if l.Steps > 0 {
		list = append(list, fmt.Sprintf("a step of %d in a turn of %s, the bare exchanges %s", l.Steps, duration(l.Turn), duration(l.Exchange)))
	}
	if l.Turns > 0 {
		list = append(list, fmt.Sprintf("%s bytes a turn, %d MB in all with %s of them", count(int(l.Bytes)), l.RSS/1e6, count(l.Turns)))
	}
	if l.Bytes > 0 && l.Agents > 0 {
		list = append(list, fmt.Sprintf("%s bytes an agent, %d MB in all with %s of them", count(int(l.Bytes)), l.RSS/1e6, count(l.Agents)))
	}
	if l.Tasks > 0 {
		list = append(list, fmt.Sprintf("%s open tasks, slowest %s", count(l.Tasks), duration(l.Max)))
	}
	if l.Hubs > 0 {
		list = append(list, fmt.Sprintf("slowest %s while one of %d hubs is frozen for %.0f s", duration(l.Max), l.Hubs, l.Frozen))
	}
	if l.Direct > 0 {
		list = append(list, fmt.Sprintf("added to %s of a direct call, and %s of the hub's processor time beside %s of the client's", duration(l.Direct), duration(l.AddedCPU), duration(l.ClientCPU)))
	}
	if l.BareCPU > 0 {
		list = append(list, fmt.Sprintf("%s for an exchange with nothing behind it", duration(l.BareCPU)))
	}
	if l.Waiting > 0 {
		list = append(list, fmt.Sprintf("after the commit, slowest %s, %s clients wait, %d MB, at most %d MB", duration(l.Max), count(l.Waiting), l.RSS/1e6, l.Peak/1e6))
	}
	if l.Watchers > 0 {
		list = append(list, fmt.Sprintf("a step, %s without the %d watchers, time %.2f", duration(l.Alone), l.Watchers, l.TimeRatio))
	}
	if l.Large > 0 {
		list = append(list, fmt.Sprintf("beside %d messages of %d KiB a second, p99 %s without, time %.2f", l.Large, largeBytes>>10, duration(l.Alone), l.TimeRatio))
	}
	if l.Streams > 0 {
		list = append(list, fmt.Sprintf("a write, %s without the %s streams, time %.2f, %d MB, at most %d MB", duration(l.Alone), count(l.Streams), l.TimeRatio, l.RSS/1e6, l.Peak/1e6))
	}
	if l.Agents > 0 && l.Peak > 0 {
		list = append(list, fmt.Sprintf("slowest %s, %s of processor time, %s agents, %d MB, at most %d MB", duration(l.Max), duration(l.CPU), count(l.Agents), l.RSS/1e6, l.Peak/1e6))
	}
	if l.Ops > 0 && l.Peak > 0 && l.Waiting+l.Streams+l.Agents == 0 {
		list = append(list, fmt.Sprintf("%d MB after %s asks, at most %d MB", l.RSS/1e6, count(l.Ops), l.Peak/1e6))
	}
	if l.RecallAt5 > 0 {
		list = append(list, fmt.Sprintf("recall_at_5 %.3f of %d queries", l.RecallAt5, l.Ops))
	}
	if l.CPURatio > 0 {
		list = append(list, fmt.Sprintf("%s agents, processor time %.2f", count(l.Agents), l.CPURatio))
	}
	for _, v := range l.Targets {
		mark := "✓"
		if !v.Met {
			mark = "✗"
		}
		list = append(list, fmt.Sprintf("%s %s %s", mark, strings.TrimSuffix(strings.TrimSuffix(v.Field, "_us"), "_bytes"), v.Want))
	}
	return list
}

func duration(us float64) string {
	if us == 0 {
		return ""
	}
	return micros(time.Duration(us * float64(time.Microsecond)))
}

// micros shows a time with three digits.
func micros(d time.Duration) string {
	switch {
	case d < time.Millisecond:
		return fmt.Sprintf("%d µs", d.Microseconds())
	case d < 100*time.Millisecond:
		return fmt.Sprintf("%.3g ms", float64(d)/float64(time.Millisecond))
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	default:
		return fmt.Sprintf("%.2f s", d.Seconds())
	}
}

func fraction(v float64) string {
	if v == 0 {
		return ""
	}
	return fmt.Sprintf("%.2f", v)
}

func rate(v float64) string {
	if v < 100 && v > 0 {
		return fmt.Sprintf("%.1f", v)
	}
	return count(int(v + 0.5))
}

// count shows a whole number with its thousands apart.
func count(n int) string {
	if n == 0 {
		return ""
	}
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
