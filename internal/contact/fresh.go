package contact

import (
	"context"
	"fmt"

	"parley"
	"parley/internal/access"
	"parley/internal/policy"
	"parley/internal/store"
)

// Fresh begins a new main thread between two participants, and returns it with the
// one before. What was said stays readable there, and work that is under way keeps its
// thread; whatever is said from now on begins without it. with is the caller if empty.
func (s *Service) Fresh(ctx context.Context, c access.Caller, name, with string) (now, before parley.ThreadID, err error) {
	e, err := s.dir.Find(c.Team, name)
	if err != nil {
		return 0, 0, err
	}
	partner := c.Agent
	if with != "" {
		w, err := s.dir.Find(c.Team, with)
		if err != nil {
			return 0, 0, err
		}
		partner = w.ID
	}
	if err := s.mayBeginFresh(ctx, c, e.ID, partner, e.Name); err != nil {
		return 0, 0, err
	}
	err = s.store.Update(ctx, func(tx *store.Tx) error {
		if err := c.LockLease(tx); err != nil {
			return err
		}
		now, before, err = freshThread(tx, c, e.ID, partner)
		return err
	})
	return now, before, err
}

// mayBeginFresh lets people do it for any pair, and others for their own conversations.
func (s *Service) mayBeginFresh(ctx context.Context, c access.Caller, agent, partner parley.AgentID, name string) error {
	if agent == partner {
		return parley.Errorf(parley.Invalid, "%s has no conversation with itself.", name).WithHint("Name somebody else with --with.")
	}
	if !s.access.IsPerson(c.Agent) && c.Agent != agent && c.Agent != partner {
		err := parley.Errorf(parley.Denied, "Only a person or one of the two may begin a new thread.").WithRule(access.RulePeopleOnly)
		return s.access.RecordDenied(ctx, c, "new thread of "+name, err)
	}
	return s.access.PermitOutside(ctx, c, policy.SelfOp, "fresh")
}

// freshThread makes the thread, unless nothing was said in the present one. Of two
// callers at once the second finds the thread of the first.
func freshThread(tx *store.Tx, c access.Caller, x, y parley.AgentID) (now, before parley.ThreadID, err error) {
	dm, err := tx.EnsureDM(c.Team, x, y)
	if err != nil {
		return 0, 0, err
	}
	main, err := tx.LockThread(dm.Main)
	if err != nil || main.Count == 0 {
		return dm.Main, dm.Main, err
	}
	if latest, err := tx.DM(x, y); err != nil || latest.Main != dm.Main {
		return latest.Main, dm.Main, err
	}
	made := tx.InsertThread(dm)
	tx.SetMain(dm.ID, made.ID)
	tx.Record(parley.Event{Team: c.Team, Kind: parley.EventChannel, Actor: c.Agent, Target: x,
		Detail: fmt.Sprintf("%s is the main thread now; before it was %s", made.ID, dm.Main)})
	return made.ID, dm.Main, nil
}
