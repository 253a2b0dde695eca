package contact

import (
	"parley"
	"parley/internal/store"
)

// whyLate says why a task has not been answered, if that is no fault of whoever
// works on it; empty if there is nothing to say.
func (s *Service) whyLate(tx *store.Tx, t parley.Task, target string) (string, error) {
	team, err := tx.Team(t.Team)
	if err != nil {
		return "", err
	}
	e, _ := s.dir.Entry(t.Agent)
	byHand := e.Kind == parley.Person || e.Kind == parley.Client
	switch {
	case byHand:
		return unfetched(tx, t, target)
	case team.Paused:
		return parley.LatePaused, nil
	case t.Waits == parley.WaitDay:
		return parley.LateDay, nil
	case t.Waits == parley.WaitTree:
		return parley.LateBudget, nil
	case t.Approvals > 0:
		return parley.LateApproval(target), nil
	}
	return "", nil
}

// unfetched looks whether one that fetches its messages has done so.
func unfetched(tx *store.Tx, t parley.Task, target string) (string, error) {
	deliveries, err := tx.Deliveries(t.Request)
	for _, d := range deliveries {
		if d.Recipient == t.Agent && d.Seen == 0 {
			return parley.LateUnseen(target), err
		}
	}
	return "", err
}
