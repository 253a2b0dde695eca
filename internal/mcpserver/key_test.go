package mcpserver_test

import (
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A client that was killed and does its work again calls under the same keys: nothing is
// made twice, and it gets the same answers. Another client's keys are not its own.
func TestACallIsRepeatedUnderItsKey(t *testing.T) {
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			w := newWorld(t)
			id := w.delegate("Ada", "CoderBot", "Count the files.")
			work := func(who, key, action, message string) string {
				c := w.connect(who, version, nil) // it knows nothing of the one before
				c.call("wait_for_messages", map[string]any{"wait_seconds": 0})
				res, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "contact_agent", Meta: mcp.Meta{"parley/key": key},
					Arguments: map[string]any{"action": action, "agentId": "DataBot", "message": message}})
				if err != nil {
					t.Fatal(err)
				}
				text, _, _ := strings.Cut(textOf(res), "\n\n[")
				return text
			}
			first := work("CoderBot", "a", "delegate", "Count.")
			if !strings.HasPrefix(first, "Delegated to DataBot (subtask ") {
				t.Fatal(first)
			}
			if again := work("CoderBot", "a", "delegate", "Count."); again != first {
				t.Errorf("repeated: %q, first %q", again, first)
			}
			if other := work("CoderBot", "b", "delegate", "Count."); other == first {
				t.Error("another key finds it:", other)
			}
			if other := work("ToolBot", "a", "delegate", "Count."); other == first {
				t.Error("another client finds it:", other)
			}
			if wrong := work("CoderBot", "a", "delegate", "Count more."); !strings.HasPrefix(wrong, "Error: ") {
				t.Error("the key was used for something else:", wrong)
			}
			asked := work("CoderBot", "c", "ask", "How many?")
			if again := work("CoderBot", "c", "ask", "How many?"); again != asked || !strings.HasPrefix(asked, "Response from DataBot: ") {
				t.Errorf("repeated: %q, first %q", again, asked)
			}
			w.endTwice(version, id.String())
		})
	}
}

// endTwice ends a task twice under one key, and once more under none.
func (w *world) endTwice(version, task string) {
	w.t.Helper()
	c := w.connect("CoderBot", version, nil)
	for i, want := range []string{task + " is completed.", task + " is completed.", "Error: " + task + " has ended already"} {
		p := &mcp.CallToolParams{Name: "task_complete", Arguments: map[string]any{"task_id": task, "result": "12"}}
		if i < 2 {
			p.Meta = mcp.Meta{"parley/key": "end"}
		}
		for { // until what it delegated has ended
			res, err := c.CallTool(w.t.Context(), p)
			if err != nil {
				w.t.Fatal(err)
			}
			text := textOf(res)
			if strings.Contains(text, "has open subtasks") {
				c.call("wait_for_messages", map[string]any{"wait_seconds": 1})
				continue
			}
			if !strings.HasPrefix(text, want) {
				w.t.Errorf("%d: %q, want %q", i, text, want)
			}
			break
		}
	}
}
