package turn

import (
	"fmt"
	"slices"
	"strings"

	"parley"
	"parley/internal/model"
	"parley/internal/tool"
)

// source says where a message of a request comes from.
type source struct {
	kind   sourceKind
	stored *letter // nil for a step
}

type sourceKind int

const (
	beforeRequest sourceKind = iota // in the conversation
	theRequest
	sinceRequest // on the task
	theHub       // a line of ours
	unreadMail   // on the task, from other conversations
)

// movable reports whether the message can be put away.
func (s source) movable() bool {
	return s.kind == beforeRequest || s.kind == sinceRequest || s.kind == unreadMail
}

// request puts together what the model sees. The parts are in this order:
// who the agent is, where it speaks and on what it works; then what was said
// before, with what it has not seen yet, the request, and what happened on the
// task so far. What the model could not read is left out.
func (t *transcript) request(a Agent) model.Request {
	r, asked, _ := t.whole(a)
	return fit(r, asked, a.Model)
}

// whole is the request with all that the agent has of the conversation, the place
// of what it was asked, and of each message where it comes from.
func (t *transcript) whole(a Agent) (r model.Request, asked int, from []source) {
	r = model.Request{Agent: a.Name, Tools: specs(a.Tools)}
	r.System, r.Marks = t.system(a)
	r.Messages = make([]model.Message, 0, len(t.history)+len(t.notices)+1+len(t.past))
	from = make([]source, 0, cap(r.Messages))
	add := func(m model.Message, s source) { r.Messages, from = append(r.Messages, m), append(from, s) }
	older := slices.IndexFunc(t.notices, func(m letter) bool { return m.N > t.asked.N })
	if older < 0 {
		older = len(t.notices)
	}
	t.offload.show(t.offload.before, add)
	for _, part := range [][]letter{t.notices[:older], t.history, t.notices[older:], {t.asked}} {
		if t.unread != "" && len(part) == 1 && part[0].ID == t.asked.ID {
			add(model.Message{Role: model.User, Text: t.unread}, source{kind: theHub})
		}
		for i := range part {
			if !t.offload.messages[part[i].ID] {
				add(t.render(&part[i]), source{kind: beforeRequest, stored: &part[i]})
			}
		}
	}
	asked = len(r.Messages) - 1
	from[asked].kind = theRequest
	t.offload.show(t.offload.since, add)
	for _, e := range t.past[min(t.offload.past, len(t.past)):] {
		kind := sinceRequest
		if e.unread {
			kind = unreadMail
		}
		add(e.Message, source{kind: kind, stored: e.stored})
	}
	return r, asked, from
}

// system begins with what is the same in every task of the agent, so that a
// provider can keep it: who it is, a mark, what it knows, and another mark. Nothing
// of the task may come before.
func (t *transcript) system(a Agent) (text string, marks []int) {
	var b strings.Builder
	fmt.Fprintf(&b, "You are %s.\n", a.Name)
	if a.Instructions != "" {
		fmt.Fprintf(&b, "\n%s\n", a.Instructions)
	}
	marks = append(marks, b.Len())
	if a.Knowledge != "" {
		fmt.Fprintf(&b, "\n%s\n", a.Knowledge)
		marks = append(marks, b.Len())
	}
	switch {
	case t.place.Kind == parley.Group:
		t.describeGroup(&b)
	case t.asked.AsksForDecision():
		b.WriteString("\nHere the hub asks you for a decision. Nobody else can write here.\n")
	default:
		fmt.Fprintf(&b, "\nThis is your direct conversation with %s.\n", t.place.partner)
	}
	fmt.Fprintf(&b, "You work on %s.\n", t.task.ID)
	if t.prompt.Open > 0 {
		fmt.Fprintf(&b, "Results of %d delegated subtasks are still to come; each will be brought to you.\n", t.prompt.Open)
	}
	return b.String(), marks
}

// describeGroup names the channel, its topic and its members, and says how much of
// it the agent has not seen.
func (t *transcript) describeGroup(b *strings.Builder) {
	fmt.Fprintf(b, "\nThis is the channel %s. Everyone in it reads what you say here.\n", t.place.Place())
	if t.place.Topic != "" {
		fmt.Fprintf(b, "Its topic: %q.\n", t.place.Topic) // somebody else's words
	}
	fmt.Fprintf(b, "Its members: %s.\n", strings.Join(t.place.members, ", "))
	if t.prompt.Unseen > 0 {
		fmt.Fprintf(b, "You have not seen %d earlier messages of it; read_channel shows them.\n", t.prompt.Unseen)
	}
}

// render shows a stored message as the agent reads it. Who it is from comes
// from the record; what the text says of itself is quoted. That costs more than all else
// here, and each request of a turn shows the same history, so the text is kept.
func (t *transcript) render(m *letter) model.Message {
	if m.Author == t.task.Agent && !m.FromHub() && m.Kind != parley.NoticeMessage {
		return model.Message{Role: model.Assistant, Text: m.Body}
	}
	if m.Kind == parley.QuestionMessage && m.ID == t.asked.ID {
		return model.Message{Role: model.User, Text: parley.QuestionText(m.from, m.Question, m.Body, m.Context, t.relevant)}
	}
	if t.isPost(m) {
		return model.Message{Role: model.User, Text: parley.PostText(m.from, t.place.Place(), m.Body)}
	}
	if m.text == "" {
		m.text = Text(m.Message, m.from)
	}
	return model.Message{Role: model.User, Text: m.text}
}

// isPost reports whether a message is shown as one of a channel: a post, and in a
// group also what a turn said.
func (t *transcript) isPost(m *letter) bool {
	switch m.Kind {
	case parley.PostMessage:
		return true
	case parley.ReplyMessage:
		return t.place.Kind == parley.Group || m.ID == t.asked.ID
	}
	return false
}

// Text is a message as its recipient reads it.
func Text(m parley.Message, from string) string { return parley.MessageText(from, m) }

func specs(tools []tool.Tool) []model.Tool {
	list := make([]model.Tool, len(tools))
	for i, t := range tools {
		list[i] = t.Tool
	}
	return list
}
