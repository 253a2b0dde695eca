package store

import "errors"

// Trouble is a failure of the database that passes without a change to the data: a
// full disk, a server that is down. A caller with nobody to report to waits and tries
// again.
type Trouble struct{ Err error }

func (t *Trouble) Error() string { return t.Err.Error() }
func (t *Trouble) Unwrap() error { return t.Err }

// InTrouble reports whether an error is a Trouble.
func InTrouble(err error) bool {
	var t *Trouble
	return errors.As(err, &t)
}
