package storetest

import (
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/internal/store"
)

// region is a claim by Ann for some minutes from now.
func (w *world) region(tx *store.Tx, task parley.TaskID, path string, from, to, minutes int) parley.Claim {
	return parley.Claim{Team: w.team.ID, Path: path, Lines: parley.Lines{From: from, To: to}, Agent: w.ann.ID, Task: task,
		Until: tx.Now.Add(time.Duration(minutes) * time.Minute)}
}

func claimRoundTrip(t *testing.T, open Open) {
	at := newClock()
	w := newWorldAt(t, open, at.now)
	task := w.task(parley.Task{State: parley.Running})
	var first, second, other parley.Claim
	w.update(func(tx *store.Tx) error {
		first, second, other = w.region(tx, task.ID, "a.go", 1, 9, 5), w.region(tx, 0, "a.go", 20, 30, 8), w.region(tx, task.ID, "b.go", 0, 0, 5)
		other.Agent = w.bob.ID
		for _, c := range []parley.Claim{other, second, first} {
			tx.PutClaim(c)
		}
		return nil
	})
	w.claimed("all", []parley.Claim{first, second, other})
	w.view(func(tx *store.Tx) error {
		list, err := tx.ClaimsOn(w.team.ID, "a.go")
		if d := cmp.Diff([]parley.Claim{first, second}, list); d != "" {
			t.Error(d)
		}
		return err
	})
	first.Until = first.Until.Add(time.Minute)
	w.update(func(tx *store.Tx) error { tx.PutClaim(first); tx.DeleteClaim(other); return nil })
	w.claimed("renewed", []parley.Claim{first, second})
	at.move(6 * time.Minute)
	w.claimed("over", []parley.Claim{second})
}

// A claim ends with its task, whatever its time.
func claimEndsWithTask(t *testing.T, open Open) {
	w := newWorld(t, open)
	task := w.task(parley.Task{State: parley.Running})
	w.update(func(tx *store.Tx) error { tx.PutClaim(w.region(tx, task.ID, "a.go", 0, 0, 5)); return nil })
	for _, end := range []parley.State{parley.Waiting, parley.Completed, parley.TaskFailed, parley.Cancelled} {
		task.State = end
		w.update(func(tx *store.Tx) error { tx.UpdateTask(&task); return nil })
		w.view(func(tx *store.Tx) error {
			list, err := tx.Claims(w.team.ID)
			if held := len(list) == 1; held != end.Open() {
				t.Errorf("with a task that is %v: held %v", end, held)
			}
			return err
		})
	}
}

func (w *world) claimed(when string, want []parley.Claim) {
	w.t.Helper()
	w.view(func(tx *store.Tx) error {
		list, err := tx.Claims(w.team.ID)
		if d := cmp.Diff(want, list); d != "" {
			w.t.Errorf("%s: %s", when, d)
		}
		return err
	})
}

var errTaken = errors.New("taken")

// claimAtOnce: with row locks neither sees the other's claim before it is stored, so
// the team's lock decides.
func claimAtOnce(t *testing.T, open Open) {
	w := newWorld(t, open)
	const claimers = 8
	var tasks []parley.Task
	for range claimers {
		tasks = append(tasks, w.task(parley.Task{State: parley.Running}))
	}
	for range lockRounds {
		var won atomic.Int32
		atOnce(t, claimers, func(i int) error {
			err := w.counted(func(tx *store.Tx) error { return w.tryClaim(tx, tasks[i].ID) })
			if err == nil {
				won.Add(1)
			} else if errors.Is(err, errTaken) {
				err = nil
			}
			return err
		})
		if n := won.Load(); n != 1 {
			t.Errorf("%d hold the same lines", n)
		}
		w.update(func(tx *store.Tx) error {
			list, err := tx.Claims(w.team.ID)
			for _, c := range list {
				tx.DeleteClaim(c)
			}
			return err
		})
	}
}

func (w *world) tryClaim(tx *store.Tx, task parley.TaskID) error {
	if _, err := tx.LockTasks(task); err != nil {
		return err
	}
	if _, err := tx.LockTeam(w.team.ID); err != nil {
		return err
	}
	held, err := tx.ClaimsOn(w.team.ID, "a.go")
	if err != nil {
		return err
	}
	if len(held) > 0 {
		return errTaken
	}
	tx.PutClaim(w.region(tx, task, "a.go", 1, 9, 5))
	return nil
}

// Claims, intents and open tasks say who works on a path.
func busyOn(t *testing.T, open Open) {
	at := newClock()
	w := newWorldAt(t, open, at.now)
	task := w.task(parley.Task{State: parley.Running, Agent: w.carol.ID})
	w.update(func(tx *store.Tx) error {
		tx.PutClaim(w.region(tx, 0, "a.go", 1, 9, 5))
		tx.PutIntent(w.team.ID, "a.go", w.bob.ID, 0, tx.Now.Add(time.Minute))
		tx.PutIntent(w.team.ID, "a.go", w.bob.ID, 0, tx.Now.Add(10*time.Minute))
		tx.PutIntent(w.team.ID, "b.go", w.carol.ID, 0, tx.Now.Add(10*time.Minute))
		tx.InsertTaskPath(&task, "a.go")
		return nil
	})
	busy := func(when string, want ...parley.AgentID) {
		t.Helper()
		w.view(func(tx *store.Tx) error {
			list, err := tx.BusyOn(w.team.ID, "a.go")
			var ids []parley.AgentID
			for _, b := range list {
				ids = append(ids, b.Agent)
				if b.Agent == w.carol.ID && b.Task != task.ID {
					t.Errorf("%s: in task %d", when, b.Task)
				}
			}
			if d := cmp.Diff(want, ids); d != "" {
				t.Errorf("%s: %s", when, d)
			}
			return err
		})
	}
	busy("all", w.ann.ID, w.bob.ID, w.carol.ID)
	at.move(6 * time.Minute)
	busy("after the claim", w.bob.ID, w.carol.ID)
	w.ends(task.ID, parley.Completed)
	busy("after the task", w.bob.ID)
	at.move(6 * time.Minute)
	w.update(func(tx *store.Tx) error { tx.SweepClaims(w.team.ID); return nil })
	busy("after the intent")
}
