package change

import (
	"errors"
	"slices"

	"parley"
	"parley/internal/store"
)

// A task that goes on where another one failed goes on in its files too. So what both
// changed is one work: the resumption means itself and the one that failed. The failed
// one alone means its half, which cannot be taken back from under the other.

// heir is a task that goes on where one of the work's failed, after the work.
type heir struct {
	of parley.TaskID // that failed
	// last of the tasks that went on one after the other: the first, or what went on
	// where that failed.
	last parley.Task
	open parley.TaskID // it, or one below it, that is open; 0 if none is
	// stands says that something of what they changed was not taken back.
	stands bool
}

// family reads a task, unless only itself is wanted those below it, and those that they
// go on from, which are also returned by themselves.
func family(tx *store.Tx, id parley.TaskID, only bool) (list []parley.Task, from []parley.TaskID, err error) {
	known := map[parley.TaskID]bool{}
	for next := []parley.TaskID{id}; len(next) > 0; next = next[1:] {
		if known[next[0]] {
			continue
		}
		if next[0] != id {
			from = append(from, next[0])
		}
		tree, err := treeOf(tx, next[0], only)
		if err != nil {
			return nil, nil, err
		}
		for _, t := range tree {
			if known[t.ID] {
				continue
			}
			known[t.ID] = true
			list = append(list, t)
			if t.Resumes != 0 {
				next = append(next, t.Resumes)
			}
		}
	}
	return list, from, nil
}

func treeOf(tx *store.Tx, id parley.TaskID, only bool) ([]parley.Task, error) {
	if !only {
		return tx.Subtree(id)
	}
	t, err := tx.Task(id)
	return []parley.Task{t}, err
}

// heirsOf finds what goes on where these tasks failed and is not one of them.
func heirsOf(tx *store.Tx, list []parley.Task) (heirs []heir, err error) {
	for _, t := range list {
		if t.State != parley.TaskFailed {
			continue
		}
		next, err := tx.ResumedBy(t.ID)
		if errors.Is(err, store.ErrNotFound) || err == nil && slices.ContainsFunc(list, func(o parley.Task) bool { return o.ID == next.ID }) {
			continue
		}
		h := heir{of: t.ID}
		for err == nil {
			h.last = next
			if err = h.look(tx, next.ID); err == nil {
				next, err = tx.ResumedBy(next.ID)
			}
		}
		if !errors.Is(err, store.ErrNotFound) {
			return nil, err
		}
		heirs = append(heirs, h)
	}
	return heirs, nil
}

// look finds out whether a task or one below it is open or has changed something.
func (h *heir) look(tx *store.Tx, id parley.TaskID) error {
	tree, err := tx.Subtree(id)
	if err != nil {
		return err
	}
	for _, t := range tree {
		if t.State.Open() && h.open == 0 {
			h.open = t.ID
		}
		list, err := tx.Changes(t.ID)
		if err != nil {
			return err
		}
		h.stands = h.stands || slices.ContainsFunc(list, func(c parley.Change) bool {
			return c.State != parley.ChangeUndone && c.Place != parley.Ignored
		})
	}
	return nil
}

// mayUndo refuses while one of the tasks may change more, and what another one has gone
// on from.
func (w work) mayUndo(id parley.TaskID) error {
	if i := slices.IndexFunc(w.tasks, func(t parley.Task) bool { return t.State.Open() }); i >= 0 {
		return parley.Errorf(parley.Conflict, "%s is %s, and may change more.", w.tasks[i].ID, w.tasks[i].State).
			WithHint("Wait for its end, or cancel it with: parley task cancel %s", w.tasks[i].ID)
	}
	for _, h := range w.heirs {
		then := "."
		if h.of != id {
			then = ", and then undo " + id.String() + "."
		}
		switch {
		case h.open != 0:
			return parley.Errorf(parley.Conflict, "%s failed, and %s goes on with what it changed; %s is not at its end.", h.of, h.last.ID, h.open).
				WithHint("Wait for its end, or cancel it with: parley task cancel %s. Then take back what both changed with: parley task undo %s%s", h.open, h.last.ID, then)
		case h.stands:
			return parley.Errorf(parley.Conflict, "%s failed, and %s went on with what it changed.", h.of, h.last.ID).
				WithHint("Take back what both changed with: parley task undo %s%s", h.last.ID, then)
		}
	}
	return nil
}
