package reading

import (
	"context"
	"errors"

	"parley"
	"parley/internal/access"
	"parley/internal/store"
)

// Group is a group channel as the caller sees it.
type Group struct {
	parley.Channel
	Members []parley.AgentID // by name
	Count   int              // of messages
	// Member says whether the caller is a member, Unread how many messages it has not
	// read.
	Member bool
	Unread int
	Last   parley.Message // zero if there is none, or if it was removed
}

// Groups lists group channels by name: for a person all of the team's, for an agent
// its own.
func (s *Service) Groups(ctx context.Context, c access.Caller) (list []Group, err error) {
	err = s.store.View(ctx, func(tx *store.Tx) error {
		list = nil
		channels, err := tx.GroupsOf(c.Agent)
		if s.seesAll(c) {
			channels, err = tx.Groups(c.Team)
		}
		if err != nil {
			return err
		}
		for _, ch := range channels {
			g, err := describeGroup(tx, c, ch)
			if err != nil {
				return err
			}
			list = append(list, g)
		}
		return nil
	})
	return list, err
}

func (s *Service) Group(ctx context.Context, c access.Caller, name string) (g Group, err error) {
	err = s.store.View(ctx, func(tx *store.Tx) error {
		ch, err := s.access.Group(tx, c, name)
		if err != nil {
			return err
		}
		g, err = describeGroup(tx, c, ch)
		return err
	})
	return g, err
}

func describeGroup(tx *store.Tx, c access.Caller, ch parley.Channel) (Group, error) {
	g := Group{Channel: ch}
	thread, err := tx.Thread(ch.Main)
	if err != nil {
		return g, err
	}
	g.Count = thread.Count
	members, err := tx.Members(ch.ID)
	if err != nil {
		return g, err
	}
	for _, m := range members {
		g.Members = append(g.Members, m.Agent)
		if m.Agent == c.Agent {
			g.Member, g.Unread = true, thread.Count-m.Read
		}
	}
	if thread.Last != 0 {
		g.Last, err = tx.Message(thread.Last)
	}
	if errors.Is(err, store.ErrNotFound) { // removed by retention
		err = nil
	}
	return g, err
}

// ReadGroup records how far the caller was shown a channel.
func (s *Service) ReadGroup(ctx context.Context, c access.Caller, name string, upto int) error {
	return s.store.Update(ctx, func(tx *store.Tx) error {
		ch, err := s.access.Group(tx, c, name)
		if err != nil {
			return err
		}
		thread, err := tx.Thread(ch.Main)
		if err != nil {
			return err
		}
		tx.ReadGroup(ch.ID, c.Agent, min(upto, thread.Count))
		return nil
	})
}

// inGroupOf reports whether a message is in one of the caller's groups.
func (s *Service) inGroupOf(tx *store.Tx, c access.Caller, m parley.Message) (bool, error) {
	thread, err := tx.Thread(m.Thread)
	if err != nil {
		return false, err
	}
	ch, err := tx.Channel(thread.Channel)
	if errors.Is(err, store.ErrNotFound) || ch.Kind != parley.Group {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return s.seesChannel(tx, c, ch)
}
