package access

import (
	"errors"

	"parley"
	"parley/internal/store"
)

// Membership finds a group channel for a caller, and whether it is a member. To an
// agent that is not a member the channel does not exist; a person reads and writes in
// all of the team's.
func (a *Control) Membership(tx *store.Tx, c Caller, name string) (ch parley.Channel, member bool, err error) {
	person := a.IsPerson(c.Agent)
	ch, err = tx.Group(c.Team, name)
	if err == nil {
		member, err = tx.IsMember(ch.ID, c.Agent)
	}
	switch {
	case err == nil && (member || person):
		return ch, member, nil
	case err != nil && !errors.Is(err, store.ErrNotFound):
		return ch, false, err
	}
	list, err := tx.GroupsOf(c.Agent)
	if person {
		list, err = tx.Groups(c.Team)
	}
	if err != nil {
		return ch, false, err
	}
	var names []string
	for _, g := range list {
		names = append(names, g.Name)
	}
	return parley.Channel{}, false, parley.ErrNoChannel(name, parley.Nearest(name, names, 3))
}

// Group finds a group channel that the caller may read.
func (a *Control) Group(tx *store.Tx, c Caller, name string) (parley.Channel, error) {
	ch, _, err := a.Membership(tx, c, parley.BareChannel(name))
	return ch, err
}
