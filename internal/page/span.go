package page

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"parley"
)

// Span is a span of time that a view looks at. A zero end is open.
type Span struct {
	Name        string // of the choice; "own" for the dates below
	From, To    string // dates, both within it
	Since       time.Time
	Until       time.Time // exclusive
	withChoices []Choice
}

// Choice is one entry of a list to choose from.
type Choice struct {
	Value, Text string
	Chosen      bool
}

// spans are the choices that count back from now; "today" begins at midnight.
var spans = map[string]time.Duration{"hour": time.Hour, "day": 24 * time.Hour, "week": 7 * 24 * time.Hour, "month": 30 * 24 * time.Hour, "quarter": 90 * 24 * time.Hour}

var spanWords = map[string]string{"hour": "Last hour", "today": "Today", "day": "Last 24 hours", "week": "Last 7 days", "month": "Last 30 days",
	"quarter": "Last 90 days", "all": "All time", "own": "Dates"}

// span reads the span of the address: when is one of names, of which the first goes
// without saying, and from and to are dates in the visitor's zone.
func (v *visit) span(names ...string) (s Span, err error) {
	q := v.r.URL.Query()
	s = Span{Name: q.Get("when"), From: q.Get("from"), To: q.Get("to")}
	switch {
	case s.Name == "" && s.From+s.To != "":
		s.Name = "own"
	case s.Name == "":
		s.Name = names[0]
	}
	if s.Name != "own" {
		s.From, s.To = "", ""
	}
	if !slices.Contains(names, s.Name) && s.Name != "own" {
		return s, parley.Errorf(parley.Invalid, "There is no span of time called %q.", parley.Clip(s.Name, 40)).WithHint("It is one of %s, or own with dates.", strings.Join(names, ", "))
	}
	for _, n := range append(slices.Clone(names), "own") {
		s.withChoices = append(s.withChoices, Choice{Value: n, Text: spanWords[n], Chosen: n == s.Name})
	}
	s.withChoices[0].Value = "" // goes without saying, also in the address
	switch back, known := spans[s.Name]; {
	case known:
		s.Since = v.now.Add(-back)
	case s.Name == "today":
		year, month, day := v.now.In(v.zone).Date()
		s.Since = time.Date(year, month, day, 0, 0, 0, 0, v.zone)
	case s.Name == "own":
		if s.Since, err = v.date(s.From, 0); err == nil {
			s.Until, err = v.date(s.To, 1)
		}
	}
	return s, err
}

// date reads a date as its beginning in the visitor's zone, some days later.
func (v *visit) date(s string, later int) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	t, err := time.ParseInLocation(time.DateOnly, s, v.zone)
	if err != nil {
		return t, parley.Errorf(parley.Invalid, "%q is no date.", parley.Clip(s, 40)).WithHint("Write it as 2026-11-30.")
	}
	return t.AddDate(0, 0, later), nil
}

// Choices are the spans to choose from.
func (s Span) Choices() []Choice { return s.withChoices }

// Own reports whether the span is given by dates.
func (s Span) Own() bool { return s.Name == "own" }

// Words is the span within a sentence.
func (s Span) Words() string {
	switch {
	case s.Name == "all":
		return "so far"
	case s.Name == "today":
		return "today"
	case !s.Own():
		return "in the " + strings.ToLower(spanWords[s.Name])
	case s.From == "" && s.To == "":
		return "so far"
	}
	return strings.TrimSpace(strings.TrimSpace(since(s.From)) + until(s.To))
}

func since(date string) string {
	if date == "" {
		return ""
	}
	return "from " + date
}

func until(date string) string {
	if date == "" {
		return ""
	}
	return " to " + date
}

// micros is a time for the use cases, 0 if it is not set.
func micros(t time.Time) parley.Micros {
	if t.IsZero() {
		return 0
	}
	return parley.Micros(t.UnixMicro())
}

// number reads a whole number of the address, from 1 to most.
func (v *visit) number(name string, otherwise, most int) int {
	n, err := strconv.Atoi(v.r.URL.Query().Get(name))
	if err != nil || n < 1 {
		return otherwise
	}
	return min(n, most)
}

// here is the address of this view with some of its parameters changed; an empty value
// takes one out.
func (v *visit) here(pairs ...string) string {
	q := v.r.URL.Query()
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] == "" {
			q.Del(pairs[i])
		} else {
			q.Set(pairs[i], pairs[i+1])
		}
	}
	u := url.URL{Path: v.r.URL.Path, RawQuery: q.Encode()}
	return u.String()
}

// times is how often something happened.
func times(n int) string {
	switch n {
	case 1:
		return "once"
	case 2:
		return "twice"
	}
	return count(n) + thin + "times"
}
