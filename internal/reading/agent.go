package reading

import (
	"cmp"
	"context"
	"slices"

	"parley"
	"parley/internal/access"
	"parley/internal/policy"
	"parley/internal/store"
)

// Agent is a participant with its status.
type Agent struct {
	parley.Agent
	Description string // from the files
	Model       string // from the files; empty for one that this hub does not run
	Status      parley.Status
	Reason      string // for the status; empty if there is nothing to add
	Open        parley.OpenTasks
	Mistake     string // in its file at present
	Lead        bool   // people talk to it first
	Now         string // what it does at this moment, for those who may read its steps
}

// Agents lists the caller's team by name, without those who have left it.
func (s *Service) Agents(ctx context.Context, c access.Caller) (list []Agent, err error) {
	if err := s.access.PermitOutside(ctx, c, policy.AgentComm, "list"); err != nil {
		return nil, err
	}
	err = s.store.View(ctx, func(tx *store.Tx) error {
		agents, err := tx.Agents(c.Team)
		if err != nil {
			return err
		}
		open, err := tx.OpenTasks(c.Team)
		if err != nil {
			return err
		}
		now, err := s.doingNow(tx, c)
		list = make([]Agent, 0, len(agents))
		for _, a := range agents {
			if !a.Removed {
				one := s.agent(c, a, open[a.ID], tx.Now)
				one.Now = now[a.ID].Line
				list = append(list, one)
			}
		}
		return err
	})
	return list, err
}

// Agent reads one participant of the caller's team by name.
func (s *Service) Agent(ctx context.Context, c access.Caller, name string) (found Agent, err error) {
	id, err := s.agentID(c, name)
	if err != nil {
		return Agent{}, err
	}
	return s.agentByID(ctx, c, id, name)
}

// Anyone is Agent for people who look at what was: it also finds who has left the team.
func (s *Service) Anyone(ctx context.Context, c access.Caller, name string) (found Agent, err error) {
	if !s.seesAll(c) {
		return s.Agent(ctx, c, name)
	}
	var id parley.AgentID
	err = s.store.View(ctx, func(tx *store.Tx) (err error) {
		id, err = s.anyID(tx, c, name)
		return err
	})
	if err != nil {
		return Agent{}, err
	}
	return s.agentByID(ctx, c, id, name)
}

func (s *Service) agentByID(ctx context.Context, c access.Caller, id parley.AgentID, name string) (found Agent, err error) {
	if id != c.Agent {
		if err := s.access.PermitOutside(ctx, c, policy.AgentComm, "list"); err != nil {
			return Agent{}, err
		}
	}
	err = s.store.View(ctx, func(tx *store.Tx) error {
		a, err := tx.Agent(id)
		if err != nil {
			return orMissing(err, false, name)
		}
		open, err := tx.OpenTasks(c.Team)
		found = s.agent(c, a, open[id], tx.Now)
		return err
	})
	return found, err
}

// Others lists the team without the caller.
func (s *Service) Others(ctx context.Context, c access.Caller) ([]Agent, error) {
	list, err := s.Agents(ctx, c)
	return slices.DeleteFunc(list, func(a Agent) bool { return a.ID == c.Agent }), err
}

func (s *Service) agent(c access.Caller, a parley.Agent, open parley.OpenTasks, now parley.Micros) Agent {
	e, known := s.dir.Entry(a.ID)
	reason := ""
	// An agent that is stored but unknown here was left out because of a mistake in
	// its file, unless another hub has it.
	if !s.store.Shared() && (!known || e.Retired) {
		a.Offline, reason = true, "not in the files"
	}
	mistake := ""
	if s.seesAll(c) { // it quotes the agent's file, which is private
		mistake = e.Mistake
	}
	return Agent{Agent: a, Description: e.Description, Model: e.Model, Status: a.StatusAt(now, open),
		Reason: cmp.Or(reason, a.ReasonAt(now, open)), Open: open, Mistake: mistake, Lead: e.Lead && !e.Retired}
}
