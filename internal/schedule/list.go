package schedule

import (
	"cmp"
	"context"
	"slices"

	"parley"
	"parley/internal/access"
	"parley/internal/contact"
	"parley/internal/store"
)

// Listed is an entry with how far it has come.
type Listed struct {
	Entry contact.Scheduled
	State parley.Schedule
	Name  string // of the agent
	Owner string // by name, also if the file names nobody
	// Held says that somebody holds the agent's schedule, or has paused the team.
	Held bool
}

// List is the schedules of the caller's team, or those of one agent, the next one first.
// People see all; an agent sees its own.
func (s *Service) List(ctx context.Context, c access.Caller, agent string) ([]Listed, error) {
	only, err := s.whose(ctx, c, agent)
	if err != nil {
		return nil, err
	}
	var list []Listed
	err = s.cfg.Store.View(ctx, func(tx *store.Tx) error {
		list = nil
		team, err := tx.Team(c.Team)
		if err != nil {
			return err
		}
		held, err := tx.HeldSchedules(c.Team)
		if err != nil {
			return err
		}
		holds := make(map[parley.AgentID]bool, len(held))
		for _, id := range held {
			holds[id] = true
		}
		rows, err := tx.Schedules(c.Team)
		for _, row := range rows {
			e, known := s.entry(c.Team, row)
			if !known || only != 0 && row.Agent != only {
				continue // another hub on this database has the agent
			}
			list = append(list, Listed{Entry: e, State: row, Name: s.name(row.Agent), Owner: s.owner(e), Held: team.Paused || holds[row.Agent]})
		}
		return err
	})
	slices.SortStableFunc(list, func(a, b Listed) int { return cmp.Compare(a.State.Next, b.State.Next) })
	return list, err
}

// whose is the agent whose schedule the caller wants to see; 0 for all.
func (s *Service) whose(ctx context.Context, c access.Caller, name string) (parley.AgentID, error) {
	person := s.cfg.Access.IsPerson(c.Agent)
	if name == "" {
		if person {
			return 0, nil
		}
		return c.Agent, nil
	}
	e, err := s.cfg.Directory.Find(c.Team, name)
	if err == nil && !person && e.ID != c.Agent {
		err = s.cfg.Access.RecordDenied(ctx, c, "read the schedule of "+e.Name, access.ErrPeopleOnly("read the schedule of another"))
	}
	return e.ID, err
}

func (s *Service) entry(id parley.TeamID, row parley.Schedule) (contact.Scheduled, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i, ok := s.teams[id].entries[place{row.Agent, row.Entry}]
	if !ok || i.Timing.String() != row.Timing {
		return contact.Scheduled{}, false
	}
	return i.Scheduled, true
}

func (s *Service) name(id parley.AgentID) string {
	e, _ := s.cfg.Directory.Entry(id)
	return e.Name
}

func (s *Service) owner(e contact.Scheduled) string {
	if e.Owner != "" {
		return e.Owner
	}
	p, _ := s.cfg.Directory.Person(e.Team)
	return p.Name
}

// Pause holds the schedule of an agent: what becomes due meanwhile counts as missed.
func (s *Service) Pause(ctx context.Context, c access.Caller, agent string) error {
	return s.hold(ctx, c, agent, true)
}

// Resume lets the schedule of an agent go on.
func (s *Service) Resume(ctx context.Context, c access.Caller, agent string) error {
	return s.hold(ctx, c, agent, false)
}

func (s *Service) hold(ctx context.Context, c access.Caller, agent string, hold bool) error {
	what, kind := "resume schedules", parley.EventScheduleResumed
	if hold {
		what, kind = "pause schedules", parley.EventSchedulePaused
	}
	if err := s.cfg.Access.PeopleOnly(ctx, c, what, what); err != nil {
		return err
	}
	e, err := s.cfg.Directory.Find(c.Team, agent)
	if err != nil {
		return err
	}
	return s.cfg.Store.Update(ctx, func(tx *store.Tx) error {
		if _, err := tx.LockAgent(e.ID); err != nil {
			return err
		}
		held, err := tx.HeldSchedules(c.Team)
		if err != nil || slices.Contains(held, e.ID) == hold {
			return err // it is as it should be
		}
		if hold {
			tx.HoldSchedule(c.Team, e.ID, c.Agent)
		} else {
			tx.ReleaseSchedule(c.Team, e.ID)
		}
		tx.Record(parley.Event{Team: c.Team, Kind: kind, Actor: c.Agent, Target: e.ID})
		return nil
	})
}
