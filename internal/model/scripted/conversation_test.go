package scripted

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/model"
)

// conversation plays the part of the turn: it keeps the messages and asks the
// model for the next step.
type conversation struct {
	t      *testing.T
	source string
	script *Script
	req    model.Request
}

func talk(t *testing.T, agent, source string) *conversation {
	t.Helper()
	return &conversation{t: t, source: source, script: mustParse(t, source), req: model.Request{Agent: agent}}
}

func (c *conversation) hears(text string) {
	c.req.Messages = append(c.req.Messages, model.Message{Role: model.User, Text: text})
}

// steps asks for the next step, and asks again a script that has just been
// loaded, as a process would that goes on after a crash.
func (c *conversation) steps() model.Reply {
	c.t.Helper()
	reply, err := c.script.Step(c.t.Context(), c.req, nil)
	if err != nil {
		c.t.Fatalf("step after %d messages: %v", len(c.req.Messages), err)
	}
	resumed, err := mustParse(c.t, c.source).Step(c.t.Context(), c.req, nil)
	if err != nil {
		c.t.Fatalf("the same step, resumed: %v", err)
	}
	if diff := cmp.Diff(reply, resumed); diff != "" {
		c.t.Fatalf("a resumed step differs (-first +resumed):\n%s", diff)
	}
	c.req.Messages = append(c.req.Messages, model.Message{Role: model.Assistant, Text: reply.Text, Calls: reply.Calls})
	return reply
}

// returns gives the results of the last reply's calls.
func (c *conversation) returns(results ...string) {
	c.t.Helper()
	calls := c.req.Messages[len(c.req.Messages)-1].Calls
	if len(calls) != len(results) {
		c.t.Fatalf("%d results for %d calls", len(results), len(calls))
	}
	for i, text := range results {
		c.req.Messages = append(c.req.Messages, model.Message{Role: model.ToolResult, CallID: calls[i].ID, Text: text})
	}
}

func (c *conversation) says(want string) {
	c.t.Helper()
	reply := c.steps()
	if diff := cmp.Diff(want, reply.Text); diff != "" || len(reply.Calls) > 0 {
		c.t.Fatalf("closing text differs (-want +got), with %d calls:\n%s", len(reply.Calls), diff)
	}
}

// calls checks the next step's calls, each written as its name and arguments.
func (c *conversation) calls(want ...string) {
	c.t.Helper()
	if diff := cmp.Diff(want, written(c.steps().Calls)); diff != "" {
		c.t.Fatalf("calls differ (-want +got):\n%s", diff)
	}
}

func written(calls []model.Call) []string {
	var list []string
	for _, call := range calls {
		list = append(list, call.Name+" "+string(call.Args))
	}
	return list
}

func mustParse(t *testing.T, source string) *Script {
	t.Helper()
	s, err := Parse("test.yaml", []byte(source))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func readFile(t testing.TB, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
