package contact_test

import (
	"errors"
	"slices"
	"testing"

	"parley"
)

// TestTheEndOfATaskComesBack is the table of callbacks: what the parent has of the
// end of a task, for each way in which it can be asked for and in each state that
// the parent can be in.
func TestTheEndOfATaskComesBack(t *testing.T) {
	const result, failure = "delegation_result of Bob: Done.", "delegation_failed of Bob: No."
	type want struct {
		Inbox    []string
		State    parley.State
		Children int
		Asleep   bool // the parent is due when its agent wakes
	}
	waiting := func(d *desk, ann parley.Lease) { d.equal("parked", parley.TaskParked, d.end(ann, "I wait.")) }
	asleep := func(d *desk, ann parley.Lease) {
		waiting(d, ann)
		d.must(d.Sleep(d.Context(), d.as("Pat"), "Ann", d.store.Now().Add(anHour).Time()))
	}
	for _, c := range []struct {
		name     string
		pattern  parley.Pattern
		callback parley.Callback // in place of the pattern's own
		parent   func(d *desk, ann parley.Lease)
		fails    bool
		want     want
	}{
		{name: "a delegation, to a running parent", pattern: parley.Delegate, want: want{[]string{result}, parley.Running, 0, false}},
		{name: "a delegation, to a waiting parent", pattern: parley.Delegate, parent: waiting, want: want{[]string{result}, parley.Queued, 0, false}},
		{name: "a delegation, to a waiting parent whose agent sleeps", pattern: parley.Delegate, parent: asleep, want: want{[]string{result}, parley.Queued, 0, true}},
		{name: "a failure, to a running parent", pattern: parley.Delegate, fails: true, want: want{[]string{failure}, parley.Running, 0, false}},
		{name: "a failure, to a waiting parent", pattern: parley.Delegate, parent: waiting, fails: true, want: want{[]string{failure}, parley.Queued, 0, false}},
		{name: "an ask, whose turn takes it itself", pattern: parley.Ask, want: want{nil, parley.Running, 0, false}},
		{name: "a failed ask, whose turn takes it itself", pattern: parley.Ask, fails: true, want: want{nil, parley.Running, 0, false}},
		{name: "a late answer", pattern: parley.Ask, callback: parley.CallbackLate, want: want{[]string{result}, parley.Running, 0, false}},
		{name: "a late failure", pattern: parley.Ask, callback: parley.CallbackLate, fails: true, want: want{[]string{failure}, parley.Running, 0, false}},
		{name: "a result, to a parent that waits for an approval", pattern: parley.Delegate, parent: func(d *desk, ann parley.Lease) {
			d.hold(ann, "call")
			d.park(ann.Task)
		}, want: want{[]string{result}, parley.Waiting, 0, false}},
		{name: "a result, to a parent that waits for its budget", pattern: parley.Delegate, parent: func(d *desk, ann parley.Lease) {
			d.store.Change(ann.Task, func(t *parley.Task) { t.State, t.Worker, t.Waits = parley.Waiting, 0, parley.WaitTree })
		}, want: want{[]string{result}, parley.Waiting, 0, false}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newDesk(t, "Ann", "Bob")
			ann := d.working("Ann")
			bob := d.below(ann, c.pattern, "Bob")
			if c.callback != 0 {
				d.store.Change(bob.Task, func(t *parley.Task) { t.Callback = c.callback })
			}
			if c.parent != nil {
				c.parent(d, ann)
			}
			if c.fails {
				d.fails(bob, "No.")
			} else {
				d.equal("outcome", parley.TaskEnded, d.end(bob, "Done."))
			}
			p := d.store.Task(ann.Task)
			d.equal("the parent", c.want, want{d.inbox(ann.Task), p.State, p.OpenChildren, p.Due == d.store.Now().Add(anHour)})
			child := d.store.Task(bob.Task)
			state := parley.Completed
			if c.fails {
				state = parley.TaskFailed
			}
			d.equal("the child", []any{state, int64(0), d.store.Now()}, []any{child.State, child.Worker, child.EndedAt})
			if !c.fails {
				d.equal("the request", "answered", d.delivery(child.Request, "Bob"))
			}
		})
	}
}

// TestHowATurnEnds is the table of what becomes of a task with the closing text of
// a turn.
func TestHowATurnEnds(t *testing.T) {
	for _, c := range []struct {
		name    string
		before  func(d *desk, ann parley.Lease)
		read    int
		outcome parley.Outcome
		state   parley.State
	}{
		{"with nothing open", func(*desk, parley.Lease) {}, 0, parley.TaskEnded, parley.Completed},
		{"with a delegation open", func(d *desk, ann parley.Lease) { d.contact(turn(ann), parley.Delegate, "Bob") }, 0, parley.TaskParked, parley.Waiting},
		{"with an ask that is cut off open", func(d *desk, ann parley.Lease) { d.contact(turn(ann), parley.Ask, "Bob") }, 0, parley.TaskEnded, parley.Completed},
		{"with a result unread", func(d *desk, ann parley.Lease) { d.end(d.below(ann, parley.Delegate, "Bob"), "Done.") }, 0, parley.TurnAgain, parley.Running},
		{"with a result read", func(d *desk, ann parley.Lease) { d.end(d.below(ann, parley.Delegate, "Bob"), "Done.") }, 1, parley.TaskEnded, parley.Completed},
		{"with one result unread and one delegation open", func(d *desk, ann parley.Lease) {
			d.contact(turn(ann), parley.Delegate, "Bob")
			d.end(d.below(ann, parley.Delegate, "Bob"), "Done.")
		}, 0, parley.TurnAgain, parley.Running},
		{"cancelled meanwhile", func(d *desk, ann parley.Lease) { d.must(d.Cancel(d.Context(), d.as("Pat"), ann.Task)) }, 0, parley.TurnDropped, parley.Cancelled},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newDesk(t, "Ann", "Bob")
			ann := d.working("Ann")
			c.before(d, ann)
			out, err := d.EndTurn(d.Context(), parley.TurnEnd{Lease: ann, Text: "My words.", InboxRead: c.read})
			d.must(err)
			got := d.store.Task(ann.Task)
			d.equal("outcome and state", []any{c.outcome, c.state}, []any{out, got.State})
			said := []string{"Pat delegate: Begin.", "Ann reply: My words."}
			if c.outcome == parley.TurnDropped {
				said = []string{"Pat delegate: Begin.", "Ann delegation_failed: cancelled by Pat."}
				d.equal("record", "result.dropped by Ann to  My words.", d.events(ann.Task)[len(d.events(ann.Task))-1])
			} else {
				d.equal("result", "My words.", d.message(got.Result).Body)
			}
			talk := slices.DeleteFunc(d.talk("Pat", "Ann"), func(line string) bool { return line == "Bob delegation_result: Done." })
			d.equal("conversation", said, talk)
			d.equal("worker", c.state == parley.Running, got.Worker != 0)
		})
	}
}

// A task that fails takes what it had begun with it, and what it waits for; its
// parent hears of it once.
func TestAFailureCancelsWhatItHadBegun(t *testing.T) {
	d := newDesk(t, "Ann", "Bob", "Cid")
	top := d.working("Cid")
	ann := d.below(top, parley.Delegate, "Ann")
	bob := d.below(ann, parley.Delegate, "Bob")
	below := d.contact(turn(bob), parley.Ask, "Cid").Task.ID
	held := d.hold(ann, "call")
	deeper := d.hold(bob, "call")
	d.fails(ann, "No credit.")
	d.equal("states", []parley.State{parley.TaskFailed, parley.Cancelled, parley.Cancelled},
		[]parley.State{d.store.Task(ann.Task).State, d.store.Task(bob.Task).State, d.store.Task(below).State})
	d.equal("why", []string{"No credit.", "cancelled by Ann."}, []string{d.store.Task(ann.Task).Error, d.store.Task(bob.Task).Error})
	d.equal("approvals", []parley.ApprovalState{parley.ApprovalWithdrawn, parley.ApprovalWithdrawn},
		[]parley.ApprovalState{d.approval(held).State, d.approval(deeper).State})
	d.equal("counts", []int{0, 0}, []int{d.store.Task(ann.Task).Approvals, d.store.Task(bob.Task).Approvals})
	d.equal("the parent", []string{"delegation_failed of Ann: No credit."}, d.inbox(top.Task))
	d.equal("children", 0, d.store.Task(top.Task).OpenChildren)
}

// The hub itself fails what is given up; what has ended stays as it is.
func TestWhatTheHubGivesUpFailsOnce(t *testing.T) {
	d := newDesk(t, "Ann", "Bob")
	ann := d.working("Ann")
	bob := d.below(ann, parley.Delegate, "Bob")
	d.must(d.Fail(d.Context(), bob.Task, "its deadline has passed."))
	d.must(d.Fail(d.Context(), bob.Task, "its deadline has passed."))
	d.equal("told once", []string{"delegation_failed of Bob: its deadline has passed."}, d.inbox(ann.Task))
	d.equal("the late turn", true, errors.Is(errOf(d.EndTurn(d.Context(), parley.TurnEnd{Lease: bob, Text: "Late."})), parley.ErrLost))
	done := d.below(ann, parley.Delegate, "Bob")
	d.end(done, "Done.")
	d.must(d.Fail(d.Context(), done.Task, "its deadline has passed."))
	d.equal("completed", parley.Completed, d.store.Task(done.Task).State)
}

// Somebody who is not run by the hub answers by hand, the first time only, and
// only what was asked of them.
func TestAReplyByHandCountsOnce(t *testing.T) {
	d := newDesk(t, member{name: "Client", kind: parley.Client}, "Ann")
	ann := d.working("Ann")
	task := d.contact(turn(ann), parley.Delegate, "Client").Task.ID
	client := d.as("Client")
	d.refused("was not asked of you.", func() error { return d.Reply(d.Context(), d.as("Pat"), task, "Mine.") })
	d.refused(" not found.", func() error { return d.Reply(d.Context(), d.other, task, "Mine.") })
	d.refused("The reply is empty.", func() error { return d.Reply(d.Context(), client, task, " ") })
	d.must(d.Reply(d.Context(), client, task, "Done."))
	d.equal("came back", []string{"delegation_result of Client: Done."}, d.inbox(ann.Task))
	d.refused("has ended already (completed).", func() error { return d.Reply(d.Context(), client, task, "Again.") })
	d.refused("has ended already (completed).", func() error { return d.Decline(d.Context(), client, task, "No.") })
	second := d.contact(turn(ann), parley.Delegate, "Client").Task.ID
	d.must(d.Decline(d.Context(), client, second, "No time."))
	d.equal("declined", []string{"delegation_result of Client: Done.", "delegation_failed of Client: No time."}, d.inbox(ann.Task))
}

// The end of a task whose parent has ended stays in the conversation of the two.
func TestTheEndAfterItsParentsEndStaysInTheConversation(t *testing.T) {
	d := newDesk(t, "Ann", "Bob")
	ann := d.working("Ann")
	late := d.below(ann, parley.Ask, "Bob")
	d.store.Change(late.Task, func(t *parley.Task) { t.Callback = parley.CallbackLate })
	fails := d.below(ann, parley.Ask, "Bob")
	d.store.Change(fails.Task, func(t *parley.Task) { t.Callback = parley.CallbackLate })
	d.end(ann, "Enough.")
	d.end(late, "Done.")
	d.fails(fails, "No.")
	d.equal("nothing comes back", []string(nil), d.inbox(ann.Task))
	d.equal("conversation", []string{"Ann ask: Please.", "Ann ask: Please.", "Bob reply: Done.", "Bob delegation_failed: No."}, d.talk("Ann", "Bob"))
	d.equal("nobody waits", []parley.Callback{parley.CallbackNone, parley.CallbackNone},
		[]parley.Callback{d.store.Task(late.Task).Callback, d.store.Task(fails.Task).Callback})
}
