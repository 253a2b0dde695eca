package reading

import (
	"context"
	"time"

	"parley"
	"parley/internal/access"
	"parley/internal/store"
)

// stepPage is how many rows are read at once.
const stepPage = 100

// FollowSteps passes on the steps after a cursor, oldest first, and then new ones as they
// are stored, until the context is done. A reader that was cut off goes on from the last
// cursor that it was given, and misses none and gets none twice.
//
// idle is called with the cursor at the beginning, and from time to time while nothing
// happens.
func (s *Service) FollowSteps(ctx context.Context, c access.Caller, q StepQuery, take func(Step) error, idle func(cursor string) error) error {
	f := stepReader{s: s, take: take, idle: idle, inTree: map[parley.TaskID]bool{}}
	var err error
	if f.filter, err = s.stepFilter(ctx, c, q); err != nil {
		return err
	}
	if q.Cursor == Now {
		err = s.store.View(ctx, func(tx *store.Tx) (err error) {
			f.cursor, err = tx.LatestStep()
			return err
		})
	} else {
		f.cursor, err = store.ParseStepCursor(q.Cursor)
	}
	if err == nil {
		f.root, err = f.rootOf(ctx)
	}
	if err == nil {
		err = idle(f.cursor.String())
	}
	if q.Once && err == nil {
		return f.catchUp(ctx)
	}
	for err == nil {
		err = f.follow(ctx)
	}
	return err
}

// stepReader is a reader's place among the steps.
type stepReader struct {
	s      *Service
	filter store.StepFilter
	root   parley.TaskID // of the tree that the steps are of; 0 for any
	inTree map[parley.TaskID]bool
	cursor store.StepCursor
	take   func(Step) error
	idle   func(cursor string) error
}

func (f *stepReader) rootOf(ctx context.Context) (root parley.TaskID, err error) {
	if f.filter.Task == 0 {
		return 0, nil
	}
	err = f.s.store.View(ctx, func(tx *store.Tx) error {
		t, err := tx.Task(f.filter.Task)
		root = t.Root
		return err
	})
	return root, err
}

// follow reads up to the present and then takes what the team's feed brings. It returns
// without an error when the feed has dropped this reader, which may join again.
func (f *stepReader) follow(ctx context.Context) error {
	// Join first, then read: what is stored in between comes both ways, and is told apart
	// by its place.
	feed, m := f.s.joinSteps(f.filter, f.root)
	defer f.s.steps.leave(feed, m)
	select {
	case <-feed.ready:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if err := f.catchUp(ctx); err != nil {
		return err
	}
	wait := firstPause
	timer := time.NewTimer(wait)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case row, ok := <-m.items:
			if !ok || m.stale.Load() {
				return nil
			}
			if in, err := f.within(ctx, row); err != nil || !in {
				if err != nil {
					return err
				}
				continue
			}
			if err := f.pass(row); err != nil {
				return err
			}
		case <-timer.C:
			if err := f.idle(f.cursor.String()); err != nil {
				return err
			}
			wait = min(2*wait, maxPause)
			timer.Reset(wait)
		}
	}
}

// catchUp passes on what is stored by now.
func (f *stepReader) catchUp(ctx context.Context) error {
	for {
		var rows []*shownRow
		err := f.s.store.View(ctx, func(tx *store.Tx) (err error) {
			rows, err = f.s.stepRows(tx, f.filter, f.cursor, stepPage)
			return err
		})
		if err != nil {
			return err
		}
		for _, row := range rows {
			if err := f.pass(row); err != nil {
				return err
			}
		}
		if len(rows) < stepPage {
			return nil
		}
	}
}

// pass hands on what is left of a row, if it was not taken before.
func (f *stepReader) pass(row *shownRow) error {
	taken := 0
	switch {
	case f.cursor.RowBefore(row.Cursor):
	case f.cursor.SameRow(row.Cursor) && f.cursor.Part > 0:
		taken = min(f.cursor.Part, len(row.parts))
	default:
		return nil
	}
	for i := taken; i < len(row.parts); i++ {
		if err := f.take(row.parts[i]); err != nil {
			return err
		}
		f.cursor = row.Cursor.At(i + 1)
	}
	f.cursor = row.Cursor
	return nil
}

// within reports whether a row of the feed is of the tree that the reader wants. What a
// task is below of never changes.
func (f *stepReader) within(ctx context.Context, row *shownRow) (in bool, err error) {
	if !f.filter.Tree || f.filter.Task == f.root || row.Task == f.filter.Task {
		return true, nil
	}
	if in, known := f.inTree[row.Task]; known {
		return in, nil
	}
	err = f.s.store.View(ctx, func(tx *store.Tx) error {
		in = false
		for id := row.Parent; id != 0 && !in; {
			t, err := tx.Task(id)
			if err != nil {
				return err
			}
			in, id = id == f.filter.Task, t.Parent
		}
		return nil
	})
	f.inTree[row.Task] = in
	return in, err
}
