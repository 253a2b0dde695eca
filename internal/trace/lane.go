package trace

import (
	"cmp"
	"slices"
	"time"

	"parley"
)

// Doing is what somebody did for a while.
type Doing string

const (
	Stood  Doing = "queued" // before its first turn
	Worked Doing = "worked"
	Waited Doing = "waited" // for another agent, a time, a budget
	Asked  Doing = "asked"  // for a person
)

// Span is a piece of a lane.
type Span struct {
	From, To parley.Micros
	Doing    Doing
}

// Took is how long it lasted.
func (s Span) Took() time.Duration { return s.To.Since(s.From) }

// Work is what the lane of a task is made from.
type Work struct {
	Task parley.Task
	// Steps are those of its turns in their order. Only their times and kinds matter.
	Steps []parley.Step
	// Below are its own subtasks.
	Below []parley.Task
	// Person reports whether a participant is a human.
	Person func(parley.AgentID) bool
}

// Lane says when a task was worked on and when it waited, without gaps from its beginning
// to its end, or until now.
//
// A turn works from its first step to its last, except while a call of it waits: for whom
// it asked, or for a decision. Between turns the task waits. What has no steps, since
// somebody outside or a person does it, is worked on from its start.
func (w Work) Lane(now parley.Micros) []Span {
	end := w.Task.EndedAt
	if end == 0 {
		end = max(now, w.Task.CreatedAt)
	}
	work := w.turns(end)
	waits := w.waits(end)
	begun := end
	if len(work) > 0 {
		begun = work[0].From
	}
	var out []Span
	for _, s := range pieces(w.Task.CreatedAt, end, work, waits) {
		switch {
		case within(waits, s, Asked):
			s.Doing = Asked
		case s.From < begun:
			s.Doing = Stood
		case within(waits, s, Waited), !within(work, s, Worked):
			s.Doing = Waited
		default:
			s.Doing = Worked
		}
		if last := len(out) - 1; last >= 0 && out[last].Doing == s.Doing {
			out[last].To = s.To
		} else {
			out = append(out, s)
		}
	}
	return out
}

// turns are the times between the first and the last step of each turn.
func (w Work) turns(end parley.Micros) (list []Span) {
	t := w.Task
	if len(w.Steps) == 0 {
		claimed := t.StartedAt != 0 || t.Token > 0 // its first step is what would say so
		if !claimed || t.State == parley.Queued || w.Person != nil && w.Person(t.Agent) {
			return nil
		}
		return []Span{{From: max(t.StartedAt, t.CreatedAt), To: end, Doing: Worked}}
	}
	turn := 0
	for _, s := range w.Steps {
		if s.Turn != turn {
			turn = s.Turn
			// The first step is stored when something has come of it.
			from := max(t.CreatedAt, s.At.Add(-s.Spent.Active))
			if n := len(list); n > 0 {
				from = max(from, list[n-1].To)
			}
			list = append(list, Span{From: from, To: s.At, Doing: Worked})
		}
		list[len(list)-1].To = s.At
	}
	return w.untilNow(list, end)
}

// untilNow adds what happened after the last step that is stored.
func (w Work) untilNow(list []Span, end parley.Micros) []Span {
	t, last := w.Task, w.Steps[len(w.Steps)-1]
	switch {
	case t.State == parley.Running && t.Turns > last.Turn:
		// A new turn has not stored anything yet: it was woken by what ended last.
		from := last.At
		for _, b := range w.Below {
			from = max(from, b.EndedAt)
		}
		return append(list, Span{From: from, To: end, Doing: Worked})
	case t.State == parley.Running, !t.State.Open() && last.Kind != parley.StepReply && last.Kind != parley.StepHeld:
		list[len(list)-1].To = end
	}
	return list
}

// waits are the times in which a turn, or who is asked, waited for somebody.
func (w Work) waits(end parley.Micros) (list []Span) {
	person := func(id parley.AgentID) bool { return w.Person != nil && w.Person(id) }
	if person(w.Task.Agent) {
		return []Span{{From: w.Task.CreatedAt, To: end, Doing: Asked}}
	}
	for i, s := range w.Steps {
		if s.Kind != parley.StepHeld {
			continue
		}
		until := end
		for _, next := range w.Steps[i+1:] {
			if next.Kind != parley.StepHeld {
				until = next.At
				break
			}
		}
		list = append(list, Span{From: s.At, To: until, Doing: Asked})
	}
	for _, b := range w.Below {
		if b.Pattern != parley.Ask && b.Callback != parley.CallbackCall {
			continue
		}
		s := Span{From: b.CreatedAt, To: end, Doing: Waited}
		if b.EndedAt != 0 {
			s.To = min(end, b.EndedAt)
		}
		if late := b.Callback == parley.CallbackLate || b.Callback == parley.CallbackResult; late && b.WaitUntil > 0 {
			s.To = min(s.To, b.WaitUntil)
		}
		if person(b.Agent) {
			s.Doing = Asked
		}
		list = append(list, s)
	}
	return list
}

// pieces cuts a time where any of the spans begins or ends.
func pieces(from, to parley.Micros, lists ...[]Span) (out []Span) {
	cuts := []parley.Micros{from, to}
	for _, list := range lists {
		for _, s := range list {
			for _, at := range []parley.Micros{s.From, s.To} {
				if at > from && at < to {
					cuts = append(cuts, at)
				}
			}
		}
	}
	slices.SortFunc(cuts, cmp.Compare)
	cuts = slices.Compact(cuts)
	for i := 1; i < len(cuts); i++ {
		out = append(out, Span{From: cuts[i-1], To: cuts[i]})
	}
	return out
}

func within(list []Span, piece Span, doing Doing) bool {
	return slices.ContainsFunc(list, func(s Span) bool { return s.Doing == doing && s.From <= piece.From && piece.To <= s.To })
}
