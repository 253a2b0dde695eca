package contact_test

import (
	"parley/internal/access"
	"testing"

	"parley"
)

// TestCancelEndsATree is the table of who may end a task, in which state, and who
// is told.
func TestCancelEndsATree(t *testing.T) {
	const told = "delegation_failed of Bob: cancelled by "
	for _, c := range []struct {
		name string
		by   func(d *desk, ann, bob parley.Lease) access.Caller
		want string   // in the refusal; empty if it is done
		told []string // what the parent has of it
	}{
		{"a person", func(d *desk, _, _ parley.Lease) access.Caller { return d.as("Pat") }, "", []string{told + "Pat."}},
		{"the parent's own turn", func(_ *desk, ann, _ parley.Lease) access.Caller { return turn(ann) }, "", nil},
		{"who asked for it, outside the task", func(d *desk, _, _ parley.Lease) access.Caller { return d.as("Ann") }, "", []string{told + "Ann."}},
		{"who asked for the one above", func(d *desk, _, _ parley.Lease) access.Caller { return d.as("Top") }, "", []string{told + "Top."}},
		{"who works on it", func(d *desk, _, bob parley.Lease) access.Caller { return turn(bob) }, "is not yours to cancel.", nil},
		{"who works below it", func(d *desk, _, bob parley.Lease) access.Caller { return d.as("Cid") }, "is not yours to cancel.", nil},
		{"somebody else", func(d *desk, _, _ parley.Lease) access.Caller { return d.as("Eve") }, "is not yours to cancel.", nil},
		{"somebody of another team", func(d *desk, _, _ parley.Lease) access.Caller { return d.other }, " not found.", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newDesk(t, "Top", "Ann", "Bob", "Cid", "Eve")
			ann := d.below(d.working("Top"), parley.Delegate, "Ann")
			bob := d.below(ann, parley.Delegate, "Bob")
			running := d.below(bob, parley.Delegate, "Cid")
			queued := d.contact(turn(running), parley.Delegate, "Eve").Task.ID
			done := d.below(bob, parley.Ask, "Cid")
			d.end(done, "Done.")
			beside := d.contact(turn(ann), parley.Delegate, "Cid").Task.ID
			cancel := func() error { return d.Cancel(d.Context(), c.by(d, ann, bob), bob.Task) }
			if c.want != "" {
				d.refused(c.want, cancel)
				return
			}
			d.must(cancel())
			for _, id := range []parley.TaskID{bob.Task, running.Task, queued} {
				got := d.store.Task(id)
				d.equal("ended", []any{parley.Cancelled, int64(0), d.store.Now()}, []any{got.State, got.Worker, got.EndedAt})
			}
			d.equal("what had ended", parley.Completed, d.store.Task(done.Task).State)
			d.equal("what stands beside", parley.Queued, d.store.Task(beside).State)
			p := d.store.Task(ann.Task)
			d.equal("the parent", []any{parley.Running, 1}, []any{p.State, p.OpenChildren})
			d.equal("is told", c.told, d.inbox(ann.Task))
			d.equal("nobody below is", []string(nil), d.inbox(running.Task))
		})
	}
}

// What has ended cannot be cancelled; a turn that goes on after a crash finds what
// it cancelled before.
func TestCancelTwice(t *testing.T) {
	d := newDesk(t, "Ann", "Bob")
	ann := d.working("Ann")
	bob := d.below(ann, parley.Delegate, "Bob")
	d.must(d.Cancel(d.Context(), turn(ann), bob.Task))
	before := d.store.Rows("event")
	d.must(d.Cancel(d.Context(), turn(ann), bob.Task))
	d.equal("again", before, d.store.Rows("event"))
	d.refused("has ended already (cancelled).", func() error { return d.Cancel(d.Context(), d.as("Pat"), bob.Task) })
	done := d.below(ann, parley.Delegate, "Bob")
	d.end(done, "Done.")
	d.refused("has ended already (completed).", func() error { return d.Cancel(d.Context(), turn(ann), done.Task) })
	d.refused("not found.", func() error { return d.Cancel(d.Context(), d.as("Pat"), 1<<40) })
}

// A parent that waits is woken when somebody else cancels what it waits for, and
// what the cancelled task itself waits for is withdrawn.
func TestCancelWakesAParentThatWaits(t *testing.T) {
	d := newDesk(t, "Ann", "Bob")
	ann := d.working("Ann")
	bob := d.below(ann, parley.Delegate, "Bob")
	held := d.hold(bob, "call")
	d.park(bob.Task)
	d.equal("parked", parley.TaskParked, d.end(ann, "I wait."))
	d.must(d.Cancel(d.Context(), d.as("Pat"), bob.Task))
	d.equal("the parent", parley.Queued, d.store.Task(ann.Task).State)
	d.equal("the approval", parley.ApprovalWithdrawn, d.approval(held).State)
	d.equal("pending", 0, d.store.Task(bob.Task).Approvals)
	d.refused("is not pending any more: it is withdrawn.", func() error { return d.Approve(d.Context(), d.as("Pat"), held) })
}
