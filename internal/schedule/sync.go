package schedule

import (
	"container/heap"
	"context"
	"slices"
	"time"

	"parley"
	"parley/internal/contact"
	"parley/internal/store"
)

// Files is what the files of a team say.
type Files struct {
	Entries []contact.Scheduled
	// Agents are all whom the files name: what the store has of them and Entries has not is
	// gone.
	Agents []parley.AgentID
	// Quiet is how long tasks of an agent may be without progress before their requesters
	// are told. Agents without such a time are left out.
	Quiet map[parley.AgentID]time.Duration
}

// Sync takes over the files of a team. A new entry is due at its first time from now on. One
// that is due at other times than before begins anew, and one with another message or
// another owner keeps its next time. Due times that have passed while no hub ran are still
// stored, and come next.
func (s *Service) Sync(ctx context.Context, id parley.TeamID, f Files) error {
	stored, err := s.read(ctx, id)
	if err != nil {
		return err
	}
	for changes := s.compare(stored, f); len(changes) > 0; {
		n := min(len(changes), changesAtOnce)
		err := s.cfg.Store.Update(ctx, func(tx *store.Tx) error {
			for _, change := range changes[:n] {
				if err := change(tx); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		changes = changes[n:]
	}
	if len(f.Entries) > 0 {
		if stored, err = s.read(ctx, id); err != nil { // another hub may have been first
			return err
		}
	}
	s.take(id, stored, f)
	return nil
}

// changesAtOnce bounds the transactions in which the schedules of a large team are stored.
const changesAtOnce = 1000

func (s *Service) read(ctx context.Context, id parley.TeamID) (map[place]parley.Schedule, error) {
	stored := map[place]parley.Schedule{}
	err := s.cfg.Store.View(ctx, func(tx *store.Tx) error {
		clear(stored)
		list, err := tx.Schedules(id)
		for _, row := range list {
			stored[place{row.Agent, row.Entry}] = row
		}
		return err
	})
	return stored, err
}

// compare is what has to be stored, given what is.
func (s *Service) compare(stored map[place]parley.Schedule, f Files) (changes []func(*store.Tx) error) {
	wanted, named := map[place]bool{}, make(map[parley.AgentID]bool, len(f.Agents))
	for _, id := range f.Agents {
		named[id] = true
	}
	for _, e := range f.Entries {
		at := place{e.Agent, e.Entry}
		wanted[at] = true
		row, known := stored[at]
		switch {
		case !known:
			changes = append(changes, func(tx *store.Tx) error {
				tx.InsertSchedule(parley.Schedule{Team: e.Team, Agent: e.Agent, Entry: e.Entry, Timing: e.Timing.String(), Next: first(tx, e)})
				return nil
			})
		case row.Timing != e.Timing.String():
			changes = append(changes, func(tx *store.Tx) error { return retime(tx, e) })
		}
	}
	for at, row := range stored {
		if !wanted[at] && named[at.agent] {
			changes = append(changes, func(tx *store.Tx) error { tx.DeleteSchedule(row.Team, at.agent, at.entry); return nil })
		}
	}
	return changes
}

// retime has an entry begin anew with the times that the file says now.
func retime(tx *store.Tx, e contact.Scheduled) error {
	row, err := tx.LockSchedule(e.Team, e.Agent, e.Entry)
	if err != nil || row.Timing == e.Timing.String() { // another hub was first
		return err
	}
	row.Timing, row.Next = e.Timing.String(), first(tx, e)
	tx.UpdateSchedule(row)
	return nil
}

func first(tx *store.Tx, e contact.Scheduled) parley.Micros {
	return parley.Micros(e.Timing.First(tx.Now.Time()).UnixMicro())
}

// take replaces what is known of a team.
func (s *Service) take(id parley.TeamID, stored map[place]parley.Schedule, f Files) {
	now := team{entries: map[place]*item{}, quiet: f.Quiet}
	s.mu.Lock()
	for _, old := range s.teams[id].entries {
		old.dropped = true
		delete(s.awaited, old.task)
	}
	s.queue = slices.DeleteFunc(s.queue, func(i *item) bool { return i.dropped })
	for _, e := range f.Entries {
		at := place{e.Agent, e.Entry}
		i := &item{Scheduled: e, at: stored[at].Next.Time()}
		now.entries[at] = i
		s.queue = append(s.queue, i)
	}
	heap.Init(&s.queue)
	s.teams[id] = now
	s.mu.Unlock()
	poke(s.alarm)
	poke(s.watch)
}
