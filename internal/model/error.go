package model

import "time"

// Class is the closed set of ways in which a model can fail.
type Class string

const (
	RateLimited Class = "rate_limited" // try again after RetryAfter
	Overloaded  Class = "overloaded"   // the provider is busy or broken; try again
	Offline     Class = "offline"      // the provider could not be reached
	TimedOut    Class = "timed_out"    // it did not answer in time
	Refused     Class = "refused"      // quota or request: trying again does not help
	BadKey      Class = "bad_key"      // the key is missing, wrong or not allowed to do this
	UnknownName Class = "unknown_name" // the provider has no such model
	TooLong     Class = "too_long"     // the conversation does not fit the model
	Blocked     Class = "blocked"      // the provider will not answer to this content
	Broken      Class = "broken"       // the reply could not be understood
)

// Error is a model's failure. Message is safe to show to an agent; Cause is
// for the log and may hold what the provider said.
type Error struct {
	Class      Class
	Message    string
	RetryAfter time.Duration
	Cause      error
	// Busy says that the provider asks for patience and nothing else is wrong: the
	// step is worth waiting for. RetryAfter is then how long at least.
	Busy bool
	// Provider is who failed; empty if that is not known.
	Provider string
	// Window is how many tokens the model can read, and Counted how many the request
	// had, as far as the refusal of one that is too long tells; else 0.
	Window, Counted int
	// Certain says that it is too long by a status or a code of the provider, and not
	// only by its words, which may be quoted from the request.
	Certain bool
	// Usage is what attempts have consumed that came to nothing.
	Usage Usage
}

func (e *Error) Error() string { return e.Message }

func (e *Error) Unwrap() error { return e.Cause }
