package app

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"

	"parley"
	"parley/internal/channel"
	"parley/internal/schedule"
	"parley/internal/store"
	"parley/internal/tool"
	"parley/internal/wake"
	"parley/internal/workspace"
)

// Roster is a team that joins the hub.
type Roster struct {
	Team    string
	Members []Member
	// Home is the folder of these files. On a database that several hubs share, only
	// what this folder named before can be gone now.
	Home string
	// Person is who the command line acts as; empty if there is none.
	Person string
	// Partial says that some files could not be read. Members that are missing then
	// stay.
	Partial bool
	// Changes says what has changed about known members, by their folded name, for the
	// record. By is who wanted it; 0 if somebody edited the files.
	Changes map[string]string
	By      parley.AgentID
	// Channels are the group channels that the files name.
	Channels []Channel
	// Toolsets are further ones that only this team has, by name.
	Toolsets map[string][]tool.Tool
	// Workspace is what tells agents that work there what its owner wants; nil if there is
	// none.
	Workspace *workspace.Workspace
}

// Channel is a group channel as the team's files describe it.
type Channel struct {
	Name    string
	Topic   string
	Members []string // names, or * for all members of the roster
}

// Join adds a team to the hub. New members get a row. Those that are gone from the files
// are marked as removed, and their open tasks fail, since nobody is left to work on them.
func (h *Hub) Join(ctx context.Context, r Roster) (parley.Team, error) {
	h.joining.Lock() // servers that one team no longer uses must not be taken for another's
	defer h.joining.Unlock()
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
	for _, m := range r.Members {
		delete(known, parley.FoldName(m.Name))
	}
	h.agents.take(team.ID, stored, r, slices.Collect(maps.Values(known)))
	if e, err := h.Directory.Find(team.ID, r.Person); err == nil {
		h.Directory.SetPerson(team.ID, e.ID)
	}
	if err := h.Contacts.ReconsiderDay(ctx, team.ID); err != nil {
		return team, err
	}
	if err := h.Schedules.Sync(ctx, team.ID, scheduleFiles(team.ID, r, stored)); err != nil {
		return team, err
	}
	if err := h.Channels.Sync(ctx, team.ID, r.Home, channelSpecs(r, stored), r.Partial); err != nil || r.Partial {
		return team, err
	}
	return team, h.retire(ctx, r, known)
}

// channelSpecs finds the members of the channels in the roster. Reading the files has
// already warned about names that are not there.
func channelSpecs(r Roster, stored []parley.Agent) []channel.Spec {
	ids := map[string]parley.AgentID{}
	var all []parley.AgentID
	for i, m := range r.Members {
		ids[parley.FoldName(m.Name)] = stored[i].ID
		all = append(all, stored[i].ID)
	}
	specs := make([]channel.Spec, len(r.Channels))
	for i, c := range r.Channels {
		specs[i] = channel.Spec{Name: c.Name, Topic: c.Topic}
		for _, name := range c.Members {
			if name == channel.Everyone {
				specs[i].Members = append(specs[i].Members, all...)
			} else if id := ids[parley.FoldName(name)]; id != 0 {
				specs[i].Members = append(specs[i].Members, id)
			}
		}
	}
	return specs
}

func (h *Hub) known(ctx context.Context, team parley.TeamID) (map[string]parley.Agent, error) {
	known := map[string]parley.Agent{}
	err := h.Store.View(ctx, func(tx *store.Tx) error {
		clear(known)
		return tx.EachAgent(team, func(a parley.Agent) { known[parley.FoldName(a.Name)] = a })
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
				if old.ID == 0 && h.Store.Shared() { // another hub that is starting may have stored it
					var err error
					if old, err = tx.AgentByName(team.ID, m.Name); err != nil && !errors.Is(err, store.ErrNotFound) {
						return err
					}
				}
				stored[start+i] = r.save(tx, team, m, old)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return stored, nil
}

func (r Roster) save(tx *store.Tx, team parley.Team, m Member, old parley.Agent) parley.Agent {
	a := old
	a.Team, a.Name, a.Kind, a.Turns, a.Removed, a.Home = team.ID, m.Name, m.Kind, m.Limits.Turns, false, r.Home
	change := r.Changes[parley.FoldName(m.Name)]
	switch {
	case old.ID == 0:
		tx.InsertAgent(&a)
		change = "joined"
	case old.Removed:
		tx.UpdateAgent(a)
		change = "joined"
	case a != old:
		tx.UpdateAgent(a)
		change = cmp.Or(change, "changed")
	}
	if change != "" {
		tx.Record(parley.Event{Team: team.ID, Kind: parley.EventAgent, Actor: r.By, Target: a.ID, Detail: change})
	}
	return a
}

// Leave ends the work of a team: its agents are offline, its tokens are refused, and its
// open tasks fail. The record stays, and a team that joins again under the same name
// finds it.
func (h *Hub) Leave(ctx context.Context, name, home string) error {
	h.joining.Lock()
	defer h.joining.Unlock()
	var team parley.Team
	err := h.Store.View(ctx, func(tx *store.Tx) (err error) {
		team, err = tx.TeamByName(name)
		return err
	})
	if errors.Is(err, store.ErrNotFound) {
		return nil // it has never joined
	}
	if err != nil {
		return err
	}
	known, err := h.known(ctx, team.ID)
	if err != nil {
		return err
	}
	roster := Roster{Team: team.Name, Home: home}
	h.agents.take(team.ID, nil, roster, slices.Collect(maps.Values(known)))
	if err := h.Schedules.Sync(ctx, team.ID, schedule.Files{}); err != nil {
		return err
	}
	return h.retire(ctx, roster, known)
}

// retire marks the members that the files no longer name as removed.
func (h *Hub) retire(ctx context.Context, r Roster, gone map[string]parley.Agent) error {
	for _, a := range gone {
		if h.Store.Shared() && a.Home != r.Home {
			continue // another hub on this database has it
		}
		if err := h.unlink(ctx, r, a); err != nil {
			return err
		}
		if h.Store.Shared() && a.Kind == parley.Person {
			continue // another hub may have the same person at its command line
		}
		var open []parley.TaskID
		err := h.Store.Update(ctx, func(tx *store.Tx) (err error) {
			if open, err = tx.OpenOf(a.ID); err != nil {
				return err
			}
			tx.DeleteSchedules(a.Team, a.ID)
			if a.Removed {
				return nil // before; but a crash may have come between that and its tasks
			}
			removed := a
			removed.Removed = true
			tx.UpdateAgent(removed)
			tx.Signal(wake.Tokens, 0) // its tokens are of no use any more
			tx.Record(parley.Event{Team: a.Team, Kind: parley.EventAgent, Actor: r.By, Target: a.ID, Detail: "removed"})
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

// unlink removes the chat accounts of a person who is gone from the files, and codes that
// would link others: whoever comes later under the same name has none of them.
func (h *Hub) unlink(ctx context.Context, r Roster, gone parley.Agent) error {
	if gone.Kind != parley.Person {
		return nil
	}
	return h.Store.Update(ctx, func(tx *store.Tx) error {
		tx.RemoveChatCodes(gone.ID)
		list, err := tx.ChatAccountsOf(gone.ID)
		for _, a := range list {
			tx.RemoveChatAccount(a, gone.Name+" is no longer in the team")
			tx.Record(parley.Event{Team: gone.Team, Kind: parley.EventChatUnlinked, Actor: r.By, Target: gone.ID,
				Detail: a.Program + " account " + parley.Clip(a.Account, 64) + ": " + gone.Name + " is no longer in the team"})
		}
		return err
	})
}
