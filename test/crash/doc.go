// Package crash holds the real program against its promises when things go
// wrong around it: the process is killed, the disk is full, the database server
// dies, the clock goes back.
//
// The program is built once and run as a process of its own, on a team that
// follows a script (testdata/script.yaml). Clients give it jobs over HTTP and
// enter into a ledger what they were told. After a kill, the database is read by
// statements of this package's own, not by the product's, and held against the
// promises (check*.go) and against the ledger. The checker has a test itself: a
// sound database is damaged in one place after the other, and each must be
// found.
//
// The moments of the kills are random. The seed is printed with a failure, and
// the database is kept. The choices follow from the seed; what the machine makes
// of them does not, so the same seed is no promise of the same failure.
//
//	PARLEY_CRASH_KILLS=200   how often each suite kills; 6 if not set
//	PARLEY_CRASH_SEED=N      the choices of an earlier run
package crash
