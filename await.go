package parley

import "errors"

// Awaits says that a tool call cannot answer before another task has ended. The
// turn waits for that, without a worker, and then runs the call again.
type Awaits struct {
	Task TaskID
}

func (e *Awaits) Error() string {
	return e.Task.String() + " has not ended yet."
}

// AsAwaits finds out whether a call has to wait.
func AsAwaits(err error) (*Awaits, bool) {
	var awaits *Awaits
	ok := errors.As(err, &awaits)
	return awaits, ok
}
