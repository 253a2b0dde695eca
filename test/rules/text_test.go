package rules

import (
	"fmt"
	"strings"
	"time"

	"parley"
)

// The texts are spelled out here again instead of being taken from the program, which
// would agree with itself whatever it says.

func requestText(t *task) string {
	head := "[Agent Request from " + t.requester.name + " | Pattern: ask]"
	if t.request.kind == parley.DelegateMessage {
		head = fmt.Sprintf("[Agent Request from %s | Pattern: delegate | Priority: %s | Task: %s]", t.requester.name, t.priority, t.id)
	}
	return head + "\n\n" + t.request.body
}

func notificationText(m *message) string {
	return "[Agent Notification from " + m.author.name + "]\n\n" + m.body
}

// callbackText is how the end of a subtask reaches the one who delegated it.
func callbackText(m *message) string { return endText(m.author.name, m.kind, m.task.id, m.body) }

func endText(from string, kind parley.MessageKind, id parley.TaskID, body string) string {
	if kind == parley.ResultMessage {
		return fmt.Sprintf("[Delegation Result from %s | %s]\n%s", from, id, body)
	}
	head := fmt.Sprintf("[Delegation Failed | %s | %s]\nError: ", from, id)
	if strings.HasPrefix(body, "cancelled by ") {
		return head + body
	}
	return head + from + " failed to complete the task: " + body
}

// answerText is what an ask ends with, and whether that is an error.
func answerText(t *task) (text string, failed bool) {
	if t.state != parley.Completed {
		return t.agent.name + " failed to respond: " + t.failure, true
	}
	if t.result == nil {
		return "", false
	}
	return t.result.body, false
}

func timeoutText(t *task, opened parley.Micros) string {
	waited := t.waitUntil.Until(opened)
	span := fmt.Sprintf("%d seconds", waited.Round(time.Second)/time.Second)
	if waited < 2*time.Second {
		span = waited.Round(time.Millisecond).String()
	}
	return fmt.Sprintf("%s did not respond within %s. Consider using 'delegate' for async processing.", t.agent.name, span)
}

func cancelledText(by *agent) string { return "cancelled by " + by.name + "." }

// refusal is why something was not done. Loose ones continue with a hint.
type refusal struct {
	kind  parley.Kind
	text  string
	loose bool
}

func refuse(kind parley.Kind, format string, args ...any) *refusal {
	return &refusal{kind: kind, text: fmt.Sprintf(format, args...)}
}

func (r *refusal) andHint() *refusal {
	r.loose = true
	return r
}

// is reports whether an error says this.
func (r *refusal) is(err error) bool {
	if r == nil || err == nil {
		return r == nil && err == nil
	}
	if parley.KindOf(err) != r.kind {
		return false
	}
	if r.loose {
		return strings.HasPrefix(err.Error(), r.text)
	}
	return err.Error() == r.text
}

func (r *refusal) String() string {
	if r == nil {
		return "accepted"
	}
	return string(r.kind) + ": " + r.text
}
