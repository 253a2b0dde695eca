package reading

import (
	"context"
	"time"

	"parley"
	"parley/internal/store"
	"parley/internal/wake"
)

const (
	// foreignPause is how long the steps of other hubs may go unnoticed. Those of this
	// one are told of by a signal.
	foreignPause = 500 * time.Millisecond
	// stepGap is how long the feed of steps pauses after reading. Who looks on does not
	// notice, and the turns do not pay for each step.
	stepGap = 50 * time.Millisecond
)

// The feed of steps: members pick by the root of the tree that they want.
type (
	stepFeeds  = feeds[parley.TaskID, *shownRow]
	stepFeed   = feed[parley.TaskID, *shownRow]
	stepMember = member[parley.TaskID, *shownRow]
)

// shownRow is a stored row with the steps that people read of it.
type shownRow struct {
	store.StepRow
	parts []Step
}

// stepRows reads rows after a cursor.
func (s *Service) stepRows(tx *store.Tx, f store.StepFilter, c store.StepCursor, limit int) ([]*shownRow, error) {
	rows, err := tx.StepsAfter(f, c, limit)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	shown, err := s.show(tx, rows)
	if err != nil {
		return nil, err
	}
	list := make([]*shownRow, len(rows))
	for i := range rows {
		list[i] = &shownRow{StepRow: rows[i], parts: shown[i]}
		list[i].Content = nil // what is read of it is in the parts
	}
	return list, nil
}

// joinSteps follows the steps that pass a filter; those of one tree if root is not 0.
func (s *Service) joinSteps(filter store.StepFilter, root parley.TaskID) (*stepFeed, *stepMember) {
	return s.steps.join(filter.Team, s.store, &stepSource{s: s, team: filter.Team}, root,
		func(row *shownRow) bool { return filter.Matches(filter.Team, &row.StepRow) })
}

// stepSource reads and decodes the steps of a team.
type stepSource struct {
	s      *Service
	team   parley.TeamID
	cursor store.StepCursor
}

var _ source[parley.TaskID, *shownRow] = (*stepSource)(nil)

// watch hears of the steps of all teams: their signal does not name one.
func (s *stepSource) watch() (<-chan struct{}, func()) {
	news := make(chan struct{}, 1)
	return news, s.s.store.Bus().Listen(wake.Steps, func(int64) {
		select {
		case news <- struct{}{}:
		default:
		}
	})
}

func (s *stepSource) pauses() (gap, longest time.Duration) {
	if s.s.store.Shared() {
		return stepGap, foreignPause
	}
	return stepGap, maxPause
}

func (s *stepSource) begin(ctx context.Context) error {
	return s.s.store.View(ctx, func(tx *store.Tx) (err error) {
		s.cursor, err = tx.LatestStep()
		return err
	})
}

func (s *stepSource) read(ctx context.Context) (rows []*shownRow, full bool, err error) {
	err = s.s.store.View(ctx, func(tx *store.Tx) (err error) {
		rows, err = s.s.stepRows(tx, store.StepFilter{Team: s.team}, s.cursor, stepPage)
		return err
	})
	if err != nil || len(rows) == 0 {
		return nil, false, err
	}
	s.cursor = rows[len(rows)-1].Cursor
	return rows, len(rows) == stepPage, nil
}

// keys are those of everybody, and of the tree of a row.
func (s *stepSource) keys(row *shownRow, give func(parley.TaskID)) {
	give(0)
	give(row.Root)
}
