package parley

import (
	"context"
	"errors"
)

// TurnStart says what a turn showed its model at the beginning. It is stored
// while the model thinks, or together with the first reply if that comes at
// once. It may be stored late because a turn has no effect until then.
type TurnStart struct {
	Turn int
	// Inbox is how many items of the task's inbox were shown.
	Inbox int
	// Seen are the messages shown for the first time, besides the request.
	Seen []MessageID
	// Request says that the request itself was shown for the first time.
	Request bool
	// ReadTo is how far the agent has now read the thread; 0 if that did not change.
	ReadTo int
	// Group is the channel that ReadTo is about; 0 for a dm.
	Group ChannelID
}

// TurnEnd says how a turn ended.
type TurnEnd struct {
	Lease Lease
	// Text is the closing text; a failed turn has a Reason instead.
	Text   string
	Reason string
	// Start is set if the start of the turn is not stored yet.
	Start *TurnStart
	// InboxRead is how many items of the task's inbox the turn has read.
	InboxRead int
	// Seen are the messages that arrived between two steps and were shown with the
	// last one. ReadTo is how far the agent has now read the thread; 0 if that did
	// not change.
	Seen   []MessageID
	ReadTo int
	// Steps are the last steps. They are stored in the same transaction.
	Steps []Step
}

// Outcome is what became of a task when its turn ended.
type Outcome int

const (
	TaskEnded   Outcome = iota
	TurnAgain           // something arrived meanwhile: the same worker begins another turn
	TaskParked          // the task waits for what is still open
	TurnDropped         // the task had been cancelled; the text was recorded and dropped
)

// ErrLost tells a turn that it has lost its lease. It never reaches a caller:
// the turn just ends.
var ErrLost = errors.New("the lease was lost")

// ErrPaused tells the worker that a turn stopped between two steps because its
// team is paused. The task goes back to the queue unchanged.
var ErrPaused = errors.New("the team is paused")

// Slot is a turn's place among the workers of a hub. Whoever waits gives it back
// meanwhile.
type Slot interface {
	// Release gives the place to others.
	Release()
	// Acquire waits for a place; it fails only with the context.
	Acquire(ctx context.Context) error
}
