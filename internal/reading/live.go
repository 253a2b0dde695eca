package reading

import (
	"context"
	"time"

	"parley"
	"parley/internal/access"
	"parley/internal/live"
	"parley/internal/store"
)

// idleInterval is how often idle is called while nothing happens.
const idleInterval = time.Second

// Live passes on what a task's turns do, from the reply that is under way until the task
// has ended, and then returns the task. Pieces may be missed, and those of a turn on
// another hub always are: only the task's result is certain. idle is called at the
// beginning and whenever nothing has come for a while.
func (s *Service) Live(ctx context.Context, c access.Caller, id parley.TaskID, take func(live.Piece) error, idle func() error) (Task, error) {
	if _, err := s.Task(ctx, c, id); err != nil {
		return Task{}, err
	}
	var pieces <-chan live.Piece
	if s.live != nil {
		watched, stop := s.live.Watch(id)
		defer stop()
		pieces = watched
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- s.awaitEnd(ctx, id) }()
	err := relay(pieces, ended, take, idle)
	if err != nil {
		cancel()
		return Task{}, err
	}
	return s.Task(ctx, c, id)
}

// relay passes pieces on until the task has ended, and then those that are left.
func relay(pieces <-chan live.Piece, ended <-chan error, take func(live.Piece) error, idle func() error) error {
	tick := time.NewTicker(idleInterval)
	defer tick.Stop()
	for err := idle(); ; {
		if err != nil {
			return err
		}
		select {
		case p := <-pieces:
			err = take(p)
		case <-tick.C:
			err = idle()
		case err := <-ended:
			for err == nil && len(pieces) > 0 {
				err = take(<-pieces)
			}
			return err
		}
	}
}

// awaitEnd waits for a task to end, however long that takes.
func (s *Service) awaitEnd(ctx context.Context, id parley.TaskID) error {
	const day = 24 * time.Hour
	for {
		var now parley.Micros // the store's clock may differ from ours
		err := s.store.View(ctx, func(tx *store.Tx) error {
			now = tx.Now
			return nil
		})
		if err != nil {
			return err
		}
		t, err := s.contacts.WaitTask(ctx, id, now.Add(day))
		if err != nil || !t.State.Open() {
			return err
		}
	}
}
