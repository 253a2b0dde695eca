package view

import (
	"fmt"
	"strings"

	"parley/api"
)

// Questions is a table of questions.
func (s Screen) Questions(list []api.Question) string {
	t := table{elastic: 3, least: 24, rows: [][]cell{heads("QUESTION", "ASKER", "TO", "ASKS", "STATE", "ANSWERS", "HOPS", "SINCE")}}
	for _, q := range list {
		t.rows = append(t.rows, []cell{
			{text: q.ID, color: Bold},
			{text: q.Asker},
			{text: askedOf(q)},
			{text: Line(q.Text)},
			{text: q.State, color: questionColor(q.State)},
			{text: answers(q), right: true},
			{text: fmt.Sprint(q.Hops), right: true},
			{text: s.Clock(q.Created)},
		})
	}
	return t.text(s)
}

func askedOf(q api.Question) string {
	if q.Target == "" {
		return "all"
	}
	return q.Target
}

// answers says how many answers there are and how many there can be so far: a question
// to all can be asked of more. An agent that forwarded it does not count.
func answers(q api.Question) string {
	answered, asked := 0, 0
	for _, r := range q.Routes {
		switch r.State {
		case "answered":
			answered++
			asked++
		case "forwarded":
		default:
			asked++
		}
	}
	return fmt.Sprintf("%d of %d", answered, asked)
}

func questionColor(state string) Color {
	switch state {
	case "answered":
		return Green
	case "open", "asked", "forwarded":
		return Yellow
	case "passed":
		return Dim
	default:
		return Red
	}
}

// Question shows everything about a question: its text and its routes as a tree,
// with enrichments and answers.
func (s Screen) Question(q api.Question) string {
	f := facts{elastic: 1, least: 10}
	f.add("asker", q.Asker)
	f.add("to", askedOf(q))
	f.add("task", q.Task)
	f.add("since", s.When(q.Created))
	if q.Closed == nil {
		f.add("expires", s.When(q.Expires))
	} else {
		f.add("ended", s.When(*q.Closed))
	}
	d := routeDrawing{Screen: s, routes: q.Routes}
	d.below(q.Asker, 0, "")
	return s.Paint(Bold, q.ID) + " " + s.Paint(questionColor(q.State), q.State) + "\n" + table(f).text(s) +
		s.section("Question", q.Text) + s.section("Context", q.Context) + "\n" + Line(q.Asker) + "\n" + d.b.String()
}

// routeDrawing draws the routes of a question from top to bottom.
type routeDrawing struct {
	Screen
	routes []api.QuestionRoute
	b      strings.Builder
}

// below draws the agents whom by asked at that hop.
func (d *routeDrawing) below(by string, hop int, trunk string) {
	var legs []api.QuestionRoute
	for _, r := range d.routes {
		if r.By == by && r.Hop == hop {
			legs = append(legs, r)
		}
	}
	for i, r := range legs {
		branch, further := d.glyph("├─ ", "|- "), d.glyph("│  ", "|  ")
		if i == len(legs)-1 {
			branch, further = d.glyph("└─ ", "`- "), "   "
		}
		d.leg(r, trunk+branch, trunk+further)
		d.below(r.Agent, hop+1, trunk+further)
	}
}

// leg draws one route, with the enrichment and the answer below it.
func (d *routeDrawing) leg(r api.QuestionRoute, trunk, below string) {
	hop := ""
	if r.Hop > 0 {
		hop = fmt.Sprintf("hop %d", r.Hop) + d.Dot()
	}
	d.b.WriteString(trunk + Line(r.Agent) + "  " + d.Paint(Dim, hop+r.Task+d.Dot()) + d.Paint(questionColor(r.State), r.State) + "\n")
	if r.Enrichment != "" {
		d.b.WriteString(below + d.Paint(Dim, Line(r.By)+" knew: ") + Line(r.Enrichment) + "\n")
	}
	if r.Answer != "" {
		d.b.WriteString(below + d.Paint(Dim, "answered: ") + Line(r.Answer) + "\n")
	}
}
