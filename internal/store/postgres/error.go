package postgres

import (
	"errors"
	"fmt"
	"syscall"

	"github.com/jackc/pgx/v5/pgconn"

	"parley"
	"parley/internal/store"
)

// fault is a failure of the engine, as opposed to a refusal by the closure.
type fault struct {
	err        error
	lost       bool // the connection is gone
	committing bool // COMMIT had been sent
}

func (f *fault) Error() string { return f.err.Error() }
func (f *fault) Unwrap() error { return f.err }

// code is the server's SQLSTATE, or "".
func (f *fault) code() string {
	var e *pgconn.PgError
	if errors.As(f.err, &e) {
		return e.Code
	}
	return ""
}

// remedy is what can be done about a fault.
type remedy int

const (
	giveUp    remedy = iota
	rerun            // the transaction lost a conflict with another one
	rerunOnce        // another one stored the same key; this one will now see it
	requeue          // it waited for a lock; it may come back to the queue
	reconnect        // this connection is unusable, another may work
)

func (f *fault) remedy() remedy {
	if f.unknown() {
		return giveUp
	}
	switch f.code() {
	case "40001", "40P01": // serialization failure, deadlock
		return rerun
	case "23505": // unique violation: two stored the same key, name or pair at once
		return rerunOnce
	case "55P03": // lock timeout
		return requeue
	case "53300", "57P03": // too many connections, the server is starting
		return reconnect
	case "25006": // read-only: the primary may have moved
		return reconnect
	}
	if f.lost && !f.hopeless() {
		return reconnect
	}
	return giveUp
}

// unknown reports that the connection ended after COMMIT was sent, so that nobody can
// tell whether it took effect. If the server answers with an error and stays
// connected, the outcome is known. It is also known if the server ended the session
// because it was idle, or had closed the connection before the COMMIT could be
// written: then it had not read it.
func (f *fault) unknown() bool {
	return f.committing && f.lost && f.code() != idleEnded && !errors.Is(f.err, syscall.EPIPE)
}

// idleEnded is the SQLSTATE of a session that was idle in a transaction for too long.
const idleEnded = "25P03"

func unknownOutcome(err error) bool { return asFault(err).unknown() }

// asFault is a failure of the engine as one; whatever else it may be is one too.
func asFault(err error) *fault {
	if f := (*fault)(nil); errors.As(err, &f) {
		return f
	}
	return &fault{err: err}
}

// hopeless reports that connecting again would fail in the same way.
func (f *fault) hopeless() bool {
	switch f.code() {
	case "28000", "28P01", "3D000", "42501":
		return true
	}
	return false
}

// describe turns the engine's failures into texts that say what to do.
func describe(f *fault) error {
	if f.unknown() {
		return f.trouble(parley.Unavailable, "The connection to the database was lost while storing; whether it was stored is unknown.").
			WithHint("Look whether it is there before you try again.")
	}
	switch code := f.code(); {
	case code == "53100":
		return f.trouble(parley.Internal, "The database server's disk is full; nothing was stored.").
			WithHint("Free some space there and try again.")
	case code == "53200":
		return f.trouble(parley.Internal, "The database server is out of memory; nothing was stored.").
			WithHint("Try again; if it stays, give the server more memory.")
	case code == "53300":
		return f.trouble(parley.Unavailable, "The database server has no connection left for us; nothing was stored.").
			WithHint("Raise its max_connections, or lower pool_max_conns in the address.")
	case code == "25006":
		return f.trouble(parley.Internal, "The database is read-only; nothing was stored.").
			WithHint("Check that the address leads to the primary server.")
	case code == "55P03", code == "57014", code == "40001", code == "40P01":
		return f.trouble(parley.Unavailable, "Others kept the database busy for too long; nothing was stored.").
			WithHint("Try again.")
	case code == "42501":
		return parley.Errorf(parley.Internal, "The database user lacks a permission; nothing was stored.").
			WithHint("Let it own the schema of parley's tables.").WithCause(f.err)
	case len(code) == 5 && code[:2] == "XX", code == "58030":
		return parley.Errorf(parley.Internal, "The database server failed; nothing was stored.").
			WithHint("Look into its log.").WithCause(f.err)
	case f.lost:
		return f.trouble(parley.Unavailable, "The database cannot be reached; nothing was stored.").
			WithHint("Check that its server is running.")
	}
	return f.err
}

// trouble makes an error for a failure that passes by itself.
func (f *fault) trouble(kind parley.Kind, message string) *parley.Error {
	return parley.Errorf(kind, "%s", message).WithCause(&store.Outage{Err: f.err})
}

// openError says why the database cannot be used. The connection's own error names
// user, database and host, but never the password.
func (a address) openError(err error) error {
	var e *parley.Error
	if errors.As(err, &e) {
		return e
	}
	e = parley.Errorf(parley.Unavailable, "The %s cannot be opened: %s.", a, openReason(err)).WithCause(err)
	switch (&fault{err: err}).code() {
	case "28P01", "28000":
		return e.WithHint("Check the user and the password in its address.")
	case "3D000":
		return e.WithHint("Create it, for example with: createdb %s", a.pool.ConnConfig.Database)
	case "53300":
		return e.WithHint("Raise max_connections there, or lower pool_max_conns in the address.")
	case "42501":
		return e.WithHint("Let the user create schemas in the database, or create the schema %s for it.", a.schema)
	case "42P07", "42723":
		return e.WithHint("The schema %s belongs to another program; name another one in the address with search_path.", a.schema)
	case "":
		return e.WithHint("Check the address and that the server is running.")
	}
	return e
}

func openReason(err error) string {
	var e *pgconn.PgError
	if errors.As(err, &e) {
		return e.Message
	}
	for inner := err; inner != nil; inner = errors.Unwrap(inner) {
		err = inner
	}
	return fmt.Sprint(err)
}
