package view

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"parley/api"
)

// Step is one line: when, who, on which task, what, how long it took and what it cost.
func (s Screen) Step(st api.Step) string {
	const agent, task = 12, 9
	head := s.Clock(st.At) + "  "
	who := pad(st.Agent, agent) + "  "
	tail := s.stepTail(st)
	room := 0
	if s.Width > 0 {
		room = max(20, s.Width-1-Columns(head+who+tail)-task-2)
	}
	return s.Paint(Dim, head) + s.Paint(Bold, who) + s.Paint(Dim, pad(st.Task, task)+"  ") +
		s.Paint(stepColor(st), s.fit(s.stepLine(st), room)) + s.Paint(Dim, tail) + "\n"
}

func (s Screen) stepLine(st api.Step) string {
	return strings.ReplaceAll(Line(st.Line), "→", s.Arrow())
}

// stepTail is how long a step took and what it cost.
func (s Screen) stepTail(st api.Step) string {
	var parts []string
	if st.Took >= time.Millisecond && (st.Kind == api.StepReply || st.Kind == api.StepResult) {
		parts = append(parts, Duration(st.Took))
	}
	parts = append(parts, cost(st)...)
	if parts == nil {
		return ""
	}
	return "  " + strings.Join(parts, s.Dot())
}

// cost is what a step has spent: tokens, and money if it is known.
func cost(st api.Step) (parts []string) {
	if st.Input+st.Output > 0 {
		tokens := fmt.Sprintf("%d+%d tokens", st.Input, st.Output)
		if st.Estimated {
			tokens = "about " + tokens
		}
		parts = append(parts, tokens)
	}
	if st.Cost > 0 {
		parts = append(parts, Dollars(st.Cost))
	}
	return parts
}

// Cost goes on with what a step has spent, after a comma; it is empty if that is nothing.
func Cost(st api.Step) string {
	text := ""
	for _, part := range cost(st) {
		text += ", " + part
	}
	return text
}

func stepColor(st api.Step) Color {
	switch {
	case st.Failed:
		return Red
	case st.Kind == api.StepWait:
		return Yellow
	case st.Kind == api.StepReply:
		return Plain
	}
	return Cyan
}

// Logged reports whether a step has a line of its own in a log. That a turn has ended is
// said by its last reply, unless there is none since the task has failed.
func Logged(st api.Step) bool { return st.Kind != api.StepEnd || st.Failed }

// Steps shows the steps of one task, turn by turn, folded: a call with its result is one
// line, and a text has at most one more.
func (s Screen) Steps(steps []api.Step) string {
	finished := map[string]bool{}
	for _, st := range steps {
		if st.Kind == api.StepResult {
			finished[callOf(st)] = true
		}
	}
	var b strings.Builder
	for _, st := range steps {
		silent := st.Kind == api.StepReply && st.Text == "" && st.Input+st.Output == 0
		if !Logged(st) || silent || st.Kind == api.StepCall && finished[callOf(st)] {
			continue
		}
		b.WriteString(s.foldedStep(st))
		if more := secondLine(st); more != "" {
			b.WriteString(s.Paint(Dim, s.Fit("            "+Line(more))) + "\n")
		}
	}
	return b.String()
}

// callOf names the call of a step, as far as its task knows it.
func callOf(st api.Step) string {
	return fmt.Sprintf("%d %s %s", st.Turn, st.Tool, st.Arguments)
}

func (s Screen) foldedStep(st api.Step) string {
	head, tail := s.Clock(st.At)+"  ", s.stepTail(st)
	room := 0
	if s.Width > 0 {
		room = max(20, s.Width-1-Columns(head+tail))
	}
	return s.Paint(Dim, head) + s.Paint(stepColor(st), s.fit(s.stepLine(st), room)) + s.Paint(Dim, tail) + "\n"
}

// secondLine is what a folded step adds to its line: the last line of what a command
// printed, which says most.
func secondLine(st api.Step) string {
	if st.Kind != api.StepResult || st.Command == "" {
		return ""
	}
	lines := strings.Split(strings.TrimSpace(st.Text), "\n")
	if len(lines) < 2 { // the first says how it ended
		return ""
	}
	return lines[len(lines)-1]
}

// WholeStep shows everything of a step.
func (s Screen) WholeStep(st api.Step) string {
	text := s.foldedStep(st)
	facts := []string{"step", st.ID, "tool", st.Tool, "command", "", "files", strings.Join(st.Files, ", ")}
	if st.Command != "" && st.Kind != api.StepCall {
		facts[5] = Line(st.Command)
	}
	if st.ExitCode != nil {
		facts = append(facts, "exit code", fmt.Sprint(*st.ExitCode))
	}
	const margin = "            "
	for line := range strings.Lines(s.Facts(facts...)) {
		text += s.Paint(Dim, margin+strings.TrimSuffix(line, "\n")) + "\n"
	}
	if st.Kind == api.StepCall && len(st.Arguments) > 0 {
		text += s.Indent(pretty(st.Arguments), margin)
	}
	if st.Text != "" {
		text += s.Indent(st.Text, margin)
	}
	return text
}

func pretty(args json.RawMessage) string {
	var v any
	if json.Unmarshal(args, &v) != nil {
		return string(args)
	}
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	_ = e.Encode(v) // it was decoded just now
	return b.String()
}
