package view

import (
	"fmt"
	"strings"

	"parley/api"
)

// Task shows everything about a task; request is the message that asked for
// it.
func (s Screen) Task(t api.Task, request api.Message) string {
	var b strings.Builder
	b.WriteString(s.Symbol(t.State) + " " + s.Paint(Bold, t.ID) + " " + s.State(t.State) +
		s.Paint(Dim, s.Dot()+Duration(s.Elapsed(t))) + "\n")
	b.WriteString(s.facts(t))
	b.WriteString(s.section("Context", request.Context))
	b.WriteString(s.section("Request", request.Body))
	b.WriteString(s.section("Result", t.Result))
	b.WriteString(s.section("Error", t.Error))
	return b.String()
}

func (s Screen) section(name, text string) string {
	if text == "" {
		return ""
	}
	return "\n" + s.Paint(Bold, name) + "\n" + s.Indent(text, "  ")
}

// facts is the table of what is known about a task.
func (s Screen) facts(t api.Task) string {
	f := facts{elastic: 1, least: 10}
	f.add("who", t.Requester+" "+s.Arrow()+" "+t.Agent)
	f.add("pattern", t.Pattern+", "+t.Priority+" priority")
	f.add("parent", t.Parent)
	if t.Root != t.ID && t.Root != t.Parent {
		f.add("root", t.Root)
	}
	if t.Resumes != "" {
		f.add("resumes", t.Resumes)
	} else {
		f.add("retry of", t.RetryOf)
	}
	f.add("caused by", t.Cause)
	f.add("created", s.When(t.Created))
	if t.Due != nil && t.Due.After(s.Now) {
		f.add("starts", s.When(*t.Due))
	}
	if t.Started != nil {
		f.add("started", s.When(*t.Started))
	}
	if t.WaitUntil != nil && !Ended(t) {
		f.add("asked until", s.When(*t.WaitUntil))
	}
	if t.Ended != nil {
		ended := s.When(*t.Ended)
		if t.EndedBy != "" {
			ended += ", by " + t.EndedBy
		}
		f.add("ended", ended)
	}
	f.add("turns", fmt.Sprint(t.Turns))
	if t.Open > 0 {
		f.add("waits for", Plural(t.Open, "subtask"))
	}
	if t.Approvals > 0 && t.WaitsFor == "" {
		f.add("held", Plural(t.Approvals, "call")+" until somebody decides")
	}
	if t.WaitsFor != "" {
		f.add("held", WaitsFor(t))
	}
	if t.Rescues > 0 {
		f.add("rescues", fmt.Sprintf("%d, after its worker died", t.Rescues))
	}
	f.add("messages", t.Request+s.then(t.ResultID)+", "+t.Thread)
	return table(f).text(s)
}

func (s Screen) then(id string) string {
	if id == "" {
		return ""
	}
	return " " + s.Arrow() + " " + id
}

type facts table

// add leaves out what is not known.
func (f *facts) add(name, value string) {
	if value != "" {
		f.rows = append(f.rows, []cell{{text: "  " + name, color: Dim}, {text: value}})
	}
}

// Plural counts things.
func Plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// Facts is a small table of names and values, given in turn.
func (s Screen) Facts(pairs ...string) string {
	f := facts{elastic: 1, least: 10}
	for i := 0; i+1 < len(pairs); i += 2 {
		f.add(pairs[i], pairs[i+1])
	}
	return table(f).text(s)
}
