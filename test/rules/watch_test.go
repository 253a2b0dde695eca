package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/internal/model"
)

// watch looks at the models: exactly those think whose task runs, and each
// reads exactly what was said.
func (m *machine) watch() {
	if m.life == nil || m.world.cut {
		return
	}
	var got, want []parley.TaskID
	for _, th := range m.minds.of(m.life) {
		got = append(got, th.task)
	}
	for _, t := range m.world.tasks {
		if t.thinking() {
			want = append(want, t.id)
		}
	}
	if !slices.Equal(got, want) {
		m.Fatalf("the models think about %v; want %v", got, want)
	}
	for _, th := range m.minds.of(m.life) {
		if th.checked {
			continue
		}
		th.checked = true
		if err := m.world.checkRequest(m.world.task(th.task), th.request); err != nil {
			m.Fatalf("what %s reads: %v", th.agent, err)
		}
	}
}

// shows marks what a request to a model contained.
func (w *world) shows(th *thought) {
	texts := map[string]bool{}
	unread := ""
	for _, m := range th.request.Messages {
		texts[m.Text] = true
		if strings.HasPrefix(m.Text, "[Unread | ") {
			unread += m.Text + "\n\n"
		}
	}
	t := w.task(th.task)
	for _, conversation := range w.dms {
		for _, m := range conversation.messages {
			if m.to.name == th.agent && conversation != t.in && strings.Contains(unread, "\n\n"+mailText(m)+"\n\n") {
				m.shown = true // what a turn with mail begins with is stored before its model is asked
				continue
			}
			if m.to.name != th.agent || !slices.ContainsFunc(readAs(m), func(text string) bool { return texts[text] }) {
				continue
			}
			own := m.goesTo()
			switch {
			case own != nil && (own != t || m.kind == parley.ReplyMessage), !t.thinking():
				m.glimpsed = true // also by a turn that ended at once
			case t.start != nil:
				m.showing = append(m.showing, t.start)
			case t.begun == w.stage && t.turn.replies == 0:
				m.shown = true // what the turn began with was stored with its mail
			case !m.shown: // between two steps: seen with the one that is stored next
				if t.sight == nil {
					t.sight = &start{}
				}
				m.showing = append(m.showing, t.sight)
			}
		}
	}
}

// mailText is how a message is read as mail.
func mailText(m *message) string {
	switch m.kind {
	case parley.NotificationMessage:
		return notificationText(m)
	case parley.ReplyMessage:
		return endText(m.author.name, parley.ResultMessage, m.task.id, m.body)
	case parley.AskMessage, parley.DelegateMessage:
		return requestText(m.task) // which is never mail
	}
	return callbackText(m)
}

// checkMail: a turn that begins shows everything that was said to its agent before and
// starts no turn, wherever it was said. If several begin at once, one of them does.
func (w *world) checkMail() error {
	for _, t := range w.tasks {
		if w.cut || t.begun != w.stage || !t.thinking() {
			continue
		}
		all, left := 0, 0
		for _, conversation := range w.dms {
			for _, m := range conversation.messages {
				if m.to != t.agent || m.kind != parley.NotificationMessage || m.stage == w.stage {
					continue
				}
				all++
				if !m.shown && !m.excused && !m.glimpsed && len(m.showing) == 0 {
					left++
				}
			}
		}
		if left > 0 && all <= mostMail {
			return fmt.Errorf("%s begins a turn on %s and does not read %d notifications", t.agent.name, t.id, left)
		}
	}
	return nil
}

// mostMail is how many messages a turn begins with.
const mostMail = 20

// goesTo is the task whose own turns will read the message, whoever else gets a
// glimpse of it before: the one it asks for, or the one whose callback it is.
func (m *message) goesTo() *task {
	switch m.kind {
	case parley.AskMessage, parley.DelegateMessage:
		return m.task
	case parley.ResultMessage, parley.FailureMessage:
		if p := m.task.parent; p != nil && slices.Contains(p.inbox, m) {
			return p
		}
	case parley.ReplyMessage:
		return m.task.parent // as the result of a call, or with the callback
	}
	return nil
}

// readAs is how a message can be read by its recipient.
func readAs(m *message) []string {
	switch m.kind {
	case parley.AskMessage, parley.DelegateMessage:
		return []string{requestText(m.task)}
	case parley.NotificationMessage:
		return []string{notificationText(m)}
	case parley.ReplyMessage:
		return []string{m.author.name + ": " + m.body}
	}
	return []string{callbackText(m)}
}

// checkRequest compares what the model reads of its task: the request, once,
// and after it everything that was said and came back, in order. Messages from
// outside the task may stand in between.
func (w *world) checkRequest(t *task, r model.Request) error {
	if t.agent.name != r.Agent {
		return fmt.Errorf("%s is %s's", t.id, t.agent.name)
	}
	at := -1
	for i, m := range r.Messages {
		if m.Role == model.User && m.Text == requestText(t) {
			if at >= 0 {
				return fmt.Errorf("the request of %s is there twice", t.id)
			}
			at = i
		}
	}
	if at < 0 {
		return fmt.Errorf("the request of %s is missing: %v", t.id, r.Messages)
	}
	callbacks := map[string]bool{}
	for _, m := range t.inbox {
		callbacks[callbackText(m)] = true
	}
	var got []string
	for _, m := range r.Messages[at+1:] {
		if m.Role != model.User || callbacks[m.Text] {
			got = append(got, string(m.Role)+": "+m.Text+calls(m))
		}
	}
	var want []string
	for i, l := range t.said {
		text := l.role + ": " + l.text
		if l.loose && i < len(got) && strings.HasPrefix(got[i], text) {
			text = got[i]
		}
		want = append(want, text)
	}
	if !slices.Equal(want, got) {
		return fmt.Errorf("%s (-want +read):\n%s", t.id, cmp.Diff(want, got))
	}
	return nil
}

func calls(m model.Message) (s string) {
	for _, c := range m.Calls {
		s += " " + c.ID
	}
	return s
}
