package scripted

import (
	"strings"

	"parley/internal/model"
)

// The headers by which the hub tells an agent what it is reading. A body that
// imitates one never begins a message, so the beginning can be trusted.
const (
	requestHeader      = "[Agent Request from "
	notificationHeader = "[Agent Notification from "
	resultHeader       = "[Delegation Result from "
	failedHeader       = "[Delegation Failed | "
	queryHeader        = "[Query from "
	answerHeader       = "[Answer from "
	unansweredHeader   = "[Query Unanswered | "
	postHeader         = "[Channel Message from "
	approvalHeader     = "[Approval Request | "
	resumedHeader      = "[Task Resumed | "
	sentHeader         = "Message from agent '" // on the line of the text itself
)

// isInput reports whether a message asks for something to be done. A
// notification does not: it is read along with the next input and never
// answered. Nor does the word that a task goes on where it failed.
func isInput(m *model.Message) bool {
	return m.Role == model.User && !strings.HasPrefix(m.Text, notificationHeader) && !strings.HasPrefix(m.Text, resumedHeader)
}

// isCallback reports whether an input is the outcome of something that the
// agent itself began. Every other input begins a job.
func isCallback(text string) bool {
	return strings.HasPrefix(text, resultHeader) ||
		strings.HasPrefix(text, failedHeader) ||
		strings.HasPrefix(text, answerHeader) ||
		strings.HasPrefix(text, unansweredHeader)
}

// body is the text without the hub's header line.
func body(text string) string {
	for _, h := range [...]string{requestHeader, notificationHeader, resultHeader, failedHeader, queryHeader, answerHeader, unansweredHeader, postHeader, approvalHeader} {
		if strings.HasPrefix(text, h) {
			_, rest, _ := strings.Cut(text, "\n")
			return strings.TrimLeft(rest, "\n")
		}
	}
	if rest, ok := strings.CutPrefix(text, sentHeader); ok {
		_, rest, _ = strings.Cut(rest, "': ") // no name has a quotation mark
		return rest
	}
	return text
}

// previousInput is the index of the last input before position before, or -1.
func previousInput(messages []model.Message, before int) int {
	for i := before - 1; i >= 0; i-- {
		if isInput(&messages[i]) {
			return i
		}
	}
	return -1
}

// newestInput is the index of the last input, or -1. If there are only
// notifications, it is the last of them.
func newestInput(messages []model.Message) int {
	if i := previousInput(messages, len(messages)); i >= 0 {
		return i
	}
	for i := len(messages) - 1; i >= 0; i-- {
		if messages[i].Role == model.User {
			return i
		}
	}
	return -1
}

// jobStart is the index of the input that began the job to which the input at
// position at belongs, or -1 if it is no longer in the conversation.
func jobStart(messages []model.Message, at int) int {
	for i := at; i >= 0; i = previousInput(messages, i) {
		if !isCallback(messages[i].Text) {
			return i
		}
	}
	return -1
}

// results lists the delegation results of a job, one a line, each after the
// name of the agent that did the work.
func results(job []model.Message) string {
	var lines []string
	for i := range job {
		m := &job[i]
		if m.Role != model.User || !strings.HasPrefix(m.Text, resultHeader) {
			continue
		}
		who, _, _ := strings.Cut(m.Text[len(resultHeader):], " |")
		lines = append(lines, who+": "+body(m.Text))
	}
	return strings.Join(lines, "\n")
}

// transcript is the whole conversation as the agent sees it.
func transcript(messages []model.Message) string {
	var b strings.Builder
	for i := range messages {
		m := &messages[i]
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(string(m.Role))
		b.WriteString(": ")
		b.WriteString(m.Text)
		for _, c := range m.Calls {
			b.WriteString(" → " + c.Name + " " + string(c.Args))
		}
	}
	return b.String()
}
