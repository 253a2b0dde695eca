package storetest

import (
	"testing"
	"time"

	"parley"
	"parley/internal/store"
)

// providerWaits is about tasks that wait for a provider until a time.
func providerWaits(t *testing.T, open Open) {
	w := newWorld(t, open)
	w.task(parley.Task{State: parley.Waiting}) // for something else
	late := w.task(parley.Task{State: parley.Waiting, Waits: parley.WaitProvider})
	soon := w.task(parley.Task{State: parley.Waiting, Waits: parley.WaitProvider})
	var now parley.Micros
	w.update(func(tx *store.Tx) error {
		now = tx.Now
		for task, due := range map[*parley.Task]parley.Micros{&late: now.Add(time.Hour), &soon: now} {
			task.Due, task.Provider, task.ProviderSince = due, "lab", now
			tx.UpdateTask(task)
			tx.SetProvider(task)
		}
		return nil
	})
	if got := w.readTask(soon.ID); got.Provider != "lab" || got.ProviderSince != now || got.Due != now || !got.Blocked() {
		t.Errorf("%+v", got)
	}
	w.update(func(tx *store.Tx) error {
		if at, err := tx.NextDue(); at != now || err != nil {
			t.Errorf("the next is due at %d, %v, want %d", at, err, now)
		}
		if list, err := tx.DueTasks(10); len(list) != 0 || err != nil {
			t.Errorf("%d queued tasks are due, %v", len(list), err)
		}
		list, err := tx.DueWaiting(10)
		if err != nil || len(list) != 1 || list[0].ID != soon.ID {
			t.Errorf("due: %+v, %v", list, err)
			return err
		}
		soon.Due, soon.ProviderSince = 0, 0
		tx.UpdateTask(&soon)
		tx.SetProvider(&soon)
		return nil
	})
	w.view(func(tx *store.Tx) error {
		if at, err := tx.NextDue(); at != late.Due || err != nil {
			t.Errorf("then one is due at %d, %v, want %d", at, err, late.Due)
		}
		open, err := tx.AgentOpenTasks(w.bob.ID)
		if want := (parley.OpenTasks{Waiting: 3, Refused: 2, Provider: "lab"}); open != want {
			t.Errorf("%+v, want %+v", open, want)
		}
		return err
	})
	queued := w.task(parley.Task{Due: 7})
	w.view(func(tx *store.Tx) error {
		if at, err := tx.NextDue(); at != queued.Due || err != nil {
			t.Errorf("with a queued one it is %d, %v", at, err)
		}
		return nil
	})
}
