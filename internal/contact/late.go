package contact

import (
	"parley"
	"parley/internal/store"
)

// WhyLate says what holds up an ask whose time is over: what whyLate says, and else
// that nobody has seen it. It is empty otherwise.
func (s *Service) WhyLate(tx *store.Tx, t parley.Task) (string, error) {
	if t.Pattern != parley.Ask || !t.State.Open() || t.WaitUntil > tx.Now {
		return "", nil
	}
	target, err := s.name(tx, t.Agent)
	if err != nil {
		return "", err
	}
	if why, err := s.whyLate(tx, t, target); why != "" || err != nil {
		return why, err
	}
	return unseen(tx, t, target)
}

// whyLate says why a task has not been answered, if whoever works on it is not to
// blame.
func (s *Service) whyLate(tx *store.Tx, t parley.Task, target string) (string, error) {
	team, err := tx.Team(t.Team)
	if err != nil {
		return "", err
	}
	e, _ := s.dir.Entry(t.Agent)
	switch {
	case e.Kind == parley.Person:
		return unseen(tx, t, target)
	case e.Kind == parley.Client:
		return s.clientLate(tx, t, target)
	case team.Paused:
		return parley.LatePaused, nil
	case t.Waits == parley.WaitDay:
		return parley.LateDay, nil
	case t.Waits == parley.WaitTree:
		return parley.LateBudget, nil
	case t.Waits == parley.WaitProvider:
		return parley.LateProvider(target, t.Provider, t.Due.Until(tx.Now)), nil
	case t.Approvals > 0:
		return parley.LateApproval(target), nil
	}
	return "", nil
}

// clientLate says that a client is not there, or has not seen the request.
func (s *Service) clientLate(tx *store.Tx, t parley.Task, target string) (string, error) {
	a, err := tx.Agent(t.Agent)
	if err != nil {
		return "", err
	}
	if a.Away(tx.Now) {
		return parley.LateNotConnected(target), nil
	}
	return unseen(tx, t, target)
}

// unseen says so if the request has not been seen yet.
func unseen(tx *store.Tx, t parley.Task, target string) (string, error) {
	deliveries, err := tx.Deliveries(t.Request)
	for _, d := range deliveries {
		if d.Recipient == t.Agent && d.Seen == 0 {
			return parley.LateUnseen(target), err
		}
	}
	return "", err
}
