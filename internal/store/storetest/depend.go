package storetest

import (
	"slices"
	"testing"

	"parley"
	"parley/internal/store"
)

// depending stores a task that waits for others.
func (w *world) depending(parent parley.TaskID, on ...parley.TaskID) (made parley.Task) {
	w.t.Helper()
	w.update(func(tx *store.Tx) error {
		locked, err := tx.LockTasks(on...)
		if err != nil {
			return err
		}
		made = w.insert(tx, parley.Task{Parent: parent, State: parley.Waiting, Waits: parley.WaitDependency, Callback: parley.CallbackResult})
		for i := range locked {
			tx.InsertDependency(made.ID, &locked[i])
		}
		return nil
	})
	return made
}

func (w *world) ends(id parley.TaskID, s parley.State) {
	w.t.Helper()
	w.update(func(tx *store.Tx) error {
		tasks, err := tx.LockTasks(id)
		if err != nil {
			return err
		}
		tasks[0].State = s
		tx.UpdateTask(&tasks[0])
		return nil
	})
}

func (w *world) settled() (ids []parley.TaskID) {
	w.t.Helper()
	w.view(func(tx *store.Tx) (err error) { ids, err = tx.SettledDependents(10); return err })
	return ids
}

func dependencies(t *testing.T, open Open) {
	w := newWorld(t, open)
	top := w.task(parley.Task{State: parley.Running})
	a, b := w.child(top.ID), w.child(top.ID)
	both, one := w.depending(top.ID, a.ID, b.ID), w.depending(top.ID, b.ID)
	if got := w.readTask(b.ID).Dependents; got != 2 {
		t.Errorf("%d depend on it", got)
	}
	if got := w.readTask(both.ID); got.Waits != parley.WaitDependency || !got.Blocked() {
		t.Errorf("stored as %+v", got)
	}
	w.view(func(tx *store.Tx) error {
		list, err := tx.Dependencies(both.ID)
		if len(list) != 2 || list[0].ID != a.ID || list[1].ID != b.ID {
			t.Errorf("it depends on %v", list)
		}
		waits, err2 := tx.WaitsFor(both.ID)
		above, err3 := tx.WaitsFor(top.ID)
		if !slices.Equal(waits, []parley.TaskID{a.ID, b.ID}) || !slices.Equal(above, []parley.TaskID{a.ID, b.ID, both.ID, one.ID}) {
			t.Errorf("they wait for %v and %v: %v, %v", waits, above, err2, err3)
		}
		open, err4 := tx.AgentOpenTasks(w.bob.ID)
		if open.Queued != 2 || open.Waiting != 0 || err4 != nil {
			t.Errorf("counted as %+v: %v", open, err4)
		}
		return err
	})
	if got := w.settled(); len(got) != 0 {
		t.Errorf("settled before anything has ended: %v", got)
	}
	w.ends(a.ID, parley.Completed)
	if got := w.settled(); len(got) != 0 {
		t.Errorf("settled with one of two: %v", got)
	}
	w.ends(b.ID, parley.Completed)
	if got := w.settled(); !slices.Equal(got, []parley.TaskID{both.ID, one.ID}) {
		t.Errorf("settled: %v", got)
	}
	w.ends(one.ID, parley.Running)
	w.ends(a.ID, parley.Waiting)
	w.ends(b.ID, parley.TaskFailed)
	if got := w.settled(); !slices.Equal(got, []parley.TaskID{both.ID}) {
		t.Errorf("a bad end does not wait for the others: %v", got)
	}
}

// dependAgainstEnd: either the dependent sees the end, or the end sees that
// somebody waits.
func dependAgainstEnd(t *testing.T, open Open) {
	w := newWorld(t, open)
	for range lockRounds {
		on := w.task(parley.Task{State: parley.Running})
		saw := parley.Running
		counted := 0
		atOnce(t, 2, func(i int) error {
			return w.counted(func(tx *store.Tx) error {
				locked, err := tx.LockTasks(on.ID)
				if err != nil {
					return err
				}
				if i == 0 {
					counted = locked[0].Dependents
					locked[0].State = parley.Completed
					tx.UpdateTask(&locked[0])
					return nil
				}
				if saw = locked[0].State; saw.Open() {
					made := w.insert(tx, parley.Task{State: parley.Waiting, Waits: parley.WaitDependency})
					tx.InsertDependency(made.ID, &locked[0])
				}
				return nil
			})
		})
		if saw.Open() != (counted == 1) {
			t.Errorf("the dependent saw %v, the end counted %d", saw, counted)
		}
	}
}
