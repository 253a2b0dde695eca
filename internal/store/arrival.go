package store

import (
	"sync/atomic"

	"parley"
)

// arrivals counts what was put into threads, into the inboxes of tasks and into the mail of
// agents. Several of a kind share a count, so a count that has changed means that something
// may have come, and one that has not that nothing has.
//
// A count goes up while the transaction runs, before its commit: so whoever sees what was
// committed also sees the count. What is rolled back only costs a look.
type arrivals [3][1 << 10]atomic.Int64

const (
	inThread = iota
	inInbox
	inMail
)

func (a *arrivals) count(kind int, id int64) *atomic.Int64 {
	return &a[kind][uint64(id)%uint64(len(a[kind]))]
}

func (a *arrivals) add(kind int, id int64) { a.count(kind, id).Add(1) }

// Quiet returns a function which reports, for certain, that nothing has come for the task
// since: no message in its thread, nothing in its inbox and no mail for its agent. False
// means that somebody has to look.
//
// It is for the one writer of a database, whose transactions run one after the other: what
// follows this one counts later. Where others write too there is none.
func (tx *Tx) Quiet(t *parley.Task) func() bool {
	if tx.conn.Hot() == nil {
		return nil
	}
	came := &tx.conn.Recent().came
	thread, inbox, mail := came.count(inThread, int64(t.Thread)), came.count(inInbox, int64(t.ID)), came.count(inMail, int64(t.Agent))
	before := [...]int64{thread.Load(), inbox.Load(), mail.Load()}
	return func() bool { return before == [...]int64{thread.Load(), inbox.Load(), mail.Load()} }
}
