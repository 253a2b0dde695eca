package mcpserver_test

import (
	"slices"
	"strings"
	"testing"
)

func TestAClientTakesATaskAndFinishesIt(t *testing.T) {
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			w := newWorld(t)
			coder := w.connect("CoderBot", version, nil)
			id := w.delegate("Ada", "CoderBot", "Count the files.")
			res := coder.call("wait_for_messages", nil)
			if text := textOf(res); !strings.Contains(text, "Count the files.") || !strings.Contains(text, id.String()) {
				t.Fatal(text)
			}
			if text := coder.says("contact_agent", map[string]any{"action": "ask", "agentId": "DataBot", "message": "How many?"}); text != "Response from DataBot: Twelve." {
				t.Error(text)
			}
			coder.says("task_complete", map[string]any{"task_id": id.String(), "result": "Twelve."})
			if task, err := w.hub.Reading.Task(t.Context(), w.caller("Ada"), id); err != nil || task.Text != "Twelve." {
				t.Error(task, err)
			}
		})
	}
}

func TestAClientIsOfferedItsToolsets(t *testing.T) {
	w := newWorld(t)
	for _, version := range versions {
		list, err := w.connect("CoderBot", version, nil).ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, tl := range list.Tools {
			names = append(names, tl.Name)
		}
		want := []string{"ack", "await_task", "cancel_task", "contact_agent", "list_agents", "message_status", "my_tasks", "query_workspace", "read_agent_docs",
			"read_attachment", "read_channel", "read_inbox", "remind", "reply", "search_messages", "send_channel_message", "sleep", "task_complete", "task_fail", "task_update", "wait_for_messages"}
		if !slices.Equal(names, want) {
			t.Errorf("%s: %q", version, names)
		}
	}
}

// Every client's model reads the instructions with every session, so they are short, and
// name every tool that a member needs.
func TestInstructionsAreShort(t *testing.T) {
	w := newWorld(t)
	for _, version := range versions {
		text := w.connect("CoderBot", version, nil).InitializeResult().Instructions
		if n := len(strings.Fields(text)); n == 0 || n > 200 {
			t.Errorf("%s: the instructions have %d words", version, n)
		}
		for _, name := range []string{"wait_for_messages", "cursor", "task_complete", "task_fail", "task_update", "my_tasks", "reply", "list_agents", "contact_agent", "context"} {
			if !strings.Contains(text, "`"+name+"`") {
				t.Errorf("%s: the instructions do not name %s", version, name)
			}
		}
	}
}
