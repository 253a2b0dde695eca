package model

import "time"

// Class is the closed set of ways in which a model can fail.
type Class string

const (
	RateLimited Class = "rate_limited" // try again after RetryAfter
	Overloaded  Class = "overloaded"   // the provider is busy or broken; try again
	Refused     Class = "refused"      // key, quota or request: trying again does not help
	Broken      Class = "broken"       // the reply could not be understood
)

// Error is a model's failure. Message is safe to show to an agent; Cause is
// for the log and may hold what the provider said.
type Error struct {
	Class      Class
	Message    string
	RetryAfter time.Duration
	Cause      error
}

func (e *Error) Error() string { return e.Message }

func (e *Error) Unwrap() error { return e.Cause }

// Temporary reports whether the same request may succeed later.
func (e *Error) Temporary() bool { return e.Class == RateLimited || e.Class == Overloaded }
