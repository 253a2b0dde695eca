package view

import (
	"strings"

	"parley"
	"parley/api"
)

// Conversation shows the messages of a dm, oldest first. main is the thread that is not
// named; if it is empty, none is.
func (s Screen) Conversation(messages []api.Message, main string) string {
	palette := &Palette{}
	var parts []string
	for _, m := range messages {
		var where []string
		if main != "" && m.Thread != main {
			where = append(where, m.Thread)
		}
		parts = append(parts, s.heading(m, palette.Of(m.Author), where...)+s.body(m))
	}
	return strings.Join(parts, "\n")
}

// Inbox shows unseen messages, each request with the commands that answer it.
func (s Screen) Inbox(items []api.InboxItem, replies func(api.InboxItem) []string) string {
	palette := &Palette{}
	var parts []string
	for _, item := range items {
		var place []string
		if item.Channel != "" {
			place = append(place, item.Channel)
		}
		text := s.heading(item.Message, palette.Of(item.Author), place...) + s.body(item.Message)
		if item.Asks {
			for _, command := range replies(item) {
				text += s.Paint(Bold, "  "+s.Arrow()+" "+command) + "\n"
			}
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, "\n")
}

// heading says who wrote a message, its kind, its question and task, and when.
func (s Screen) heading(m api.Message, color Color, more ...string) string {
	parts := []string{"  " + kindText(m)}
	if m.Question != "" {
		parts = append(parts, m.Question)
	}
	if m.Task != "" {
		parts = append(parts, m.Task)
	}
	parts = append(parts, m.ID, s.Clock(m.At))
	aside := strings.Join(append(parts, more...), s.Dot())
	if s.Width > 0 {
		aside = s.fit(aside, max(1, s.Width-Columns(m.Author)))
	}
	return s.Paint(color, m.Author) + s.Paint(Dim, aside) + "\n"
}

func kindText(m api.Message) string {
	switch parley.MessageKind(m.Kind) {
	case parley.ResultMessage:
		return "result"
	case parley.FailureMessage:
		return "failed"
	case parley.UnansweredMessage:
		return "unanswered"
	}
	if m.Priority != "" && m.Priority != parley.Normal.String() {
		return m.Kind + " (" + m.Priority + ")"
	}
	return m.Kind
}

func (s Screen) body(m api.Message) string {
	text := ""
	if m.Context != "" {
		text = s.Indent("Context: "+m.Context, "  ") + "\n"
	}
	body := m.Body
	if m.Whole != "" {
		body = m.Whole
	}
	if body == "" {
		body = "(no text)"
	}
	return text + s.Indent(body, "  ")
}

// Record shows one message and how far it has come with each recipient.
func (s Screen) Record(m api.MessageRecord) string {
	var b strings.Builder
	b.WriteString(s.heading(m.Message, Bold, m.Thread))
	b.WriteString(s.body(m.Message))
	for _, d := range m.Deliveries {
		b.WriteString("\n" + s.delivery(d))
	}
	return b.String()
}

func (s Screen) delivery(d api.Delivery) string {
	t := table{elastic: 1, least: 10, rows: [][]cell{{{text: "To " + d.Recipient + ": " + d.State, color: Bold}}}}
	t.rows = append(t.rows, []cell{{text: "  accepted"}, {text: s.When(d.Accepted)}})
	if d.Delivered != nil {
		t.rows = append(t.rows, []cell{{text: "  delivered"}, {text: s.When(*d.Delivered)}})
	}
	if d.Seen != nil {
		t.rows = append(t.rows, []cell{{text: "  seen"}, {text: s.When(*d.Seen)}})
	}
	if d.Answered != nil {
		t.rows = append(t.rows, []cell{{text: "  answered"}, {text: s.When(*d.Answered)}})
	}
	if d.Unread {
		t.rows = append(t.rows, []cell{{text: "  unread since"}, {text: s.When(d.Accepted)}})
	}
	return t.text(s)
}
