package turn

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"parley"
	"parley/internal/model"
	"parley/internal/store"
)

// A task that goes on where another one failed has the other's steps before its own.
// They are read where they are: what is said of a turn that goes on after a crash
// holds of it too, its calls keep their keys, and nothing is stored twice. Only the
// limits of a turn begin anew, and what has to be approved is asked for again.

// failedTask is a task that failed, and what it has left to the one that goes on.
type failedTask struct {
	parley.Task
	steps []parley.Step
	note  string // what the model reads where they end
}

// loadFailed reads the tasks that this one goes on from, and returns what the first of
// them was asked: with that its transcript begins. One that failed before its first
// step has left nothing, and what came after it began anew.
func (r *run) loadFailed(tx *store.Tx, h parley.Handover) (asked parley.Message, err error) {
	r.failed = nil
	next := h.Task
	for next.Resumes != 0 {
		f := failedTask{}
		if f.Task, err = tx.Task(next.Resumes); err != nil {
			return asked, err
		}
		if f.steps, err = tx.Steps(f.ID); err != nil {
			return asked, err
		}
		if f.note, err = r.noteOf(tx, f.Task, next); err != nil {
			return asked, err
		}
		r.failed = append(r.failed, f)
		next = f.Task
	}
	slices.Reverse(r.failed)
	first := slices.IndexFunc(r.failed, func(f failedTask) bool { return len(f.steps) > 0 })
	if first < 0 {
		r.failed = nil
		return h.Request, nil
	}
	r.failed = r.failed[first:]
	return tx.Message(r.failed[0].Request)
}

// noteOf is what the model reads where a task failed and the next one goes on: why, and
// which of its subtasks were cancelled with it. Both tasks' rows are final in that.
func (r *run) noteOf(tx *store.Tx, failed, next parley.Task) (string, error) {
	tree, err := tx.Subtree(failed.ID)
	if err != nil {
		return "", err
	}
	var gone []string
	for _, t := range tree {
		if t.Parent != failed.ID || t.State != parley.Cancelled || t.EndedAt < failed.EndedAt {
			continue // it had ended by itself, and was told of
		}
		if err := r.names.learn(tx, t.Agent); err != nil {
			return "", err
		}
		gone = append(gone, fmt.Sprintf("- %s, %s: %s", t.ID, r.names.of(t.Agent), parley.Entry(t.Title)))
	}
	return parley.ResumedText(failed.ID, next.ID, failed.Error, strings.Join(gone, "\n")), nil
}

// goOn takes in that the task failed here and goes on as another one. Nothing of what
// it waited for comes any more. What waits for approval was withdrawn, and is asked
// for again.
func (t *transcript) goOn(note string) {
	t.began, t.prompt.Open = len(t.past), 0
	for i := range t.pending {
		if p := &t.pending[i]; p.round {
			t.roundHeld = t.roundBefore
		}
		t.pending[i].held, t.pending[i].round = false, false
	}
	if slices.ContainsFunc(t.past, claims) {
		note += "\nWhat you had claimed is free again; claim what you still need."
	}
	t.note = strings.TrimSpace(t.note + "\n\n" + note)
	t.showNote()
}

// endFailed fails the task because of its model. What the turn began with is stored, if
// it is not yet: a task that goes on from here could not find out what this one was
// shown, since that is no news any more.
func (r *run) endFailed(ctx context.Context, failure error) (parley.Outcome, error) {
	e := parley.TurnEnd{Reason: r.modelFailure(failure)}
	if r.start != nil {
		begun, err := r.encode(1, draft{content: r.prompt})
		if err != nil {
			return 0, err
		}
		e.Steps = []parley.Step{begun}
	}
	return r.endAsked(ctx, e)
}

// claims reports whether a reply claimed something: a claim ends with its task.
func claims(e entry) bool {
	return slices.ContainsFunc(e.Calls, func(c model.Call) bool { return c.Name == "peer_claim_region" })
}

// showNote shows what waits for the results of calls, once they are there: nothing may
// stand between a call and its result.
func (t *transcript) showNote() {
	if t.note == "" || len(t.pending) > 0 {
		return
	}
	t.past = append(t.past, entry{Message: model.Message{Role: model.User, Text: t.note}, unread: true, stored: &letter{}})
	t.note = ""
}

// keyOf is the key of a pending call: the task and turn that decided on it, and its id.
// from is that task if it is an earlier one, else 0.
func (r *run) keyOf(call string) (key string, from parley.TaskID) {
	of := r.lease.Task
	if p := r.pendingCall(call); p != nil && p.of != of {
		of, from = p.of, p.of
	}
	return fmt.Sprintf("%d/%d/%s", of, r.turn, call), from
}

// keptSteps is how many steps of the task, and of those that it goes on from, are in
// keepers.
func (r *run) keptSteps(tx *store.Tx) (n int, err error) {
	for _, f := range r.failed {
		kept, err := tx.KeptSteps(f.ID, r.lease.Agent, r.task.Thread)
		if err != nil {
			return 0, err
		}
		n += kept
	}
	own, err := tx.KeptSteps(r.task.ID, r.lease.Agent, r.task.Thread)
	return n + own, err
}
