package parley

import (
	"errors"
	"fmt"
)

// Kind classifies why something was refused or failed. The set is closed, and
// each door has one table from Kind to its own codes.
type Kind string

const (
	Invalid     Kind = "invalid"     // the input is malformed; nothing was changed
	NotFound    Kind = "not_found"   // no such thing, or not visible to the caller
	Conflict    Kind = "conflict"    // the input does not fit the present state, which the message names, or itself
	Denied      Kind = "denied"      // a rule forbids it
	Unavailable Kind = "unavailable" // the target cannot be contacted now
	Limited     Kind = "limited"     // a limit was reached: rate, depth, size, budget
	Timeout     Kind = "timeout"     // nobody answered in time; the work goes on
	Failed      Kind = "failed"      // the other side tried and failed
	Unauthentic Kind = "unauthentic" // no valid token
	Internal    Kind = "internal"    // a fault of the hub or its machine
)

// Kinds lists every kind, for the tables of the doors and their tests.
func Kinds() []Kind {
	return []Kind{Invalid, NotFound, Conflict, Denied, Unavailable, Limited, Timeout, Failed, Unauthentic, Internal}
}

// Error is the one error type that crosses package borders. Message is safe
// to show to an agent or a person, and Hint says what to do. Cause is only for
// the log and never reaches a caller.
type Error struct {
	Kind    Kind
	Message string
	Hint    string
	Cause   error
	// Rule names the limit or right that refused, in one word, for the record.
	Rule string
}

func (e *Error) Error() string {
	if e.Hint != "" {
		return e.Message + " " + e.Hint
	}
	return e.Message
}

func (e *Error) Unwrap() error { return e.Cause }

// Errorf makes an error whose text may be shown to anyone.
func Errorf(kind Kind, format string, args ...any) *Error {
	return &Error{Kind: kind, Message: fmt.Sprintf(format, args...)}
}

// WithHint returns a copy of e that says what to do.
func (e *Error) WithHint(format string, args ...any) *Error {
	c := *e
	c.Hint = fmt.Sprintf(format, args...)
	return &c
}

// WithCause returns a copy of e that carries what the log should see.
func (e *Error) WithCause(err error) *Error {
	c := *e
	c.Cause = err
	return &c
}

// WithRule returns a copy of e that names what refused.
func (e *Error) WithRule(rule string) *Error {
	c := *e
	c.Rule = rule
	return &c
}

// RuleOf is the rule that an error names; empty if it names none.
func RuleOf(err error) string {
	var e *Error
	if errors.As(err, &e) {
		return e.Rule
	}
	return ""
}

// RuleStatus is the rule of a refusal because of the target's status.
const RuleStatus = "status"

// KindOf classifies any error. One that is not an Error is Internal.
func KindOf(err error) Kind {
	var e *Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return Internal
}

// Public is the text of err that a caller may read. For an error that is not an
// Error it gives away no details; they belong in the log.
func Public(err error) string {
	var e *Error
	if errors.As(err, &e) {
		return e.Error()
	}
	return "The hub could not do this because of an internal error; its log has the details."
}
