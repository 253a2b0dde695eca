package app

import (
	"context"
	"errors"

	"parley"
	"parley/internal/store"
)

// Roster is a team as the hub takes it in.
type Roster struct {
	Team    string
	Members []Member
	// Home is the folder of these files. On a database that several hubs share,
	// only what it named before and names no longer is gone.
	Home string
	// Person is whom the command line acts as; empty if there is none.
	Person string
	// Partial says that some files could not be read: members that are missing
	// are then left as they are.
	Partial bool
}

// Join takes a team in: members that are new get a row, those that are gone
// from the files are marked so, and their open tasks fail: nobody is left to
// work on them.
func (h *Hub) Join(ctx context.Context, r Roster) (parley.Team, error) {
	var team parley.Team
	err := h.Store.Update(ctx, func(tx *store.Tx) (err error) {
		team, err = tx.TeamByName(r.Team)
		if errors.Is(err, store.ErrNotFound) {
			team = parley.Team{Name: r.Team}
			tx.InsertTeam(&team)
			return nil
		}
		return err
	})
	if err != nil {
		return team, err
	}
	known, err := h.known(ctx, team.ID)
	if err != nil {
		return team, err
	}
	stored, err := h.saveMembers(ctx, team, r, known)
	if err != nil {
		return team, err
	}
	manages := managers(r.Members)
	shared := map[parley.Limits]*parley.Limits{}
	for i, m := range r.Members {
		limits := shared[m.Limits]
		if limits == nil {
			limits = &m.Limits
			shared[m.Limits] = limits
		}
		if manages[parley.FoldName(m.Name)] {
			m = withManaging(m)
		}
		h.agents.put(stored[i], m, limits)
		delete(known, parley.FoldName(m.Name))
	}
	for _, a := range known {
		h.Directory.Retire(a)
	}
	if e, err := h.Directory.Find(team.ID, r.Person); err == nil {
		h.Directory.SetPerson(team.ID, e.ID)
	}
	if r.Partial {
		return team, nil
	}
	return team, h.retire(ctx, r.Home, known)
}

func (h *Hub) known(ctx context.Context, team parley.TeamID) (map[string]parley.Agent, error) {
	known := map[string]parley.Agent{}
	err := h.Store.View(ctx, func(tx *store.Tx) error {
		list, err := tx.Agents(team)
		for _, a := range list {
			known[parley.FoldName(a.Name)] = a
		}
		return err
	})
	return known, err
}

// membersAtOnce bounds the transactions in which a large team is stored.
const membersAtOnce = 1000

func (h *Hub) saveMembers(ctx context.Context, team parley.Team, r Roster, known map[string]parley.Agent) ([]parley.Agent, error) {
	members := r.Members
	stored := make([]parley.Agent, len(members))
	for start := 0; start < len(members); start += membersAtOnce {
		end := min(start+membersAtOnce, len(members))
		err := h.Store.Update(ctx, func(tx *store.Tx) error {
			for i, m := range members[start:end] {
				old := known[parley.FoldName(m.Name)]
				if old.ID == 0 { // another hub that starts now may have stored it
					var err error
					if old, err = tx.AgentByName(team.ID, m.Name); err != nil && !errors.Is(err, store.ErrNotFound) {
						return err
					}
				}
				stored[start+i] = saveMember(tx, team, m, r.Home, old)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return stored, nil
}

func saveMember(tx *store.Tx, team parley.Team, m Member, home string, old parley.Agent) parley.Agent {
	a := old
	a.Team, a.Name, a.Kind, a.Turns, a.Removed, a.Home = team.ID, m.Name, m.Kind, m.Limits.Turns, false, home
	switch {
	case old.ID == 0:
		tx.InsertAgent(&a)
		tx.Record(parley.Event{Team: team.ID, Kind: parley.EventAgent, Target: a.ID, Detail: "joined"})
	case a != old:
		tx.UpdateAgent(a)
		tx.Record(parley.Event{Team: team.ID, Kind: parley.EventAgent, Target: a.ID, Detail: "changed"})
	}
	return a
}

// retire marks those that the files no longer name.
func (h *Hub) retire(ctx context.Context, home string, gone map[string]parley.Agent) error {
	for _, a := range gone {
		if h.Store.Shared() && (a.Kind == parley.Person || a.Home != home) {
			continue // another hub on this database has it, or another person at its command line
		}
		var open []parley.TaskID
		err := h.Store.Update(ctx, func(tx *store.Tx) (err error) {
			if open, err = tx.OpenOf(a.ID); err != nil {
				return err
			}
			if a.Removed {
				return nil // before; but a crash may have come between that and its tasks
			}
			removed := a
			removed.Removed = true
			tx.UpdateAgent(removed)
			tx.Record(parley.Event{Team: a.Team, Kind: parley.EventAgent, Target: a.ID, Detail: "removed"})
			return nil
		})
		if err != nil {
			return err
		}
		for _, id := range open {
			if err := h.Contacts.Fail(ctx, id, a.Name+" is no longer in the team."); err != nil {
				return err
			}
		}
	}
	return nil
}
