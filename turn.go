package parley

import (
	"context"
	"errors"
)

// TurnStart is what a turn put before the model at its beginning. It is stored
// while the model thinks, or together with the first reply if that comes at
// once: nothing has come of the turn until then.
type TurnStart struct {
	Turn int
	// Inbox is how far the task's inbox was shown.
	Inbox int
	// Seen are the messages shown for the first time, besides the request.
	Seen []MessageID
	// Request says that the request itself was shown for the first time.
	Request bool
	// ReadTo is the agent's new place in the thread; 0 if it did not move.
	ReadTo int
	// Group is the channel in which it moved; 0 for a dm.
	Group ChannelID
}

// TurnEnd is how a turn came to its end.
type TurnEnd struct {
	Lease Lease
	// Text is the closing text; a failed turn has a Reason instead.
	Text   string
	Reason string
	// Start is set if what the turn began with is not stored yet.
	Start *TurnStart
	// InboxRead is how far the turn has read the task's inbox.
	InboxRead int
	// Seen are the messages that came between two steps and were shown with the last
	// one; ReadTo is the agent's new place in the thread then, 0 if it did not move.
	Seen   []MessageID
	ReadTo int
	// Steps are the last steps, stored in the same transaction.
	Steps []Step
}

// Outcome is what became of a task when its turn ended.
type Outcome int

const (
	TaskEnded   Outcome = iota // the task has ended
	TurnAgain                  // something arrived meanwhile: the same worker begins another turn
	TaskParked                 // the task waits for what is still open
	TurnDropped                // the task had been cancelled; the text was recorded and dropped
)

// ErrLost tells a turn that its lease is no longer its own. It never reaches
// a caller: the turn just ends.
var ErrLost = errors.New("the lease was lost")

// ErrPaused tells the workers that a turn stopped between two steps because its
// team is paused: the task is queued again as it is.
var ErrPaused = errors.New("the team is paused")

// Slot is a turn's place among the workers of a hub. Whoever waits gives it back
// meanwhile.
type Slot interface {
	// Release gives the place to others.
	Release()
	// Acquire waits for a place; it fails only with the context.
	Acquire(ctx context.Context) error
}
