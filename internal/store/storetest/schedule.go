package storetest

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"parley"
	"parley/internal/store"
)

func schedules(t *testing.T, open Open) {
	w := newWorld(t, open)
	ctx := context.Background()
	entry := parley.Schedule{Team: w.team.ID, Agent: w.ann.ID, Entry: "nightly", Timing: "every 6h", Next: 100}
	atOnce(t, 4, func(i int) error {
		mine := entry
		mine.Next += parley.Micros(i) // each hub has its own clock; the first counts
		return w.Update(ctx, func(tx *store.Tx) error { tx.InsertSchedule(mine); return nil })
	})
	var took atomic.Int32
	atOnce(t, 8, func(int) error {
		mine := false
		err := w.Update(ctx, func(tx *store.Tx) error {
			s, err := tx.LockSchedule(w.team.ID, w.ann.ID, "nightly")
			if mine = s.Last == 0; err != nil || !mine {
				return err
			}
			s.Timing, s.Next, s.Last, s.Task, s.Missed, s.Problem = "every 7h", 300, 200, 7, 3, "offline"
			tx.UpdateSchedule(s)
			return nil
		})
		if mine {
			took.Add(1)
		}
		return err
	})
	if n := took.Load(); n != 1 {
		t.Errorf("%d took the due time", n)
	}
	want := parley.Schedule{Team: w.team.ID, Agent: w.ann.ID, Entry: "nightly", Timing: "every 7h", Next: 300, Last: 200, Task: 7, Missed: 3, Problem: "offline"}
	other := parley.Schedule{Team: w.team.ID, Agent: w.bob.ID, Entry: "nightly", Timing: "every 1h", Next: 5}
	w.update(func(tx *store.Tx) error {
		tx.InsertSchedule(other)
		tx.InsertSchedule(parley.Schedule{Team: w.team.ID, Agent: w.ann.ID, Entry: "weekly", Timing: "every 7h", Next: 6})
		tx.InsertSchedule(parley.Schedule{Team: w.team.ID + 1, Agent: w.ann.ID, Entry: "nightly", Timing: "every 7h", Next: 6})
		tx.DeleteSchedule(w.team.ID, w.ann.ID, "weekly")
		return nil
	})
	w.view(func(tx *store.Tx) error {
		if list, err := tx.Schedules(w.team.ID); err != nil || !slices.Equal(list, []parley.Schedule{want, other}) {
			t.Errorf("read %+v, %v", list, err)
		}
		if got, err := tx.Schedule(w.team.ID, w.ann.ID, "nightly"); got != want {
			t.Errorf("read %+v, %v", got, err)
		}
		if _, err := tx.Schedule(w.team.ID, w.ann.ID, "weekly"); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("an entry that is gone: %v", err)
		}
		return nil
	})
	heldSchedules(t, w)
	w.update(func(tx *store.Tx) error { tx.DeleteSchedules(w.team.ID, w.ann.ID); return nil })
	w.view(func(tx *store.Tx) error {
		list, err := tx.Schedules(w.team.ID)
		held, failed := tx.HeldSchedules(w.team.ID)
		if !slices.Equal(list, []parley.Schedule{other}) || len(held) > 0 {
			t.Errorf("%+v and %v are left", list, held)
		}
		return errors.Join(err, failed)
	})
}

// heldSchedules holds the schedule of one agent, then of the whole team.
func heldSchedules(t *testing.T, w *world) {
	held := func(of parley.Agent) (held bool) {
		w.view(func(tx *store.Tx) (err error) { held, err = tx.ScheduleHeld(w.team.ID, of.ID); return err })
		return held
	}
	w.update(func(tx *store.Tx) error {
		tx.HoldSchedule(w.team.ID, w.ann.ID, w.carol.ID)
		tx.HoldSchedule(w.team.ID, w.ann.ID, w.carol.ID)
		return nil
	})
	if !held(w.ann) || held(w.bob) {
		t.Error("the wrong schedule is held")
	}
	w.update(func(tx *store.Tx) error {
		tx.ReleaseSchedule(w.team.ID, w.ann.ID)
		tx.SetPaused(w.team.ID, true)
		return nil
	})
	if !held(w.ann) || !held(w.bob) {
		t.Error("a paused team's schedules are not held")
	}
	w.update(func(tx *store.Tx) error {
		tx.SetPaused(w.team.ID, false)
		tx.HoldSchedule(w.team.ID, w.ann.ID, w.carol.ID)
		return nil
	})
	if !held(w.ann) || held(w.bob) {
		t.Error("resuming a team does not resume what is held by itself")
	}
}

func reminders(t *testing.T, open Open) {
	clock := newClock()
	w := newWorldAt(t, open, clock.now)
	task := w.task(parley.Task{}).ID
	due := parley.Micros(clock.now().Add(time.Minute).UnixMicro())
	w.update(func(tx *store.Tx) error {
		tx.SetReminder(parley.Reminder{Task: task, Agent: w.carol.ID, Team: w.team.ID, Due: due + 1})
		tx.SetReminder(parley.Reminder{Task: task, Agent: w.carol.ID, Team: w.team.ID, Due: due}) // moved
		tx.SetReminder(parley.Reminder{Task: task, Agent: w.ann.ID, Team: w.team.ID, Due: due + parley.Micros(time.Hour.Microseconds())})
		return nil
	})
	take := func() (taken bool) {
		w.update(func(tx *store.Tx) (err error) { taken, err = tx.TakeReminder(task, w.carol.ID); return err })
		return taken
	}
	if take() {
		t.Error("a reminder was taken before its time")
	}
	clock.move(time.Minute)
	w.view(func(tx *store.Tx) error {
		if at, err := tx.NextReminder(); at != due || err != nil {
			t.Errorf("the next one is at %d, not %d: %v", at, due, err)
		}
		list, err := tx.DueReminders(10)
		if len(list) != 1 || list[0].Task != task || list[0].Agent != w.carol.ID || list[0].Team != w.team.ID || list[0].Due != due {
			t.Errorf("due are %+v", list)
		}
		if all, err := tx.Reminders(task); len(all) != 2 || err != nil {
			t.Errorf("%+v, %v", all, err)
		}
		return err
	})
	var taken atomic.Int32
	atOnce(t, 4, func(int) error {
		mine := false
		err := w.Update(context.Background(), func(tx *store.Tx) (err error) { mine, err = tx.TakeReminder(task, w.carol.ID); return err })
		if mine {
			taken.Add(1)
		}
		return err
	})
	if n := taken.Load(); n != 1 {
		t.Errorf("%d took the reminder", n)
	}
}

func idleTasks(t *testing.T, open Open) {
	clock := newClock()
	w := newWorldAt(t, open, clock.now)
	root := w.task(parley.Task{})
	child := w.task(parley.Task{Parent: root.ID, Root: root.ID, Agent: w.ann.ID})
	ended := w.task(parley.Task{State: parley.Completed})
	clock.move(time.Minute)
	step := parley.Step{Task: child.ID, Turn: 1, N: 1, Kind: parley.StepReply, Content: []byte("{}")}
	w.update(func(tx *store.Tx) error { tx.InsertStep(step); return nil })
	clock.move(time.Minute)
	now := parley.Micros(clock.now().UnixMicro())
	w.view(func(tx *store.Tx) error {
		list, err := tx.IdleTasks(w.bob.ID, 0, 10)
		if len(list) != 1 || list[0].Task.ID != root.ID || list[0].Since != root.CreatedAt {
			t.Errorf("idle are %+v, without %s", list, ended.ID)
		}
		if later, _ := tx.IdleTasks(w.bob.ID, root.ID, 10); len(later) != 0 {
			t.Errorf("%+v come after %s", later, root.ID)
		}
		below, failed := tx.IdleTasks(w.ann.ID, 0, 10)
		if len(below) != 1 || below[0].Since != now.Add(-time.Minute) {
			t.Errorf("below %+v", below)
		}
		at, failing := tx.ProgressIn(root.ID)
		if at != now.Add(-time.Minute) {
			t.Errorf("the tree made progress at %d", at)
		}
		return errors.Join(err, failed, failing)
	})
	var first atomic.Int32
	atOnce(t, 4, func(int) error {
		mine := false
		err := w.Update(context.Background(), func(tx *store.Tx) (err error) { mine, err = tx.Nudge(root.ID); return err })
		if mine {
			first.Add(1)
		}
		return err
	})
	w.view(func(tx *store.Tx) error {
		if list, err := tx.IdleTasks(w.bob.ID, 0, 10); len(list) != 0 || first.Load() != 1 || err != nil {
			t.Errorf("%d were first, %+v are left, %v", first.Load(), list, err)
		}
		return nil
	})
}
