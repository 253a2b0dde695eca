package reading

import (
	"context"
	"time"

	"parley"
	"parley/internal/access"
	"parley/internal/store"
)

// Instructions are what the model of an agent reads before everything else, without what
// is added for a single turn. They are empty for an agent that the hub does not run. Only
// people may read them.
func (t *Tools) Instructions(ctx context.Context, c access.Caller, name string) (string, error) {
	e, err := t.dir.Find(c.Team, name)
	if err != nil {
		return "", err
	}
	if err := t.access.PeopleOnly(ctx, c, "read the instructions of agents", "instructions of "+e.Name); err != nil {
		return "", err
	}
	return t.boxes.Instructions(e.ID), nil
}

// Rate is how many contacts an agent may start, and how many of them are left at this
// moment.
type Rate struct {
	PerMinute, Burst, Left int
	// Full is how long it takes until all are there again.
	Full time.Duration
	// Role is what the agent does in the team; empty if the files do not say.
	Role   string
	Limits parley.Limits
}

// Rate reads the rate of an agent. People are not limited.
func (s *Service) Rate(ctx context.Context, c access.Caller, name string) (out Rate, err error) {
	e, err := s.dir.Find(c.Team, name)
	if err != nil {
		return Rate{}, err
	}
	if e.ID != c.Agent {
		if err := s.access.PeopleOnly(ctx, c, "look at the rates of others", "rate of "+e.Name); err != nil {
			return Rate{}, err
		}
	}
	limits := s.dir.Limits(e.ID)
	out = Rate{PerMinute: limits.Rate, Burst: limits.Bucket(), Role: e.Role, Limits: limits}
	err = s.store.View(ctx, func(tx *store.Tx) error {
		a, err := tx.Agent(e.ID)
		if err != nil {
			return orMissing(err, false, name)
		}
		out.Full = a.Rate.Refilled(tx.Steady).Debt
		missing := int((out.Full + limits.Interval() - 1) / limits.Interval())
		out.Left = max(0, out.Burst-missing)
		return nil
	})
	return out, err
}

// CostOf is Cost of one agent's turns alone. People may look at anyone in their team.
func (s *Service) CostOf(ctx context.Context, c access.Caller, name string, q CostQuery) (Cost, error) {
	var id parley.AgentID
	err := s.store.View(ctx, func(tx *store.Tx) (err error) {
		id, err = s.anyID(tx, c, name)
		return err
	})
	if err != nil {
		return Cost{}, err
	}
	if id != c.Agent {
		if err := s.access.PeopleOnly(ctx, c, "look at what others have spent", "cost of "+name); err != nil {
			return Cost{}, err
		}
	}
	return s.cost(ctx, q, store.CostQuery{Team: c.Team, By: q.By, Agent: id, Own: true})
}
