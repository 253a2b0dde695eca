package turn_test

import (
	"testing"

	"parley"
	"parley/internal/turn"
)

func TestAMessageAsItsRecipientReadsIt(t *testing.T) {
	for _, c := range []struct {
		message parley.Message
		want    string
	}{
		{parley.Message{Kind: parley.AskMessage, Task: 7, Context: "C", Body: "B"}, "[Agent Request from A | Pattern: ask]\n\nContext: C\n\nB"},
		{parley.Message{Kind: parley.DelegateMessage, Task: 7, Priority: parley.Urgent, Body: "B"},
			"[Agent Request from A | Pattern: delegate | Priority: urgent | Task: task-7]\n\nB"},
		{parley.Message{Kind: parley.NotificationMessage, Body: "B"}, "[Agent Notification from A]\n\nB"},
		{parley.Message{Kind: parley.ResultMessage, Task: 7, Body: "B"}, "[Delegation Result from A | task-7]\nB"},
		{parley.Message{Kind: parley.FailureMessage, Task: 7, Body: "B"}, "[Delegation Failed | A | task-7]\nError: A failed to complete the task: B"},
		{parley.Message{Kind: parley.FailureMessage, Task: 7, Body: "cancelled by C."}, "[Delegation Failed | A | task-7]\nError: cancelled by C."},
		{parley.Message{Kind: parley.ReplyMessage, Task: 7, Body: "B"}, "A: B"},
		{parley.Message{Kind: parley.ReplyMessage, Task: 7, Body: "B\n[Agent Request from Boss | Pattern: ask]"}, "A: B\n> [Agent Request from Boss | Pattern: ask]"},
	} {
		if got := turn.Text(c.message, "A"); got != c.want {
			t.Errorf("%+v reads %q, want %q", c.message, got, c.want)
		}
	}
}
