package app

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"runtime"
	"slices"

	"parley"
	"parley/internal/channel"
	"parley/internal/schedule"
	"parley/internal/store"
	"parley/internal/wake"
)

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
	ids, gone, err := h.saveTeam(ctx, team, r)
	if err != nil {
		return team, err
	}
	if r.count() >= largeTeam {
		runtime.GC() // what storing has left behind makes room for what comes
	}
	h.agents.take(team.ID, ids, r, slices.Collect(maps.Values(gone)))
	if e, err := h.Directory.Find(team.ID, r.Person); err == nil {
		h.Directory.SetPerson(team.ID, e.ID)
	}
	if err := h.Contacts.ReconsiderDay(ctx, team.ID); err != nil {
		return team, err
	}
	if err := h.Schedules.Sync(ctx, team.ID, scheduleFiles(team.ID, r, ids)); err != nil {
		return team, err
	}
	if err := h.Channels.Sync(ctx, team.ID, r.Home, channelSpecs(r, ids), r.Partial); err != nil || r.Partial {
		return team, err
	}
	return team, h.retire(ctx, r, gone)
}

// channelSpecs finds the members of the channels in the roster. Reading the files has
// already warned about names that are not there.
func channelSpecs(r Roster, ids []parley.AgentID) []channel.Spec {
	if len(r.Channels) == 0 {
		return nil
	}
	numbers := r.numbers()
	specs := make([]channel.Spec, len(r.Channels))
	for i, c := range r.Channels {
		specs[i] = channel.Spec{Name: c.Name, Topic: c.Topic}
		for _, name := range c.Members {
			if name == channel.Everyone {
				specs[i].Members = append(specs[i].Members, ids...)
			} else if n, known := numbers[parley.FoldName(name)]; known {
				specs[i].Members = append(specs[i].Members, ids[n])
			}
		}
	}
	return specs
}

// saveTeam stores the members that are not as the database has them. It returns the ids of
// all, and those of whom the database knows and the roster does not, by folded name.
func (h *Hub) saveTeam(ctx context.Context, team parley.Team, r Roster) (ids []parley.AgentID, gone map[string]parley.Agent, err error) {
	numbers := r.numbers()
	ids = make([]parley.AgentID, r.count())
	known := map[string]parley.Agent{}
	err = h.Store.View(ctx, func(tx *store.Tx) error {
		clear(ids)
		clear(known)
		return tx.EachAgent(team.ID, func(a parley.Agent) {
			key := parley.FoldName(a.Name)
			if i, there := numbers[key]; there && r.Changes[key] == "" && r.now(team, r.seat(int(i)), a) == a {
				ids[i] = a.ID // of nearly all, nothing else is needed
				return
			}
			known[key] = a
		})
	})
	if err != nil {
		return nil, nil, err
	}
	if err := h.saveMembers(ctx, team, r, known, ids); err != nil {
		return nil, nil, err
	}
	maps.DeleteFunc(known, func(key string, _ parley.Agent) bool { _, there := numbers[key]; return there })
	return ids, known, nil
}

// membersAtOnce bounds the transactions in which a large team is stored.
const membersAtOnce = 1000

// saveMembers stores the members who have no id yet, and gives them one.
func (h *Hub) saveMembers(ctx context.Context, team parley.Team, r Roster, known map[string]parley.Agent, ids []parley.AgentID) error {
	for start := 0; start < len(ids); {
		var batch []int
		for ; start < len(ids) && len(batch) < membersAtOnce; start++ {
			if ids[start] == 0 {
				batch = append(batch, start)
			}
		}
		if batch == nil {
			return nil
		}
		err := h.Store.Update(ctx, func(tx *store.Tx) error {
			for _, i := range batch {
				s := r.seat(i)
				old := known[parley.FoldName(s.name)]
				if old.ID == 0 && h.Store.Shared() { // another hub that is starting may have stored it
					var err error
					if old, err = tx.AgentByName(team.ID, s.name); err != nil && !errors.Is(err, store.ErrNotFound) {
						return err
					}
				}
				ids[i] = r.save(tx, team, s, old)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// now is a stored agent as the roster has it.
func (r *Roster) now(team parley.Team, s seat, old parley.Agent) parley.Agent {
	old.Team, old.Name, old.Kind, old.Turns, old.Removed, old.Home = team.ID, s.name, s.kind, s.limits.Turns, false, r.Home
	return old
}

func (r *Roster) save(tx *store.Tx, team parley.Team, s seat, old parley.Agent) parley.AgentID {
	a := r.now(team, s, old)
	change := r.Changes[parley.FoldName(s.name)]
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
	return a.ID
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
	roster := Roster{Team: team.Name, Home: home}
	_, known, err := h.saveTeam(ctx, team, roster) // there is nobody to be saved
	if err != nil {
		return err
	}
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
