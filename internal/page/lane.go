package page

import (
	"fmt"
	"time"

	"parley"
	"parley/internal/reading"
	"parley/internal/trace"
)

// Axis is the time that the lanes of a tree show.
type Axis struct {
	From, To parley.Micros
	Live     bool
	Marks    []AxisMark
}

// AxisMark is a moment on an axis.
type AxisMark struct {
	X    string
	Text string
}

// livePart is how much of the width a tree that is at work has used: the rest is to come.
const livePart = 94.29

// axisOf spans a tree from its beginning to its end, or until now.
func axisOf(list []parley.Task, now time.Time) Axis {
	a := Axis{From: list[0].CreatedAt}
	for _, t := range list {
		a.Live = a.Live || t.State.Open()
		a.To = max(a.To, t.EndedAt)
	}
	if a.Live {
		a.To = parley.Micros(now.UnixMicro())
	}
	a.To = max(a.To, a.From+1)
	room := 90.0 // for the text of a mark
	if a.Live {
		room = 78 // and for that of the present
	}
	for at := time.Duration(0); at < a.To.Since(a.From); at += a.unit() {
		text := "+" + shortly(at)
		if at == 0 {
			text = ""
		}
		if x := a.at(a.From.Add(at)); x < room || at == 0 {
			a.Marks = append(a.Marks, AxisMark{X: percent(x), Text: text})
		}
	}
	return a
}

// unit is the distance of the marks: a round one, of which there are at most five.
func (a Axis) unit() time.Duration {
	whole := a.To.Since(a.From)
	for _, u := range []time.Duration{time.Second, 5 * time.Second, 15 * time.Second, time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour, 6 * time.Hour, 24 * time.Hour, 7 * 24 * time.Hour} {
		if whole <= 5*u {
			return u
		}
	}
	return whole
}

// shortly is a round time without what is zero.
func shortly(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%d%ss", int(d.Seconds()), thin)
	case d < time.Hour:
		return fmt.Sprintf("%d%sm", int(d.Minutes()), thin)
	case d < 48*time.Hour:
		return fmt.Sprintf("%d%sh", int(d.Hours()), thin)
	}
	return fmt.Sprintf("%d%sd", int(d.Hours())/24, thin)
}

// Now is where the present is.
func (a Axis) Now() string { return percent(a.at(a.To)) }

// at is where a moment is, in per cent of the width.
func (a Axis) at(m parley.Micros) float64 {
	width := 100.0
	if a.Live {
		width = livePart
	}
	return max(0, min(width, width*float64(m-a.From)/float64(a.To-a.From)))
}

func percent(x float64) string { return fmt.Sprintf("%.2f%%", x) }

// Stretch is a piece of a lane. Class is its colour and thickness.
type Stretch struct{ Class, X, Width string }

// Thick reports whether somebody worked.
func (b Stretch) Thick() bool { return b.Class[0] == 'w' }

// Slimmest is the least part of the width that a bar shows, so that a short piece of work
// is seen.
const slimmest = 0.4

// draw puts the lane of a task on its row, as a picture and in words.
func (r *Row) draw(l reading.Lane, a Axis, now time.Time) {
	r.Cost = l.Spent.Money
	worked, waited := time.Duration(0), time.Duration(0)
	for i, s := range l.Spans {
		last := i == len(l.Spans)-1
		x, end := a.at(s.From), a.at(s.To)
		width := max(end-x, slimmest)
		switch s.Doing {
		case trace.Worked:
			worked += s.Took()
		case trace.Waited, trace.Asked:
			waited += s.Took()
			width = end - x
		default:
			width = end - x
		}
		if width < 0.05 {
			continue
		}
		r.Lane = append(r.Lane, Stretch{Class: r.colour(s, last), X: percent(x), Width: percent(width)})
	}
	r.say(l.Spans, worked, waited, now)
}

func (r *Row) colour(s trace.Span, last bool) string {
	switch s.Doing {
	case trace.Worked:
		switch {
		case last && r.State == parley.Running:
			return "w w-run"
		case last && r.State == parley.TaskFailed:
			return "w w-fail"
		}
		return "w"
	case trace.Stood:
		return "q"
	case trace.Asked:
		if last && r.Mark.Shape == "you" {
			return "p-you"
		}
	}
	return "p"
}

// say puts a lane into words.
func (r *Row) say(spans []trace.Span, worked, waited time.Duration, now time.Time) {
	since := time.Duration(0)
	if n := len(spans); n > 0 {
		since = spans[n-1].Took()
	}
	switch {
	case r.Mark.Shape == "you":
		r.Words, r.WordsMark = "waits for you "+running(since), "you"
	case r.State == parley.Running && len(spans) > 0 && spans[len(spans)-1].Doing == trace.Worked:
		r.Words, r.WordsMark = "works "+running(since), "run"
	case r.State == parley.TaskFailed:
		r.Words, r.WordsMark = "failed after "+duration(worked), "fail"
	case r.State == parley.Queued && r.StartedAt == 0:
		r.Words = "queued " + running(now.Sub(r.CreatedAt.Time()))
	case waited > 0 && waited >= worked/100:
		r.Words = "worked " + duration(worked) + ", waited " + duration(waited)
	default:
		r.Words = "worked " + duration(worked)
	}
}
