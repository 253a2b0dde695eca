// Package channel manages the group channels of a team and their members. The
// team's files define some, and people make others while the hub runs. Agents
// cannot change channels, so there is no tool for it. Package contact handles the
// messages in channels.
package channel

import (
	"context"
	"errors"
	"strings"

	"parley"
	"parley/internal/access"
	"parley/internal/directory"
	"parley/internal/store"
)

// Service is the use cases of this package. It is safe for concurrent use.
type Service struct {
	store  store.Store
	dir    *directory.Directory
	access *access.Control
}

func New(s store.Store, dir *directory.Directory, control *access.Control) *Service {
	return &Service{store: s, dir: dir, access: control}
}

// Everyone stands for all participants of the team in a list of members.
const Everyone = "*"

const maxTopic = 500

// Add makes a channel. The caller becomes a member.
func (s *Service) Add(ctx context.Context, c access.Caller, name, topic string, members []string) (parley.Channel, error) {
	ch := parley.Channel{Team: c.Team, Name: parley.BareChannel(name), Topic: strings.TrimSpace(topic)}
	if err := s.mayChange(ctx, c, name); err != nil {
		return ch, err
	}
	if err := parley.CheckChannelName(ch.Name); err != nil {
		return ch, err
	}
	if n := len([]rune(topic)); n > maxTopic {
		return ch, parley.Errorf(parley.Invalid, "A topic has at most %d characters; this one has %d.", maxTopic, n)
	}
	ids, err := s.find(c, members)
	if err != nil {
		return ch, err
	}
	err = s.store.Update(ctx, func(tx *store.Tx) error {
		if _, repeated, err := c.Repeated(tx, "make #%s %q %v", ch.Name, ch.Topic, ids); repeated || err != nil {
			return err
		}
		made, err := tx.InsertGroup(&ch)
		if err != nil {
			return err
		}
		if !made {
			return parley.Errorf(parley.Conflict, "There is already a channel #%s.", ch.Name).WithHint("Choose another name, or invite others to it.")
		}
		record(tx, ch, c.Agent, 0, "created")
		join(tx, ch, append([]parley.AgentID{c.Agent}, ids...), c.Agent, "")
		return nil
	})
	return ch, err
}

// Invite makes participants members of a channel. Inviting a member again changes
// nothing.
func (s *Service) Invite(ctx context.Context, c access.Caller, name string, agents []string) (parley.Channel, error) {
	return s.change(ctx, c, "invite to", name, agents, func(tx *store.Tx, ch parley.Channel, ids []parley.AgentID) error {
		return joinMissing(tx, ch, ids, c.Agent, "")
	})
}

// Remove ends memberships. Work that was started in the channel goes on.
func (s *Service) Remove(ctx context.Context, c access.Caller, name string, agents []string) (parley.Channel, error) {
	return s.change(ctx, c, "remove from", name, agents, func(tx *store.Tx, ch parley.Channel, ids []parley.AgentID) error {
		for _, id := range ids {
			member, err := tx.IsMember(ch.ID, id)
			if err != nil {
				return err
			}
			if !member {
				e, _ := s.dir.Entry(id)
				return parley.Errorf(parley.NotFound, "%s is not a member of %s.", e.Name, ch.Place())
			}
		}
		for _, id := range ids {
			leave(tx, ch, id, c.Agent)
		}
		return nil
	})
}

// Delete removes a channel and its memberships, so that its name can be used again.
// What was said in it stays on record.
func (s *Service) Delete(ctx context.Context, c access.Caller, name string) error {
	_, err := s.change(ctx, c, "delete", name, nil, func(tx *store.Tx, ch parley.Channel, _ []parley.AgentID) error {
		remove(tx, ch, c.Agent)
		return nil
	})
	return err
}

// change locks a channel and changes it, unless the request repeats one under its
// key.
func (s *Service) change(ctx context.Context, c access.Caller, verb, name string, agents []string,
	do func(*store.Tx, parley.Channel, []parley.AgentID) error) (ch parley.Channel, err error) {
	if err := s.mayChange(ctx, c, name); err != nil {
		return ch, err
	}
	ids, err := s.find(c, agents)
	if err != nil {
		return ch, err
	}
	err = s.store.Update(ctx, func(tx *store.Tx) error {
		if _, repeated, err := c.Repeated(tx, "%s #%s: %v", verb, parley.BareChannel(name), ids); repeated || err != nil {
			return err
		}
		if ch, err = tx.LockGroup(c.Team, parley.BareChannel(name)); errors.Is(err, store.ErrNotFound) {
			return s.unknown(tx, c, name)
		}
		if err != nil {
			return err
		}
		return do(tx, ch, ids)
	})
	return ch, err
}

func (s *Service) unknown(tx *store.Tx, c access.Caller, name string) error {
	list, err := tx.Groups(c.Team)
	if err != nil {
		return err
	}
	names := make([]string, len(list))
	for i, g := range list {
		names[i] = g.Name
	}
	return parley.ErrNoChannel(name, parley.Nearest(parley.BareChannel(name), names, 3))
}

// mayChange lets only people change channels. An agent must not be able to give
// itself or others access to what was said.
func (s *Service) mayChange(ctx context.Context, c access.Caller, name string) error {
	return s.access.PeopleOnly(ctx, c, "change channels", "change #"+parley.BareChannel(name))
}

// find looks up names. Everyone stands for the whole team.
func (s *Service) find(c access.Caller, names []string) (ids []parley.AgentID, err error) {
	for _, name := range names {
		if name == Everyone {
			ids = append(ids, s.dir.Everyone(c.Team)...)
			continue
		}
		e, err := s.dir.Find(c.Team, name)
		if err != nil {
			return nil, err
		}
		ids = append(ids, e.ID)
	}
	return ids, nil
}
