package contact_test

import (
	"context"
	"testing"
	"time"

	"parley"
	"parley/internal/contact"
	"parley/internal/store"
)

// An ask whose asker was cut off by a fault is still marked as waited for. Whoever
// awaits it takes it as a delegation.
func TestAwaitTask(t *testing.T) {
	for _, c := range []struct {
		name     string
		pattern  parley.Pattern
		callback parley.Callback // in place of the pattern's own
		ended    bool
		want     parley.Callback
		children int
		text     string
	}{
		{name: "an ask whose time ran out", pattern: parley.Ask, callback: parley.CallbackLate, want: parley.CallbackResult, children: 1},
		{name: "an ask that was cut short", pattern: parley.Ask, want: parley.CallbackResult, children: 1},
		{name: "a delegation", pattern: parley.Delegate, want: parley.CallbackResult, children: 1},
		{name: "an ask that has been answered", pattern: parley.Ask, ended: true, want: parley.CallbackReply, text: "Done."},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newDesk(t, "Ann", "Bob")
			ann := d.working("Ann")
			bob := d.below(ann, c.pattern, "Bob")
			if c.callback != 0 {
				d.store.Change(bob.Task, func(t *parley.Task) { t.Callback = c.callback })
			}
			if c.ended {
				d.end(bob, "Done.")
			}
			a, err := d.AwaitTask(d.Context(), turn(ann), bob.Task)
			d.must(err)
			d.equal("callback, children, text", []any{c.want, c.children, c.text},
				[]any{d.store.Task(bob.Task).Callback, d.store.Task(ann.Task).OpenChildren, a.Text})
			if !c.ended {
				d.equal("the parent waits", parley.TaskParked, d.end(ann, "I wait."))
				d.end(bob, "Done.")
				d.equal("and hears", []string{"delegation_result of Bob: Done."}, d.inbox(ann.Task))
				d.equal("and goes on", parley.Queued, d.store.Task(ann.Task).State)
			}
		})
	}
	d := newDesk(t, "Ann", "Bob")
	ann, bob := d.working("Ann"), d.working("Bob")
	d.refused("is not a subtask of", func() error { _, err := d.AwaitTask(d.Context(), turn(ann), bob.Task); return err })
	d.refused("is not a subtask of", func() error { _, err := d.AwaitTask(d.Context(), turn(ann), 1<<40); return err })
	d.refused("not working on a task", func() error { _, err := d.AwaitTask(d.Context(), d.as("Ann"), bob.Task); return err })
}

// Past its time an ask becomes a late one: its answer comes as a delegation's.
func TestAnAskThatTimesOutIsAnsweredLate(t *testing.T) {
	d := newDesk(t, "Ann", "Bob")
	ann := d.working("Ann")
	a, err := d.Ask(d.Context(), turn(ann), contact.Request{Target: "Bob", Message: "Please.", Timeout: time.Microsecond})
	d.equal("kind", parley.Timeout, parley.KindOf(err))
	d.equal("callback", parley.CallbackLate, d.store.Task(a.Task.ID).Callback)
	d.equal("record", "ask.timed_out by Ann to Bob", d.events(a.Task.ID)[1])
	d.end(d.claim(a.Task.ID), "Done.")
	d.equal("late", []string{"delegation_result of Bob: Done."}, d.inbox(ann.Task))
}

// An answer that comes at the moment of giving up is the answer: the asker has
// waited, and the task has ended before anybody gave up.
func TestAnAnswerAtTheMomentOfGivingUpIsTheAnswer(t *testing.T) {
	d := newDesk(t, "Ann", "Bob")
	ann := d.working("Ann")
	c := turn(ann)
	c.Slot = lastMoment{func() {
		var bob parley.TaskID
		d.store.See(func(tx *store.Tx) error {
			open, err := tx.OpenOf(d.id("Bob"))
			bob = open[0]
			return err
		})
		d.end(d.claim(bob), "Just in time.")
	}}
	a, err := d.Ask(d.Context(), c, contact.Request{Target: "Bob", Message: "Please.", Timeout: 1})
	d.must(err)
	d.equal("answer", "Just in time.", a.Text)
	d.equal("callback", parley.CallbackReply, d.store.Task(a.Task.ID).Callback)
	d.equal("nothing else came", []string(nil), d.inbox(ann.Task))
	for _, e := range d.events(a.Task.ID) {
		if e == "ask.timed_out by Ann to Bob" {
			t.Error("the record says that it timed out")
		}
	}
}

// lastMoment is the place of an asker that comes back just as something happens.
type lastMoment struct{ before func() }

func (lastMoment) Release() {}

func (l lastMoment) Acquire(context.Context) error { l.before(); return nil }
