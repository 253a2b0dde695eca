package contact

import (
	"context"
	"time"

	"parley"
	"parley/internal/access"
	"parley/internal/policy"
	"parley/internal/store"
	"parley/internal/wake"
)

// wakeAgent ends a sleep: what was put off until its end is due now.
func wakeAgent(tx *store.Tx, a parley.Agent, by parley.AgentID) error {
	delayed, err := tx.DelayedTasks(a.ID)
	if err != nil {
		return err
	}
	tx.SetSleep(a.ID, 0)
	for _, t := range delayed {
		if t.Waits != parley.WaitRate { // that is not the agent's to shorten
			t.Due = 0
			tx.UpdateTask(&t)
		}
	}
	recordStatus(tx, a, by, "awake")
	return nil
}

func recordStatus(tx *store.Tx, a parley.Agent, by parley.AgentID, detail string) {
	tx.Record(parley.Event{Team: a.Team, Kind: parley.EventStatus, Actor: by, Target: a.ID, Detail: detail})
}

// Wake ends an agent's sleep.
func (s *Service) Wake(ctx context.Context, c access.Caller, name string) error {
	return s.changeStatus(ctx, c, name, "wake", func(tx *store.Tx, a parley.Agent) error {
		if a.SleepingUntil == 0 {
			return nil
		}
		return wakeAgent(tx, a, c.Agent)
	})
}

// Sleep puts an agent to sleep: delegations wait until the given time, an ask
// wakes it.
func (s *Service) Sleep(ctx context.Context, c access.Caller, name string, until time.Time) error {
	return s.changeStatus(ctx, c, name, "sleep", func(tx *store.Tx, a parley.Agent) error {
		at := parley.Micros(until.UnixMicro())
		if at <= tx.Now {
			return s.sleepOver(tx, a, c, until)
		}
		if at > tx.Now.Add(longestSleep) {
			return parley.Errorf(parley.Conflict, "%s is more than ten years ahead.", until.UTC().Format(time.RFC3339)).
				WithHint("Choose an earlier time, or take %s offline until it is needed.", a.Name)
		}
		queued, err := tx.QueuedOf(a.ID)
		if err != nil {
			return err
		}
		tasks, err := tx.LockTasks(queued...)
		if err != nil {
			return err
		}
		tx.SetSleep(a.ID, at)
		for _, t := range tasks {
			if t.State == parley.Queued && t.Pattern != parley.Ask && (t.Waits != parley.WaitRate || t.Due < at) {
				if t.Due = at; t.Waits == parley.WaitRate {
					t.Waits = parley.WaitNone
				}
				tx.UpdateTask(&t)
			}
		}
		recordStatus(tx, a, c.Agent, "sleeping until "+until.UTC().Format(time.RFC3339))
		return nil
	})
}

// longestSleep bounds a sleep: a later end is a mistake.
const longestSleep = 10 * 366 * 24 * time.Hour

// recently is how long ago a sleep may have been meant to end. Who says "until now"
// says it a moment before it is heard, and may look at another clock.
const recently = time.Minute

// sleepOver is a sleep that is over as it begins: the agent is awake. A time that has
// long passed is a mistake. The hub's own time may be ahead of the clock that the
// caller looks at, if that was set back.
func (s *Service) sleepOver(tx *store.Tx, a parley.Agent, c access.Caller, until time.Time) error {
	present := tx.Now.Time().Add(-s.store.Behind())
	if present.Sub(until) > recently {
		return parley.Errorf(parley.Conflict, "%s is not in the future.", until.Format(time.RFC3339))
	}
	if a.SleepingUntil == 0 {
		return nil
	}
	return wakeAgent(tx, a, c.Agent)
}

// Online makes an agent available again; what was queued goes on.
func (s *Service) Online(ctx context.Context, c access.Caller, name string) error {
	return s.changeStatus(ctx, c, name, "online", func(tx *store.Tx, a parley.Agent) error {
		if a.Removed {
			return parley.Errorf(parley.Conflict, "%s is no longer in the team's files.", a.Name)
		}
		tx.SetOffline(a.ID, false)
		tx.Signal(wake.Work, int64(a.ID))
		recordStatus(tx, a, c.Agent, "online")
		return nil
	})
}

// Offline takes an agent out of reach. Whoever waits for its answer is told;
// queued work stays queued.
func (s *Service) Offline(ctx context.Context, c access.Caller, name string) error {
	return s.changeStatus(ctx, c, name, "offline", func(tx *store.Tx, a parley.Agent) error {
		open, err := tx.OpenAsks(a.ID)
		if err != nil {
			return err
		}
		tx.SetOffline(a.ID, true)
		recordStatus(tx, a, c.Agent, "offline")
		for _, t := range open {
			if err := s.failOpen(tx, t.Parent, t.ID, a.Name+" went offline."); err != nil {
				return err
			}
		}
		return nil
	})
}

func (s *Service) changeStatus(ctx context.Context, c access.Caller, name, how string, change func(*store.Tx, parley.Agent) error) error {
	e, err := s.dir.Find(c.Team, name)
	if err != nil {
		return err
	}
	if !s.access.IsPerson(c.Agent) && c.Agent != e.ID {
		err := parley.Errorf(parley.Denied, "Only a person or %s itself may do this.", e.Name).WithRule(access.RulePeopleOnly)
		return s.access.RecordDenied(ctx, c, "status of "+e.Name, err)
	}
	if err := s.access.PermitOutside(ctx, c, policy.SelfOp, how); err != nil {
		return err
	}
	return s.store.Update(ctx, func(tx *store.Tx) error {
		if err := c.LockLease(tx); err != nil {
			return err
		}
		a, err := tx.LockAgent(e.ID)
		if err != nil {
			return err
		}
		return change(tx, a)
	})
}
