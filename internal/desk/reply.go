package desk

import (
	"context"
	"errors"

	"parley"
	"parley/internal/access"
	"parley/internal/contact"
	"parley/internal/store"
)

// Reply answers a message that was handed out. If the message asks for a task of the
// caller, this ends the task; else it is a notification in the same conversation, or a
// post in the same channel. It returns what came of it, in words. Either way the message
// counts as seen.
func (s *Service) Reply(ctx context.Context, c access.Caller, id parley.MessageID, answer string) (string, error) {
	var to replied
	err := s.store.View(ctx, func(tx *store.Tx) (err error) {
		to, err = s.replied(tx, c, id)
		return err
	})
	if err != nil {
		return "", err
	}
	switch {
	case to.message.AsksForDecision():
		return "", parley.Errorf(parley.Invalid, "A request for approval is not answered with words.").
			WithHint("Approve or deny it, with its id and digest.")
	case to.task.ID != 0:
		return "Answered; " + to.task.ID.String() + " is completed.", s.Complete(ctx, c, to.task.ID, answer)
	case to.message.FromHub() || to.message.Author == c.Agent:
		return "", parley.Errorf(parley.Invalid, "There is nobody to answer: %s is from the hub.", id)
	}
	said, err := s.say(ctx, c, to, answer)
	if err != nil {
		return "", err
	}
	return said, s.Ack(ctx, c, []parley.MessageID{id})
}

// replied is a message that somebody answers.
type replied struct {
	message parley.Message
	author  string
	place   string // of a group
	thread  contact.ThreadChoice
	task    parley.Task // of the caller, that the message asks for
}

// replied finds the message, if it was for the caller. To others it does not exist.
func (s *Service) replied(tx *store.Tx, c access.Caller, id parley.MessageID) (r replied, err error) {
	missing := parley.Errorf(parley.NotFound, "%s is not a message to you.", id)
	if r.message, err = tx.Message(id); errors.Is(err, store.ErrNotFound) {
		return r, missing // in the same words, or they would tell that a message exists
	} else if err != nil {
		return r, err
	}
	to, err := tx.Deliveries(id)
	if err != nil {
		return r, err
	}
	mine := false
	for _, d := range to {
		mine = mine || d.Recipient == c.Agent
	}
	if !mine || r.message.Team != c.Team {
		return r, missing
	}
	if r.task, err = tx.AskedBy(r.message, c.Agent); err != nil {
		return r, err
	}
	if r.author, err = s.name(tx, r.message.Author); err != nil {
		return r, err
	}
	if r.place, err = place(tx, r.message); err != nil {
		return r, err
	}
	r.thread, err = threadOf(tx, c, r.message)
	return r, err
}

// threadOf is where the caller answers the author of a message: in the message's own
// thread, if that is one of the two. Results stand in the conversation of the task that
// they are for.
func threadOf(tx *store.Tx, c access.Caller, m parley.Message) (contact.ThreadChoice, error) {
	thread, err := tx.Thread(m.Thread)
	if err != nil {
		return contact.ThreadChoice{}, err
	}
	ch, err := tx.Channel(thread.Channel)
	if err != nil || ch.Kind != parley.DM || ch.Peer(c.Agent) != m.Author || ch.Peer(m.Author) != c.Agent {
		return contact.ThreadChoice{}, err
	}
	return contact.ThreadChoice{Reuse: true, ID: thread.ID}, nil
}

func (s *Service) say(ctx context.Context, c access.Caller, to replied, answer string) (string, error) {
	if to.place != "" {
		p, err := s.contacts.Post(ctx, c, contact.Post{Channel: to.place, Message: answer, Key: c.Key})
		if err != nil {
			return "", err
		}
		return p.Text(func(id parley.AgentID) string { e, _ := s.dir.Entry(id); return e.Name }), nil
	}
	n, err := s.contacts.Notify(ctx, c, contact.Request{Target: to.author, Message: answer, Thread: to.thread, Key: c.Key})
	return n.NotifiedText(), err
}
