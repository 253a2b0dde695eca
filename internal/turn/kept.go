package turn

import (
	"strings"

	"parley"
	"parley/internal/model"
)

// conversation is what the agent sees, the oldest first, without the reply whose
// calls run at this moment.
func (r *run) conversation() []parley.KeptMessage {
	request, _, from := r.whole(r.agent)
	n := len(request.Messages)
	for i := n - 1; i >= 0 && len(r.pending) > 0; i-- {
		if len(request.Messages[i].Calls) > 0 {
			n = i
			break
		}
	}
	return r.kept(request.Messages[:n], from[:n])
}

// kept are messages of a request as a keeper holds them.
func (t *transcript) kept(messages []model.Message, from []source) []parley.KeptMessage {
	list := make([]parley.KeptMessage, 0, len(messages))
	at := t.task.CreatedAt
	for i, m := range messages {
		if from[i].kind == theHub {
			continue
		}
		k := parley.KeptMessage{Role: string(m.Role), Author: t.task.Agent, Text: textOf(m), At: at}
		if src := from[i].stored; src != nil {
			at = src.At
			k.Author, k.Message, k.At, k.Private = src.Author, src.ID, at, src.Thread != t.task.Thread
			if src.Kind == parley.QuestionMessage && src.Author != t.task.Agent {
				k.Text = Text(src.Message, src.from) // not what was found for this reader alone
			}
		} else {
			k.Private = m.Role != model.Assistant || len(m.Calls) > 0 // a closing text was posted
		}
		if strings.TrimSpace(k.Text) != "" {
			list = append(list, k)
		}
	}
	return list
}

// textOf is a message in words, with the calls that it made.
func textOf(m model.Message) string {
	text := m.Text
	for _, c := range m.Calls {
		if text != "" {
			text += "\n"
		}
		text += c.Name + " " + string(c.Args)
	}
	return text
}
