package page

import (
	"slices"

	"parley"
	"parley/internal/trace"
)

// Sequence is who said what to whom: a column for each participant, a row for each arrow.
type Sequence struct {
	Columns []Column
	Rows    []Arrow
	Count   int
	Next    int // the first row of the next page; 0 if this is the last
	Prev    int // of the page before; -1 if this is the first
	Others  int // participants who share the last column
	Partial bool
}

// Many reports whether the columns need more room than a desk has.
func (s Sequence) Many() bool { return len(s.Columns) > 8 }

// Column is a participant at its place.
type Column struct {
	Who
	X string
}

// Arrow is a row of the diagram.
type Arrow struct {
	At       parley.Micros
	From, To Who
	X1, X2   string
	Self     bool // from a column to itself
	Line     string
	Verb     string
	Colour   string
	Text     string
	URL      string
}

const (
	seqRows    = 120 // arrows on a page
	seqColumns = 24
)

// fillSequence draws what was said in a task and below it.
func (v *visit) fillSequence(t *TaskView, _, mine []parley.Task) error {
	if !v.wants("task-seq") {
		return nil
	}
	if len(mine) > taskRows {
		mine, t.Seq.Partial = mine[:taskRows], true
	}
	arrows, err := v.Reading.Arrows(v.ctx, v.Caller, mine)
	if err != nil {
		return err
	}
	arrows = slices.DeleteFunc(arrows, func(a trace.Arrow) bool { return a.Kind == trace.Waiting })
	open := map[parley.TaskID]bool{}
	for _, task := range mine {
		open[task.ID] = task.State.Open()
	}
	v.layOut(&t.Seq, arrows, v.rowOf("arrow", 0), open)
	return nil
}

func (v *visit) layOut(s *Sequence, arrows []trace.Arrow, from int, open map[parley.TaskID]bool) {
	s.Count = len(arrows)
	var ids []parley.AgentID
	for _, a := range arrows {
		for _, id := range []parley.AgentID{a.From, a.To} {
			if !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
	}
	shown := ids[:min(len(ids), seqColumns)]
	if s.Others = len(ids) - len(shown); s.Others > 0 {
		s.Others++
	}
	at := map[parley.AgentID]string{}
	for i, id := range ids {
		column := min(i, len(shown)-1)
		at[id] = percent((float64(column) + 0.5) * 100 / float64(len(shown)))
		if i < len(shown) {
			s.Columns = append(s.Columns, Column{Who: v.whois(id), X: at[id]})
		}
	}
	if from >= len(arrows) {
		from = 0
	}
	to := min(len(arrows), from+seqRows)
	if s.Prev = -1; from > 0 {
		s.Prev = max(0, from-seqRows)
	}
	if to < len(arrows) {
		s.Next = to
	}
	for _, a := range arrows[from:to] {
		s.Rows = append(s.Rows, v.arrow(a, at, open[a.Task]))
	}
}

// sayings are the words of arrows and their lines: r is an answer, x went wrong.
var sayings = map[trace.Kind]struct{ verb, line, colour string }{
	trace.Reply: {"answer", "r", ""}, trace.Result: {"result", "r", ""}, trace.Answer: {"answer", "r", ""},
	trace.Failed: {"failed", "x", "fail"}, trace.Cancelled: {"cancelled", "x", "fail"}, trace.Timeout: {"timed out", "r", ""},
	trace.Retry: {"again", "", ""},
}

func (v *visit) arrow(a trace.Arrow, at map[parley.AgentID]string, open bool) Arrow {
	out := Arrow{At: a.At, From: v.whois(a.From), To: v.whois(a.To), X1: at[a.From], X2: at[a.To], Text: a.Label, Verb: string(a.Kind), URL: "/tasks/" + a.Task.String()}
	out.Self = out.X1 == out.X2
	if s, known := sayings[a.Kind]; known {
		out.Verb, out.Line, out.Colour = s.verb, s.line, s.colour
	}
	switch {
	case a.Kind == trace.Ask && a.To == v.Agent && open:
		out.Verb, out.Line, out.Colour, out.URL = "asks you", "y", "you", "/messages/"+a.Message.String()
	case a.Message != 0 && a.Kind != trace.Ask && a.Kind != trace.Delegate && a.Kind != trace.Retry:
		out.URL = "/messages/" + a.Message.String()
	}
	return out
}
