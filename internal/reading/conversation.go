package reading

import (
	"context"
	"errors"
	"slices"

	"parley"
	"parley/internal/access"
	"parley/internal/policy"
	"parley/internal/store"
)

// Message is a message with its deliveries.
type Message struct {
	parley.Message
	// Whole is the full text, if the body is only the beginning.
	Whole      string
	Deliveries []parley.Delivery
}

func (s *Service) Message(ctx context.Context, c access.Caller, id parley.MessageID) (m Message, err error) {
	err = s.store.View(ctx, func(tx *store.Tx) error {
		m = Message{}
		if m.Message, err = tx.Message(id); err != nil {
			return orMissing(err, false, id)
		}
		if m.Deliveries, err = tx.Deliveries(id); err != nil {
			return err
		}
		if !s.seesMessage(c, m.Message, m.Deliveries) {
			if member, err := s.inGroupOf(tx, c, m.Message); err != nil || !member {
				return orMissing(err, false, id)
			}
		}
		m.Whole, err = tx.Attachment(id)
		if errors.Is(err, store.ErrNotFound) {
			err = nil
		}
		return err
	})
	if err == nil && m.Author == c.Agent { // the caller may always read what was sent to it
		err = s.access.PermitOutside(ctx, c, policy.TaskOp, "status "+id.String())
	}
	if err != nil {
		return Message{}, err
	}
	return m, nil
}

// Conversation says which thread to read: the given one, that of a group channel, or
// the main thread of the dm of two participants, by name. An empty name is the
// caller.
type Conversation struct {
	Thread   parley.ThreadID
	Channel  string
	Of, With string
	// Before is the number of the message after the last one to read; 0 reads up to
	// the newest.
	Before int
	Limit  int
}

// Messages reads a piece of a conversation, oldest first. If two have not talked yet,
// theirs is empty.
func (s *Service) Messages(ctx context.Context, c access.Caller, r Conversation) (list []parley.Message, err error) {
	var in parley.Channel
	err = s.store.View(ctx, func(tx *store.Tx) error {
		t, err := s.thread(tx, c, r)
		if err != nil {
			return err
		}
		if t.ID != 0 {
			if in, err = tx.Channel(t.Channel); err != nil {
				return err
			}
		}
		list, err = back(tx, t, r)
		return err
	})
	if err == nil && in.Kind == parley.Group {
		err = s.access.PermitOutside(ctx, c, policy.ChannelOp, "read "+in.Place())
	}
	if err != nil {
		return nil, s.access.RecordDenied(ctx, c, "read a conversation", err)
	}
	slices.Reverse(list)
	return list, nil
}

// back reads backwards from the newest message, or from before a number. Messages are
// linked backwards, so the later ones have to be walked over.
func back(tx *store.Tx, t parley.Thread, r Conversation) ([]parley.Message, error) {
	upto := t.Count
	if r.Before > 0 {
		upto = min(upto, r.Before-1)
	}
	skip := t.Count - upto
	list, err := tx.Back(t.ID, t.Last, max(0, upto-r.Limit), skip+r.Limit)
	return list[min(skip, len(list)):], err
}

func (s *Service) thread(tx *store.Tx, c access.Caller, r Conversation) (parley.Thread, error) {
	if r.Channel != "" {
		ch, err := s.access.Group(tx, c, r.Channel)
		if err != nil {
			return parley.Thread{}, err
		}
		return tx.Thread(ch.Main)
	}
	if r.Thread == 0 {
		dm, err := s.dm(tx, c, r.Of, r.With)
		if err != nil || dm.ID == 0 {
			return parley.Thread{}, err
		}
		return tx.Thread(dm.Main)
	}
	t, err := tx.Thread(r.Thread)
	if err != nil {
		return t, orMissing(err, false, r.Thread)
	}
	ch, err := tx.Channel(t.Channel)
	if err != nil {
		return t, orMissing(err, false, r.Thread)
	}
	sees, err := s.seesChannel(tx, c, ch)
	return t, orMissing(err, sees, r.Thread)
}

// dm finds the channel of two participants; zero if they have not talked yet.
func (s *Service) dm(tx *store.Tx, c access.Caller, of, with string) (parley.Channel, error) {
	a, err := s.anyID(tx, c, of)
	if err != nil {
		return parley.Channel{}, err
	}
	b, err := s.anyID(tx, c, with)
	if err != nil {
		return parley.Channel{}, err
	}
	if a == b {
		return parley.Channel{}, parley.Errorf(parley.NotFound, "A conversation has two participants.").
			WithHint("Name the other one.")
	}
	if !s.seesAll(c) && a != c.Agent && b != c.Agent {
		return parley.Channel{}, parley.Errorf(parley.Denied, "This conversation is not yours.").WithRule("own_conversation")
	}
	dm, err := tx.DM(a, b)
	if errors.Is(err, store.ErrNotFound) {
		return parley.Channel{}, nil
	}
	return dm, err
}

func (s *Service) agentID(c access.Caller, name string) (parley.AgentID, error) {
	if name == "" {
		return c.Agent, nil
	}
	e, err := s.dir.Find(c.Team, name)
	return e.ID, err
}

// anyID is agentID for what stays when somebody has left the team: it also finds those.
func (s *Service) anyID(tx *store.Tx, c access.Caller, name string) (parley.AgentID, error) {
	id, unknown := s.agentID(c, name)
	if unknown == nil {
		return id, nil
	}
	a, err := tx.AgentByName(c.Team, name)
	if errors.Is(err, store.ErrNotFound) {
		err = unknown // it names the nearest ones
	}
	return a.ID, err
}

// Thread is a thread with the two who talk in it.
type Thread struct {
	parley.Thread
	Between [2]parley.AgentID
	Main    bool
}

// Threads lists the threads of the dm of two participants, the main one first.
func (s *Service) Threads(ctx context.Context, c access.Caller, of, with string) (list []Thread, err error) {
	err = s.store.View(ctx, func(tx *store.Tx) error {
		list = nil
		dm, err := s.dm(tx, c, of, with)
		if err != nil || dm.ID == 0 {
			return err
		}
		threads, err := tx.Threads(dm.ID)
		for _, t := range threads {
			list = append(list, Thread{Thread: t, Between: [2]parley.AgentID{dm.A, dm.B}, Main: t.ID == dm.Main})
			if at := len(list) - 1; list[at].Main { // it is not the oldest if it was begun anew
				list = slices.Insert(list[:at:at], 0, list[at])
			}
		}
		return err
	})
	return list, err
}
