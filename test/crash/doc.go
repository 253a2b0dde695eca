// Package crash compares the real program with its promises when things go wrong
// around it: the process is killed, the disk is full, the database server dies, the
// clock goes back.
//
// The program is built once and run as a separate process, with a team that follows a
// script (testdata/script.yaml). Clients give it jobs over HTTP and record in a
// ledger what they were told. After a kill, the database is read by this package's
// own statements, not by the product's, and compared with the promises (check*.go)
// and with the ledger. The checker has its own test: a sound database is damaged in
// one place after the other, and each damage must be found.
//
// The moments of the kills are random. The seed is printed with a failure, and the
// database is kept. The choices follow from the seed, but what the machine makes of
// them does not, so the same seed does not guarantee the same failure.
//
//	PARLEY_CRASH_KILLS=200   how often each suite kills; 6 if not set
//	PARLEY_CRASH_SEED=N      the choices of an earlier run
//	PARLEY_CRASH_SDK=FOLDER  has the TypeScript SDK of MCP, see make members
package crash
