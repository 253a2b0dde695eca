// Package jsonaction lets a model that cannot call tools take part in a turn.
// It explains to the model how to answer with JSON objects, reads them from
// whatever comes, and shows the model its own calls and their results as text.
//
// A reply that cannot be read is rejected with FORMAT ERROR and the reason. The
// turn tells the model and asks again.
package jsonaction

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"

	"parley/internal/model"
)

// Model gives tool calling to a model that has none.
type Model struct{ inner model.Model }

// New wraps a model.
func New(inner model.Model) *Model { return &Model{inner: inner} }

//go:embed format.md
var format string

// Window implements model.Bounded, if the inner model does.
func (m *Model) Window() (total, reply int) {
	if b, ok := m.inner.(model.Bounded); ok {
		return b.Window()
	}
	return 0, 0
}

// Learn implements model.Learner, if the inner model does.
func (m *Model) Learn(window int) (first bool) {
	if l, ok := m.inner.(model.Learner); ok {
		return l.Learn(window)
	}
	return false
}

// Forget implements model.Learner, if the inner model does.
func (m *Model) Forget() {
	if l, ok := m.inner.(model.Learner); ok {
		l.Forget()
	}
}

// ID implements model.Learner.
func (m *Model) ID() string {
	if l, ok := m.inner.(model.Learner); ok {
		return l.ID()
	}
	return "the model"
}

// Estimate implements model.Estimator.
func (m *Model) Estimate(req model.Request) model.Usage { return model.Estimate(m.inner, rewrite(req)) }

// Quote implements model.Limited, if the inner model does.
func (m *Model) Quote(req model.Request) (model.Quote, bool) {
	if l, ok := m.inner.(model.Limited); ok {
		return l.Quote(rewrite(req))
	}
	return model.Quote{}, false
}

// Step implements model.Model. The inner model writes JSON, so nothing is shown
// before it has been read.
func (m *Model) Step(ctx context.Context, req model.Request, onDelta func(model.Delta)) (model.Reply, error) {
	raw, err := m.inner.Step(ctx, rewrite(req), nil)
	if err != nil || raw.Cut > 0 {
		return raw, err
	}
	reply := Parse(raw.Text, req.Tools)
	reply.Usage = raw.Usage
	if onDelta != nil && reply.Text != "" && reply.Rejected == "" {
		onDelta(model.Delta{Text: reply.Text})
	}
	return reply, nil
}

// rewrite turns everything that the inner model cannot be told in another way
// into text.
func rewrite(req model.Request) model.Request {
	out := model.Request{Agent: req.Agent, MaxOutput: req.MaxOutput}
	out.System, out.Marks = instructions(req)
	for _, m := range req.Messages {
		switch m.Role {
		case model.ToolResult:
			m = model.Message{Role: model.User, Text: resultText(m)}
		case model.Assistant:
			m = model.Message{Role: model.Assistant, Text: actionText(m)}
		}
		out.Messages = append(out.Messages, m)
	}
	return out
}

// instructions puts the tools after the first mark: they are the same from task to
// task, and a provider keeps what comes before a mark.
func instructions(req model.Request) (system string, marks []int) {
	first := len(req.System)
	if len(req.Marks) > 0 {
		first = req.Marks[0]
	}
	var b strings.Builder
	b.WriteString(strings.TrimSpace(req.System[:first]))
	b.WriteString("\n\n")
	b.WriteString(strings.TrimSpace(format))
	b.WriteString("\n")
	for _, t := range req.Tools {
		fmt.Fprintf(&b, "\n### %s\n%s\nArguments: %s\n", t.Name, strings.TrimSpace(t.Description), t.Schema)
	}
	if len(req.Tools) == 0 {
		b.WriteString("\nYou have no tools.\n")
	}
	for _, at := range req.Marks {
		marks = append(marks, b.Len()+at-first)
	}
	b.WriteString(req.System[first:])
	return b.String(), marks
}

func resultText(m model.Message) string {
	what := "Result"
	if m.IsError {
		what = "Error"
	}
	return fmt.Sprintf("[%s of call %s]\n\n%s", what, m.CallID, m.Text)
}

// actionText is what the model said, in the format that it has to keep to. A
// reply that was rejected stays as it was.
func actionText(m model.Message) string {
	if len(m.Calls) == 0 {
		return m.Text
	}
	var lines []string
	if m.Text != "" {
		lines = append(lines, m.Text)
	}
	for _, c := range m.Calls {
		b, err := json.Marshal(struct {
			Action string          `json:"action"`
			ID     string          `json:"id"`
			Tool   string          `json:"tool"`
			Args   json.RawMessage `json:"args"`
		}{"tool_call", c.ID, c.Name, c.Args})
		if err == nil {
			lines = append(lines, string(b))
		}
	}
	return strings.Join(lines, "\n")
}
