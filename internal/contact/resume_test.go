package contact_test

import (
	"testing"

	"parley"
	"parley/internal/contact"
	"parley/internal/store"
)

// begun stores a step of a task, as its turn would.
func (d *desk) begun(id parley.TaskID) {
	d.Helper()
	d.store.Do(func(tx *store.Tx) error {
		tx.InsertStep(parley.Step{Task: id, Turn: 1, N: 1, Kind: parley.StepPrompt, Content: []byte("{}")})
		return nil
	})
}

func (d *desk) resume(as string, id parley.TaskID) func() error {
	return func() error { _, err := d.ResumeTask(d.Context(), d.as(as), id); return err }
}

// A resumed task names the one that failed and has its steps and what came back to it.
// Its result goes to the parent, which is open. The old one stays failed.
func TestAResumedTaskGoesOnForTheParent(t *testing.T) {
	d := newDesk(t, "Ann", "Bob", "Cid")
	ann := d.working("Ann")
	bob := d.below(ann, parley.Delegate, "Bob")
	cid := d.below(bob, parley.Delegate, "Cid")
	d.refused("is running.", d.resume("Pat", bob.Task))
	d.end(cid, "Here.")
	d.begun(bob.Task)
	d.fails(bob, "No.")
	d.refused("is not yours to resume.", d.resume("Bob", bob.Task))
	made, err := d.ResumeTask(d.Context(), d.as("Ann"), bob.Task)
	d.must(err)
	old, next := d.store.Task(bob.Task), d.store.Task(made.Task.ID)
	d.equal("steps", 1, made.Steps)
	d.equal("the old one", parley.TaskFailed, old.State)
	d.equal("the new one", []any{bob.Task, bob.Task, parley.Queued, old.Agent, old.Thread, ann.Task, old.Root, parley.CallbackResult, 1, old.Chain},
		[]any{next.Resumes, next.RetryOf, next.State, next.Agent, next.Thread, next.Parent, next.Root, next.Callback, next.Turns, next.Chain})
	d.equal("what came back", []string{"delegation_result of Cid: Here."}, d.inbox(next.ID))
	d.equal("open children", 1, d.store.Task(ann.Task).OpenChildren)
	d.refused("was resumed as "+next.ID.String()+", which is queued.", d.resume("Pat", bob.Task))
	d.refused("parley task wait "+next.ID.String(), d.resume("Pat", bob.Task))
	_, err = d.EndTurn(d.Context(), parley.TurnEnd{Lease: d.claim(next.ID), Text: "Done.", InboxRead: 1})
	d.must(err)
	d.equal("the parent has", []string{"delegation_failed of Bob: No.", "delegation_result of Bob: Done."}, d.inbox(ann.Task))
	d.refused("is completed.", d.resume("Pat", next.ID))
	d.refused("parley task show "+next.ID.String(), d.resume("Pat", bob.Task))
}

// What fails again is resumed again, from the last of them.
func TestAResumedTaskThatFailsIsResumed(t *testing.T) {
	d := newDesk(t, "Ann", "Bob")
	bob := d.below(d.working("Ann"), parley.Delegate, "Bob")
	d.begun(bob.Task)
	d.fails(bob, "No.")
	second, err := d.ResumeTask(d.Context(), d.as("Pat"), bob.Task)
	d.must(err)
	d.fails(d.claim(second.Task.ID), "Again no.")
	d.refused("which is failed.", d.resume("Pat", bob.Task))
	third, err := d.ResumeTask(d.Context(), d.as("Pat"), second.Task.ID)
	d.must(err)
	d.equal("takes over", []any{second.Task.ID, 1, 1}, []any{third.Task.Resumes, third.Steps, third.Task.Turns})
	d.must(d.Cancel(d.Context(), d.as("Pat"), third.Task.ID))
	d.refused("is cancelled, and a cancelled task never goes on.", d.resume("Pat", third.Task.ID))
}

// A child that failed comes back to the task that goes on for its parent.
func TestAResumedChildFindsTheHeirOfItsParent(t *testing.T) {
	d := newDesk(t, "Ann", "Bob")
	ann := d.working("Ann")
	bob := d.below(ann, parley.Delegate, "Bob")
	for _, l := range []parley.Lease{bob, ann} {
		d.begun(l.Task)
		d.fails(l, "No.")
	}
	heir, err := d.ResumeTask(d.Context(), d.as("Pat"), ann.Task)
	d.must(err)
	child, err := d.ResumeTask(d.Context(), d.as("Pat"), bob.Task)
	d.must(err)
	d.equal("child", []any{heir.Task.ID, parley.CallbackResult}, []any{child.Task.Parent, child.Task.Callback})
	d.equal("open children", 1, d.store.Task(heir.Task.ID).OpenChildren)
}

// What retention has removed cannot go on. A task that it took over is enough.
func TestATaskWithoutItsStepsIsNotResumed(t *testing.T) {
	d := newDesk(t, "Ann")
	ann := d.working("Ann")
	d.begun(ann.Task)
	d.fails(ann, "No.")
	second, err := d.ResumeTask(d.Context(), d.as("Pat"), ann.Task)
	d.must(err)
	d.fails(d.claim(second.Task.ID), "Again no.")
	request := d.store.Task(ann.Task).Request
	d.store.Do(func(tx *store.Tx) error {
		tx.RemoveMessages([]parley.MessageID{request})
		return nil
	})
	d.refused("The steps of "+ann.Task.String()+" are too old and were removed.", d.resume("Pat", second.Task.ID))
}

// What was spent stays spent: the task goes on with the budget of the one that failed.
func TestAResumedTaskGoesOnWithItsBudget(t *testing.T) {
	d := newDesk(t, member{name: "Ann", limits: func(l *parley.Limits) { l.Budget.Tokens = 100 }})
	ann := d.working("Ann")
	d.begun(ann.Task)
	d.fails(ann, "No.")
	next, err := d.ResumeTask(d.Context(), d.as("Pat"), ann.Task)
	d.must(err)
	d.equal("budget", ann.Task, next.Task.Budget)
	again, err := d.Retry(d.Context(), d.as("Pat"), ann.Task)
	d.must(err)
	d.equal("a retry has its own", again.ID, again.Budget)
}

// A call that the failed task has made is found under its old key, also after several
// resumptions; a call of the new task's own is not.
func TestAResumedTaskFindsWhatItsCallsHaveMade(t *testing.T) {
	d := newDesk(t, "Ann", "Bob")
	ann := d.working("Ann")
	told := contact.Request{Target: "Bob", Message: "Go.", Priority: parley.Normal, Key: "1/1/c"}
	first, err := d.Delegate(d.Context(), turn(ann), told)
	d.must(err)
	d.begun(ann.Task)
	last := ann
	for range 2 {
		d.fails(last, "No.")
		next, err := d.ResumeTask(d.Context(), d.as("Pat"), last.Task)
		d.must(err)
		last = d.claim(next.Task.ID)
	}
	caller := turn(last)
	caller.From = ann.Task
	found, err := d.Delegate(d.Context(), caller, told)
	d.must(err)
	d.equal("found", first.Task.ID, found.Task.ID)
	caller.From = 0
	fresh, err := d.Delegate(d.Context(), caller, told)
	d.must(err)
	d.equal("made", last.Task, fresh.Task.Parent)
}
