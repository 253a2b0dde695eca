package page

import (
	"fmt"
	"html/template"
	"net/url"
	"strconv"
	"strings"
	"time"

	"parley"
)

// Times, money and counts as the page writes them.

// thin keeps a number and its unit on one line.
const thin = "\u00a0"

func pathEscape(s string) string { return url.PathEscape(s) }

// duration is how long something took that has ended.
func duration(d time.Duration) string {
	switch {
	case d < time.Second:
		return strconv.FormatInt(max(0, d.Milliseconds()), 10) + thin + "ms"
	case d < 10*time.Second:
		return fmt.Sprintf("%.1f%ss", d.Seconds(), thin)
	}
	return running(d)
}

// running is how long something has taken so far, in whole seconds and at most two units.
// The script goes on with it every second and writes it alike.
func running(d time.Duration) string {
	s := int(d / time.Second)
	two := func(n int, unit string, m int, part string) string {
		return fmt.Sprintf("%d%s%s%s%d%s%s", n, thin, unit, thin, m, thin, part)
	}
	switch {
	case s < 1:
		return "now"
	case s < 60:
		return strconv.Itoa(s) + thin + "s"
	case s < 3600:
		return two(s/60, "min", s%60, "s")
	case s < 24*3600:
		return two(s/3600, "h", s/60%60, "min")
	}
	return two(s/3600/24, "d", s/3600%24, "h")
}

// money is an amount with as many digits as one can compare at a glance: cents, or tenths of
// them below a dollar. Nothing that was spent is shown as nothing.
func money(m parley.Money) string {
	const tenth = parley.Dollar / 1000
	switch {
	case m%(parley.Dollar/100) == 0:
		return m.String()
	case m >= parley.Dollar:
		return fmt.Sprintf("$%.2f", float64(m)/float64(parley.Dollar))
	case m < tenth:
		return "<$0.001"
	}
	return fmt.Sprintf("$%.3f", float64(m)/float64(parley.Dollar))
}

// count writes a number with commas.
func count(n any) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// plural is "1 task" or "3 tasks".
func plural(n int, one, many string) string {
	if n == 1 {
		return "1" + thin + one
	}
	return count(n) + thin + many
}

// numbers are written as words where a sentence begins with them.
var numbers = []string{"No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten", "Eleven", "Twelve"}

func inWords(n int) string {
	if n < len(numbers) {
		return numbers[n]
	}
	return count(n)
}

// At is a moment as the visitor's clock shows it, with the exact one for the script and
// for whoever asks.
func (f Frame) At(m parley.Micros) template.HTML { return f.v.moment(m, "15:04") }

// Second is At with seconds.
func (f Frame) Second(m parley.Micros) template.HTML { return f.v.moment(m, "15:04:05") }

// Day is At with the date, for what is not of today.
func (f Frame) Day(m parley.Micros) template.HTML {
	t := m.Time().In(f.v.zone)
	if sameDay(t, f.v.now.In(f.v.zone)) {
		return f.v.moment(m, "15:04")
	}
	return f.v.moment(m, "2 Jan 15:04")
}

// soon is a moment in words, with the date if it is not of today.
func (v *visit) soon(m parley.Micros) string {
	t := m.Time().In(v.zone)
	if sameDay(t, v.now.In(v.zone)) {
		return t.Format("15:04")
	}
	return t.Format("2 Jan 15:04")
}

func (v *visit) moment(m parley.Micros, layout string) template.HTML {
	if m == 0 {
		return ""
	}
	t := m.Time().In(v.zone)
	// Digits, letters of month names and punctuation only: nothing to escape.
	return template.HTML(`<time datetime="` + t.UTC().Format(time.RFC3339Nano) + `" title="` + t.Format("Monday 2 January 2006, 15:04:05 MST") + `">` + t.Format(layout) + `</time>`)
}

// Since is a time that runs on, which the script keeps up to date.
func (f Frame) Since(m parley.Micros) template.HTML {
	if m == 0 {
		return ""
	}
	t := m.Time()
	return template.HTML(`<time data-since="` + t.UTC().Format(time.RFC3339Nano) + `">` + running(f.v.now.Sub(t)) + `</time>`)
}

// Took is how long something ran, or runs until now.
func (f Frame) Took(from, to parley.Micros) template.HTML {
	if from == 0 {
		return ""
	}
	if to == 0 {
		return f.Since(from)
	}
	return template.HTML(template.HTMLEscapeString(duration(to.Time().Sub(from.Time()))))
}

// Who is a participant by id.
func (f Frame) Who(id parley.AgentID) Who { return f.v.whois(id) }

func sameDay(a, b time.Time) bool { return a.Format(time.DateOnly) == b.Format(time.DateOnly) }

// Mark is the shape and colour of a state, and its word.
type Mark struct{ Shape, Word string }

// marks are the shapes of states and statuses.
var marks = map[string]Mark{
	"queued": {"queued", "queued"}, "running": {"run", "running"}, "waiting": {"wait", "waiting"}, "completed": {"done", "completed"},
	"failed": {"fail", "failed"}, "cancelled": {"cancel", "cancelled"},
	"idle": {"idle", "idle"}, "working": {"run", "working"}, "offline": {"off", "offline"}, "sleeping": {"sleep", "sleeping"},
	"awaiting_approval": {"wait", "waits for an approval"}, "awaiting_delegation": {"wait", "waits for others"}, "awaiting_answer": {"wait", "waits for an answer"},
}

func stateOf(state any) Mark {
	word := fmt.Sprint(state)
	if m, ok := marks[word]; ok {
		return m
	}
	return Mark{"wait", strings.ReplaceAll(word, "_", " ")}
}
