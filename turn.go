package parley

import "errors"

// TurnEnd is how a turn came to its end.
type TurnEnd struct {
	Lease Lease
	// Text is the closing text; a failed turn has a Reason instead.
	Text   string
	Reason string
	// InboxRead is how far the turn has read the task's inbox.
	InboxRead int
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
