package reading

import (
	"context"
	"time"

	"parley"
	"parley/internal/access"
	"parley/internal/live"
	"parley/internal/store"
)

// lookEvery is how often one who looks at a quiet task is given a sign.
const lookEvery = time.Second

// Live hands over what happens in a task's turns, as it happens and from now on,
// until the task has ended, and returns it as it is then. Pieces may be missed, and
// those of a turn on another hub are: what counts is the task's result. idle is
// called first and whenever nothing has come for a while.
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
	tick := time.NewTicker(lookEvery)
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
		var now parley.Micros // the store's, which may be another than ours
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
