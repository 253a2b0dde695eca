package reading

import (
	"context"

	"parley"
	"parley/internal/access"
	"parley/internal/store"
)

// Talk is the dm of two participants.
type Talk struct {
	parley.Channel
	Between [2]parley.AgentID
	Count   int // of messages in its main thread
}

// Talks lists the dms of the team in which something was said last, the newest first.
// Only people look at them.
func (s *Service) Talks(ctx context.Context, c access.Caller, limit int) (list []Talk, err error) {
	if err := s.access.PeopleOnly(ctx, c, "see who talks to whom", "talks"); err != nil {
		return nil, err
	}
	err = s.store.View(ctx, func(tx *store.Tx) error {
		found, err := tx.RecentDMs(c.Team, limit)
		list = make([]Talk, 0, len(found))
		for _, d := range found {
			list = append(list, Talk{Channel: d.Channel, Between: [2]parley.AgentID{d.A, d.B}, Count: d.Count})
		}
		return err
	})
	return list, err
}

// Who is the name and the kind of a participant, even if it is gone from the files.
func (s *Service) Who(ctx context.Context, id parley.AgentID) (name string, kind parley.AgentKind) {
	if e, ok := s.dir.Entry(id); ok {
		return e.Name, e.Kind
	}
	var a parley.Agent
	_ = s.store.View(ctx, func(tx *store.Tx) (err error) {
		a, err = tx.Agent(id)
		return err
	}) // a name that cannot be read stays empty
	return a.Name, a.Kind
}

// Latest is the cursor after everything recorded so far.
func (s *Service) Latest(ctx context.Context) (cursor string, err error) {
	err = s.store.View(ctx, func(tx *store.Tx) error {
		cursor, err = tx.LatestEvent()
		return err
	})
	return cursor, err
}
