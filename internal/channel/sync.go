package channel

import (
	"context"
	"slices"

	"parley"
	"parley/internal/store"
)

// Spec is a channel as the team's files describe it.
type Spec struct {
	Name    string
	Topic   string
	Members []parley.AgentID
}

// Sync makes the channels of a team match its files. Channels and members that
// people added while a hub ran stay, and so do those of another hub's files on the
// same database. With partial nothing is removed, because some files could not be
// read.
func (s *Service) Sync(ctx context.Context, team parley.TeamID, home string, specs []Spec, partial bool) error {
	if len(specs) == 0 && home == "" {
		return nil
	}
	return s.store.Update(ctx, func(tx *store.Tx) error {
		for _, spec := range specs {
			if err := syncOne(tx, team, home, spec, partial); err != nil {
				return err
			}
		}
		if partial {
			return nil
		}
		return removeUnnamed(tx, team, home, specs)
	})
}

func syncOne(tx *store.Tx, team parley.TeamID, home string, spec Spec, partial bool) error {
	ch := parley.Channel{Team: team, Name: spec.Name, Topic: spec.Topic, Home: home}
	made, err := tx.InsertGroup(&ch)
	if err != nil {
		return err
	}
	if made {
		record(tx, ch, 0, 0, "created")
		join(tx, ch, slices.Clone(spec.Members), 0, home)
		return nil
	}
	if named := ch; named.Name != spec.Name || named.Topic != spec.Topic || named.Home != home {
		ch.Name, ch.Topic, ch.Home = spec.Name, spec.Topic, home
		tx.UpdateGroup(ch)
		record(tx, ch, 0, 0, "changed")
	}
	if err := joinMissing(tx, ch, spec.Members, 0, home); err != nil || partial {
		return err
	}
	return leaveUnnamed(tx, ch, home, spec.Members)
}

// leaveUnnamed ends the memberships that the same files defined before but not any
// more.
func leaveUnnamed(tx *store.Tx, ch parley.Channel, home string, named []parley.AgentID) error {
	members, err := tx.Members(ch.ID)
	if err != nil {
		return err
	}
	for _, m := range members {
		if m.Home == home && home != "" && !slices.Contains(named, m.Agent) {
			leave(tx, ch, m.Agent, 0)
		}
	}
	return nil
}

func removeUnnamed(tx *store.Tx, team parley.TeamID, home string, specs []Spec) error {
	all, err := tx.Groups(team)
	if err != nil {
		return err
	}
	for _, ch := range all {
		named := slices.ContainsFunc(specs, func(s Spec) bool { return parley.FoldName(s.Name) == parley.FoldName(ch.Name) })
		if ch.Home == home && home != "" && !named {
			remove(tx, ch, 0)
		}
	}
	return nil
}
