package store

import "errors"

// Trouble is a failure of the database that passes without anybody changing
// what was to be stored: a full disk, a server that is away. Whoever has no one
// to tell waits and tries again.
type Trouble struct{ Err error }

func (t *Trouble) Error() string { return t.Err.Error() }
func (t *Trouble) Unwrap() error { return t.Err }

// InTrouble reports whether an error is of that kind.
func InTrouble(err error) bool {
	var t *Trouble
	return errors.As(err, &t)
}
