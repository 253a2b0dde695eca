package contact

import (
	"context"
	"errors"

	"parley"
	"parley/internal/access"
	"parley/internal/store"
)

// Resumption is a task that goes on where another one failed.
type Resumption struct {
	Task parley.Task
	// Steps is how many steps of the failed one, and of those that it went on from,
	// the task takes over; 0 if nothing is stored of them: then it begins anew.
	Steps int
}

// ResumeTask goes on with the work of a failed task, as a new task that names the old
// one. It takes over the old one's steps and what came back to it, so that nothing
// that was done is done again: turns read the steps where they are, and calls without
// a result run under their old keys. The old task stays failed. Whoever may retry a
// task may resume it, and the result goes where that of a retry does.
func (s *Service) ResumeTask(ctx context.Context, c access.Caller, id parley.TaskID) (Resumption, error) {
	r, err := s.openAgain(ctx, retry{s: s, caller: c, verb: "resume"}, id)
	return Resumption{Task: r.made, Steps: r.taken.steps}, err
}

// takeover is what a resumption takes over.
type takeover struct {
	turn  int // the last of which there are steps; 0 if there are none
	steps int
}

func (r *retry) resumes() bool { return r.verb == "resume" }

// checkResumed refuses what cannot go on. A task is resumed once: what its successor
// has done since would be done again.
func (r *retry) checkResumed() error {
	id := r.old.ID
	switch r.old.State {
	case parley.TaskFailed:
	case parley.Cancelled:
		return parley.Errorf(parley.Conflict, "%s is cancelled, and a cancelled task never goes on.", id).
			WithHint("Only a failed task can be resumed. Begin it anew with: parley task retry %s", id)
	default:
		return parley.Errorf(parley.Conflict, "%s is %s.", id, r.old.State).WithHint("Only a failed task can be resumed.")
	}
	next, err := r.tx.ResumedBy(id)
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	refused := parley.Errorf(parley.Conflict, "%s was resumed as %s, which is %s.", id, next.ID, next.State)
	switch next.State {
	case parley.TaskFailed:
		return refused.WithHint("Resume that one: it has what both have done.")
	case parley.Cancelled:
		return refused.WithHint("Begin it anew with: parley task retry %s", id)
	case parley.Completed:
		return refused.WithHint("See what came of it with: parley task show %s", next.ID)
	}
	return refused.WithHint("Wait for it with: parley task wait %s", next.ID)
}

// openHeir is a task, or the open one that goes on where it failed, directly or after
// others, locked.
func openHeir(tx *store.Tx, t *parley.Task) (*parley.Task, error) {
	for t.ID != 0 && !t.State.Open() {
		next, err := tx.ResumedBy(t.ID)
		if errors.Is(err, store.ErrNotFound) {
			break
		}
		if err != nil {
			return nil, err
		}
		locked, err := tx.LockTasks(next.ID)
		if err != nil {
			return nil, err
		}
		t = &locked[0]
	}
	return t, nil
}

// takeOver finds how far the old task has come, with those that it went on from. Their
// steps stay where they are: a copy would be as long as the work, be counted twice as
// spent, and have to be redacted twice.
func (r *retry) takeOver() error {
	r.taken = takeover{}
	for t := r.old; ; {
		turn, steps, err := r.tx.StepExtent(t.ID)
		if err != nil {
			return err
		}
		if t.Request == 0 {
			return parley.Errorf(parley.Conflict, "The steps of %s are too old and were removed.", t.ID).
				WithHint("Begin anew with: parley task retry %s", r.old.ID)
		}
		r.taken.turn = max(r.taken.turn, turn)
		r.taken.steps += steps
		if t.Resumes == 0 {
			return nil
		}
		if t, err = r.tx.Task(t.Resumes); err != nil {
			return err
		}
	}
}

// storeTaken stores what the new task has of the old one. Its request was seen in the
// old one.
func (r *retry) storeTaken(t *parley.Task) {
	t.Turns = r.taken.turn
	r.tx.TakeInbox(t, r.old)
	r.tx.UpdateProgress(t)
	r.tx.MarkSeen(t.Request, t.Agent)
}
