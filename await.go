package parley

import "errors"

// Awaits says that a tool call has no result until another task has ended. The
// turn waits for that task without holding a worker, then runs the call again.
type Awaits struct {
	Task TaskID
}

func (e *Awaits) Error() string {
	return e.Task.String() + " has not ended yet."
}

// AsAwaits reports whether a tool call has to wait.
func AsAwaits(err error) (*Awaits, bool) {
	var awaits *Awaits
	ok := errors.As(err, &awaits)
	return awaits, ok
}
