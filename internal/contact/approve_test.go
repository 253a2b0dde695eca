package contact_test

import (
	"context"
	"testing"
	"time"

	"parley"
	"parley/internal/access"
	"parley/internal/contact"
	"parley/internal/policy"
	"parley/internal/store"
)

// hold puts a call of a turn off until somebody decides, as a turn does.
func (d *desk) hold(l parley.Lease, call string) parley.ApprovalID {
	d.Helper()
	return d.holdFor(l, call, false)
}

func (d *desk) holdFor(l parley.Lease, call string, people bool) parley.ApprovalID {
	d.Helper()
	args := `{"message":"Please."}`
	a := parley.Approval{Team: d.team, Task: l.Task, Turn: 1, Call: call, Agent: l.Agent,
		Rule: "supervised", Reason: "It is supervised.", PeopleOnly: people}.Of("contact_agent", args)
	d.store.Do(func(tx *store.Tx) error {
		tasks, err := tx.LockTasks(l.Task)
		if err != nil {
			return err
		}
		a.ExpiresAt = tx.Now.Add(24 * time.Hour)
		tx.InsertApproval(&a)
		tasks[0].Approvals++
		tx.UpdateProgress(&tasks[0])
		return nil
	})
	return a.ID
}

// Approve decides as somebody who was shown the approval.
func (d *desk) Approve(ctx context.Context, c access.Caller, id parley.ApprovalID) error {
	_, err := d.Service.Approve(ctx, c, d.shown(id))
	return err
}

func (d *desk) Deny(ctx context.Context, c access.Caller, id parley.ApprovalID, reason string) error {
	_, err := d.Service.Deny(ctx, c, d.shown(id), reason)
	return err
}

func (d *desk) shown(id parley.ApprovalID) parley.ApprovalRef {
	a := d.approval(id)
	return parley.ApprovalRef{ID: id, Letters: a.Letters, Digest: a.ShortDigest()}
}

func (d *desk) approval(id parley.ApprovalID) (a parley.Approval) {
	d.Helper()
	d.store.See(func(tx *store.Tx) (err error) { a, err = tx.Approval(id); return err })
	return a
}

// What was decided has its task go on when nothing of its step is pending any
// more, and not before.
func TestADecisionQueuesItsTaskWithTheLast(t *testing.T) {
	d := newDesk(t, "Ann")
	ann := d.working("Ann")
	first, second := d.hold(ann, "a"), d.hold(ann, "b")
	d.park(ann.Task)
	d.must(d.Approve(d.Context(), d.as("Pat"), first))
	d.equal("after the first", []any{parley.Waiting, 1}, []any{d.store.Task(ann.Task).State, d.store.Task(ann.Task).Approvals})
	d.must(d.Deny(d.Context(), d.as("Pat"), second, " Not now. "))
	d.equal("after the last", []any{parley.Queued, 0}, []any{d.store.Task(ann.Task).State, d.store.Task(ann.Task).Approvals})
	got := d.approval(second)
	d.equal("the decision", []any{parley.ApprovalDenied, d.id("Pat"), "Not now.", d.store.Now()}, []any{got.State, got.DecidedBy, got.Comment, got.DecidedAt})
	d.refused("was approved by Pat already.", func() error { return d.Deny(d.Context(), d.as("Pat"), first, "") })
	d.refused("was denied by Pat already.", func() error { return d.Approve(d.Context(), d.as("Pat"), second) })
}

// Only people and the agent's own manager decide, and to anybody else what waits
// does not exist.
func TestWhoDecides(t *testing.T) {
	d := newDesk(t, member{name: "Ann", rules: policy.Rules{Manager: "boss"}}, "Boss", "Peer",
		member{name: "Report", rules: policy.Rules{Manager: "ann"}}, member{name: "Second", rules: policy.Rules{Manager: "boss"}})
	ann := d.working("Ann")
	for _, name := range []string{"Peer", "Report", "Second"} {
		id := d.hold(ann, name)
		d.refused("not found.", func() error { return d.Approve(d.Context(), d.as(name), id) })
		d.refused("not found.", func() error { return d.Deny(d.Context(), d.as(name), id, "") })
	}
	own := d.hold(ann, "own")
	d.refused("You cannot decide about what you want yourself.", func() error { return d.Approve(d.Context(), d.as("Ann"), own) })
	d.refused("not found.", func() error { return d.Approve(d.Context(), d.other, own) })
	d.must(d.Approve(d.Context(), d.as("Boss"), own))
	d.must(d.Approve(d.Context(), d.as("Pat"), d.hold(ann, "person")))
}

// What is left to people is neither given to a manager nor decided by one, who may
// look at it all the same.
func TestOnlyPeopleDecideAboutWhatIsLeftToThem(t *testing.T) {
	d := newDesk(t, member{name: "Ann", rules: policy.Rules{Manager: "boss"}}, "Boss")
	ann := d.working("Ann")
	id := d.holdFor(ann, "a", true)
	before := d.counts()
	d.must(d.AskManager(d.Context(), ann))
	d.equal("asking nobody", before, d.counts())
	d.refused("Only people may decide about "+id.String()+".", func() error { return d.Approve(d.Context(), d.as("Boss"), id) })
	d.refused("Only people may decide about "+id.String()+".", func() error { return d.Deny(d.Context(), d.as("Boss"), id, "") })
	d.refused("A person decides about", func() error { return d.Approve(d.Context(), d.as("Ann"), id) })
	d.equal("state", parley.ApprovalPending, d.approval(id).State)
	d.must(d.Approve(d.Context(), d.as("Pat"), id))
}

// What was decided stays decided when its task ends; only what is pending is
// withdrawn.
func TestADecisionOutlivesItsTask(t *testing.T) {
	d := newDesk(t, "Ann")
	ann := d.working("Ann")
	approved, denied, pending := d.hold(ann, "a"), d.hold(ann, "b"), d.hold(ann, "c")
	d.must(d.Approve(d.Context(), d.as("Pat"), approved))
	d.must(d.Deny(d.Context(), d.as("Pat"), denied, "No."))
	d.fails(ann, "No credit.")
	d.equal("states", []parley.ApprovalState{parley.ApprovalApproved, parley.ApprovalDenied, parley.ApprovalWithdrawn},
		[]parley.ApprovalState{d.approval(approved).State, d.approval(denied).State, d.approval(pending).State})
	d.equal("pending", 0, d.store.Task(ann.Task).Approvals)
}

// Two programs may use the same key: each has what it asked for.
func TestTwoProgramsUseTheSameKey(t *testing.T) {
	rules := policy.Rules{Behavior: policy.Supervised}
	d := newDesk(t, member{name: "One", kind: parley.Client, rules: rules}, member{name: "Two", kind: parley.Client, rules: rules}, "Ann")
	wants := func(who, text string) parley.ApprovalID {
		t.Helper()
		_, err := d.Delegate(d.Context(), d.as(who), contact.Request{Target: "Ann", Message: text, Key: "k"})
		need, ok := parley.AsNeedsApproval(err)
		if !ok {
			t.Fatalf("%s: %v", who, err)
		}
		return need.Approval
	}
	one, two := wants("One", "For one."), wants("Two", "For two.")
	d.equal("asked again", []parley.ApprovalID{one, two}, []parley.ApprovalID{wants("One", "For one."), wants("Two", "For two.")})
	d.must(d.Approve(d.Context(), d.as("Pat"), two))
	d.equal("said", []string{"Two delegate: For two."}, d.talk("Two", "Ann"))
	d.equal("not said", []string(nil), d.talk("One", "Ann"))
}
