package contact

import (
	"parley"
	"parley/internal/store"
)

// isClient reports whether a participant is a client agent, which fetches its work.
func (s *Service) isClient(id parley.AgentID) bool {
	e, ok := s.dir.Entry(id)
	return ok && e.Kind == parley.Client
}

// tellHolders tells the clients that were handed tasks that these have ended without
// them. One who was not handed its task yet never hears of it. No task may be locked
// after this.
func (s *Service) tellHolders(tx *store.Tx, ended []parley.Task) error {
	for _, t := range ended {
		if !s.isClient(t.Agent) {
			continue
		}
		tx.Recall(t.Request, t.Agent)
		if t.Token == 0 {
			continue
		}
		dm, err := tx.EnsureDM(t.Team, t.Agent, t.Agent)
		if err != nil {
			return err
		}
		m := parley.Message{Team: t.Team, Thread: dm.Main, Author: t.Agent, Kind: parley.TaskEndedMessage, Body: t.Error, Task: t.ID}
		if err := tx.Post(&m, store.Recipient{ID: t.Agent, Pulls: true}); err != nil {
			return err
		}
	}
	return nil
}
