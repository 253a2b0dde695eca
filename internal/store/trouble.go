package store

import "errors"

// Outage is a failure of the database that has nothing to do with the data: a full disk, a
// server that is down, a disk that fails. A caller with nobody to report to waits and tries
// again.
type Outage struct{ Err error }

func (t *Outage) Error() string { return t.Err.Error() }
func (t *Outage) Unwrap() error { return t.Err }

// IsOutage reports whether an error is an Outage.
func IsOutage(err error) bool {
	var t *Outage
	return errors.As(err, &t)
}
