package desk

import (
	"parley"
	"parley/internal/access"
	"parley/internal/store"
)

// Item is one thing that is handed out.
type Item struct {
	Message parley.Message
	// From is the author's name; empty for what the hub itself says.
	From string
	// Place is the channel, such as #standup; empty for a dm.
	Place string
	// Text is the message as an agent reads it, under its usual header.
	Text string
	// Task is the work that is asked of the caller; 0 if none.
	Task parley.TaskID
	// Asks says that somebody waits for the end of Task.
	Asks bool
	// Again says that it was handed out before.
	Again bool
}

func (s *Service) item(tx *store.Tx, c access.Caller, w store.Unseen) (item Item, err error) {
	m := w.Message
	item = Item{Message: m, Again: w.Delivered}
	if t := w.Task; t.State.Open() {
		item.Task = t.ID
		item.Asks = t.ID != 0 && t.Pattern != parley.Mention && t.Pattern != parley.AnswerPattern
	}
	if !m.FromHub() {
		if item.From, err = s.name(tx, m.Author); err != nil {
			return item, err
		}
	}
	if item.Place, err = place(tx, m); err != nil {
		return item, err
	}
	item.Text, err = text(tx, item)
	return item, err
}

// name is the name of a participant, even of one that is gone from the files.
func (s *Service) name(tx *store.Tx, id parley.AgentID) (string, error) {
	if e, ok := s.dir.Entry(id); ok {
		return e.Name, nil
	}
	a, err := tx.Agent(id)
	return a.Name, err
}

// place names the group channel of a message; empty for a dm.
func place(tx *store.Tx, m parley.Message) (string, error) {
	thread, err := tx.Thread(m.Thread)
	if err != nil {
		return "", err
	}
	ch, err := tx.Channel(thread.Channel)
	if err != nil || ch.Kind != parley.Group {
		return "", err
	}
	return ch.Place(), nil
}

// text is the message as an agent reads it that was not there when it was said.
func text(tx *store.Tx, i Item) (string, error) {
	m := i.Message
	switch {
	case m.Kind == parley.QuestionMessage && i.Task != 0:
		return parley.QuestionText(i.From, m.Question, m.Body, m.Context, ""), nil
	case m.Kind == parley.PostMessage, m.Kind == parley.ReplyMessage && i.Place != "":
		return parley.PostText(i.From, i.Place, m.Body), nil
	case m.Kind == parley.ReplyMessage && m.Task != 0:
		t, err := tx.Task(m.Task)
		if err != nil || t.Result != m.ID || t.State != parley.Completed {
			return parley.MessageText(i.From, m), err // its work goes on
		}
		return parley.ResultText(i.From, m.Task, m.Body), nil
	default:
		return parley.MessageText(i.From, m), nil
	}
}
