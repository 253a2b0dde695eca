package turn

import (
	"fmt"
	"slices"
	"strings"

	"parley"
	"parley/internal/model"
	"parley/internal/tool"
)

// request puts together what the model sees. The parts are in this order:
// who the agent is, where it speaks and on what it works; then what was said
// before, with what it has not seen yet, the request, and what happened on the
// task so far. What the model could not read is left out.
func (t *run) request() model.Request {
	r, asked, _ := t.whole()
	return fit(r, asked, t.agent.Model)
}

// whole is the request with all that the agent has of the conversation, the place
// of what it was asked, and of each message where it comes from.
func (t *run) whole() (r model.Request, asked int, from []source) {
	r = model.Request{Agent: t.agent.Name, Tools: specs(t.agent.Tools)}
	r.System, r.Marks = t.system()
	r.Messages = make([]model.Message, 0, len(t.history)+len(t.notices)+1+len(t.past))
	from = make([]source, 0, cap(r.Messages))
	add := func(m model.Message, s source) { r.Messages, from = append(r.Messages, m), append(from, s) }
	older := slices.IndexFunc(t.notices, func(m parley.Message) bool { return m.N > t.asked.N })
	if older < 0 {
		older = len(t.notices)
	}
	t.away.show(t.away.before, add)
	for _, part := range [][]parley.Message{t.notices[:older], t.history, t.notices[older:], {t.asked}} {
		for i := range part {
			if !t.away.messages[part[i].ID] {
				add(t.render(part[i]), source{kind: saidBefore, message: &part[i]})
			}
		}
	}
	asked = len(r.Messages) - 1
	from[asked].kind = theRequest
	t.away.show(t.away.since, add)
	for i := t.away.past; i < len(t.past); i++ {
		add(t.past[i], source{kind: onTheTask, message: t.sources[i]})
	}
	return r, asked, from
}

// system begins with what is the same in every task of the agent, so that a
// provider can keep it: who it is, a mark, what it knows, and another mark. Nothing
// of the task may come before.
func (t *run) system() (text string, marks []int) {
	var b strings.Builder
	fmt.Fprintf(&b, "You are %s.\n", t.agent.Name)
	if t.agent.Instructions != "" {
		fmt.Fprintf(&b, "\n%s\n", t.agent.Instructions)
	}
	marks = append(marks, b.Len())
	if t.agent.Knowledge != "" {
		fmt.Fprintf(&b, "\n%s\n", t.agent.Knowledge)
		marks = append(marks, b.Len())
	}
	t.place(&b)
	t.work(&b)
	return b.String(), marks
}

// place names the members of the channel.
func (t *run) place(b *strings.Builder) {
	if t.channel.Kind == parley.Group {
		t.groupPlace(b)
		return
	}
	peer := t.name(t.channel.Peer(t.lease.Agent))
	fmt.Fprintf(b, "\nThis is your direct conversation with %s.\n", peer)
}

// work names the task.
func (t *run) work(b *strings.Builder) {
	fmt.Fprintf(b, "You work on %s, which begins %q.\n", t.task.ID, t.task.Title) // somebody else's words
	if t.task.OpenChildren > 0 {
		fmt.Fprintf(b, "Results of %d delegated subtasks are still to come; each will be brought to you.\n", t.task.OpenChildren)
	}
}

// render shows a stored message as the agent reads it. Who it is from comes
// from the record; what the text says of itself is quoted.
func (t *run) render(m parley.Message) model.Message {
	if m.Author == t.lease.Agent && m.Kind != parley.UnansweredMessage {
		return model.Message{Role: model.Assistant, Text: m.Body}
	}
	from := t.name(m.Author)
	if m.Kind == parley.QuestionMessage && m.ID == t.asked.ID {
		return model.Message{Role: model.User, Text: parley.QuestionText(from, m.Question, m.Body, m.Context, t.relevant)}
	}
	if t.isPost(m) {
		return model.Message{Role: model.User, Text: parley.PostText(from, t.channel.Place(), m.Body)}
	}
	return model.Message{Role: model.User, Text: Text(m, from)}
}

// Text is a message as its recipient reads it.
func Text(m parley.Message, from string) string {
	switch m.Kind {
	case parley.AskMessage:
		return parley.RequestText(from, parley.Ask, 0, m.Task, m.Context, m.Body)
	case parley.DelegateMessage:
		return parley.RequestText(from, parley.Delegate, m.Priority, m.Task, m.Context, m.Body)
	case parley.SentMessage:
		return parley.SentText(from, m.Body)
	case parley.NotificationMessage:
		return parley.NotificationText(from, m.Context, m.Body)
	case parley.ResultMessage:
		return parley.ResultText(from, m.Task, m.Body)
	case parley.FailureMessage:
		return parley.FailureText(from, m.Task, m.Body)
	case parley.QuestionMessage:
		return parley.PastQuestionText(from, m.Question, m.Body, m.Context)
	case parley.AnswerMessage:
		return parley.AnswerText(from, m.Question, m.Body, m.Context)
	case parley.UnansweredMessage:
		return parley.UnansweredText(m.Question, m.Body, m.Context)
	default:
		return from + ": " + parley.Quote(m.Body)
	}
}

func specs(tools []tool.Tool) []model.Tool {
	list := make([]model.Tool, len(tools))
	for i, t := range tools {
		list[i] = t.Tool
	}
	return list
}
