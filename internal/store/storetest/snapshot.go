package storetest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"parley"
	"parley/internal/store"
)

func viewIsSnapshot(t *testing.T, open Open) {
	w := newWorld(t, open)
	w.view(func(tx *store.Tx) error {
		before, err := tx.Agent(w.ann.ID)
		if err != nil {
			return err
		}
		err = w.Update(context.Background(), func(tx *store.Tx) error {
			tx.SetRate(w.ann.ID, parley.Rate{At: before.Rate.At + 1})
			tx.InsertToken("meanwhile", parley.Token{Agent: w.ann.ID})
			return nil
		})
		if err != nil {
			return err
		}
		after, err := tx.Agent(w.ann.ID)
		if after != before {
			t.Errorf("the view saw %+v and then %+v", before.Rate, after.Rate)
		}
		if _, err := tx.TokenByHash("meanwhile"); err != store.ErrNotFound {
			t.Errorf("the view sees what was stored after it began: %v", err)
		}
		return err
	})
	w.view(func(tx *store.Tx) error { _, err := tx.TokenByHash("meanwhile"); return err })
}

// viewSeesWholeTransactions keeps two counters equal in every transaction and
// reads them in two statements.
func viewSeesWholeTransactions(t *testing.T, open Open) {
	w := newWorld(t, open)
	done := make(chan struct{})
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for !closed(done) {
				if err := w.View(context.Background(), w.countersAgree); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	atOnce(t, 4, func(int) error {
		for range 50 {
			if err := w.Update(context.Background(), w.countBoth); err != nil {
				return err
			}
		}
		return nil
	})
	close(done)
	readers.Wait()
	w.view(func(tx *store.Tx) error {
		a, err := tx.Agent(w.ann.ID)
		if a.Rate.At != 200 {
			t.Errorf("%d of 200 increments are stored", a.Rate.At)
		}
		return err
	})
}

func (w *world) countBoth(tx *store.Tx) error {
	a, err := tx.LockAgent(w.ann.ID)
	if err != nil {
		return err
	}
	tx.SetRate(w.ann.ID, parley.Rate{At: a.Rate.At + 1})
	if _, err := tx.Agent(w.ann.ID); err != nil { // the first write is sent before the second
		return err
	}
	tx.SetRate(w.bob.ID, parley.Rate{At: a.Rate.At + 1})
	return nil
}

func (w *world) countersAgree(tx *store.Tx) error {
	a, errA := tx.Agent(w.ann.ID)
	b, errB := tx.Agent(w.bob.ID)
	if a.Rate.At != b.Rate.At {
		return fmt.Errorf("half a transaction: %d and %d", a.Rate.At, b.Rate.At)
	}
	return errors.Join(errA, errB)
}

func closed(ch <-chan struct{}) bool {
	select {
	case <-ch:
		return true
	default:
		return false
	}
}

func clockSetBack(t *testing.T, open Open) {
	clock := newClock()
	w := newWorldAt(t, open, clock.now)
	newest := w.recordNow()

	clock.move(-time.Hour)
	if now := w.recordNow(); now < newest {
		t.Errorf("time went back by %v", newest.Time().Sub(now.Time()))
	}
	if behind := w.Behind(); behind != time.Hour {
		t.Errorf("the clock was set back by an hour and is %v behind", behind)
	}
	clock.move(-24 * time.Hour)
	w.view(func(tx *store.Tx) error {
		if tx.Now < newest {
			t.Errorf("time went back in a view")
		}
		return nil
	})
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}

	w.Store = mustOpen(t, open, clock.now)
	if now := w.recordNow(); now < newest {
		t.Errorf("time went back by %v after opening again", newest.Time().Sub(now.Time()))
	}
	if behind := w.Behind(); behind != 25*time.Hour {
		t.Errorf("the clock is %v behind after opening again", behind)
	}
	clock.move(48 * time.Hour)
	if now := w.recordNow(); now != parley.Clock(clock.now).Now() {
		t.Errorf("time stays behind once the clock has caught up: %v", now.Time())
	}
	clock.move(-time.Second + time.Microsecond)
	if behind := w.Behind(); behind != 0 {
		t.Errorf("%v is told, though hubs may differ that much", behind)
	}
}

// recordNow stores an event and returns its time.
func (w *world) recordNow() (now parley.Micros) {
	w.t.Helper()
	w.update(func(tx *store.Tx) error {
		now = tx.Now
		tx.Record(parley.Event{Team: w.team.ID, Kind: parley.EventStatus})
		return nil
	})
	return now
}

// reopenContinuesIDs stores one of everything that has a number, again and again.
func reopenContinuesIDs(t *testing.T, open Open) {
	w := newWorld(t, open)
	var last numbers
	for round := range 4 {
		now := w.storeNumbered(round)
		for i, id := range now {
			if id <= last[i] {
				t.Errorf("round %d: id %d of %s comes after %d", round, id, numbered[i], last[i])
			}
		}
		if round == 0 && now[0] != store.FirstTask {
			t.Errorf("the first task is %d", now[0])
		}
		last = now
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		w.Store = mustOpen(t, open, time.Now)
	}
}

type numbers [7]int64

var numbered = [len(numbers{})]string{"task", "message", "channel", "thread", "agent", "team", "event"}

func (w *world) storeNumbered(round int) (n numbers) {
	w.t.Helper()
	w.update(func(tx *store.Tx) error {
		team := parley.Team{Name: fmt.Sprint("Team ", round)}
		tx.InsertTeam(&team)
		agent := parley.Agent{Team: team.ID, Name: "Dave", Kind: parley.Native}
		tx.InsertAgent(&agent)
		channel, err := tx.EnsureDM(w.team.ID, w.ann.ID, agent.ID)
		if err != nil {
			return err
		}
		m, err := w.post(tx, channel.Main, "hello")
		task := w.insert(tx, parley.Task{})
		tx.Record(parley.Event{Team: team.ID, Kind: parley.EventAgent})
		n = numbers{int64(task.ID), int64(m.ID), int64(channel.ID), int64(channel.Main), int64(agent.ID), int64(team.ID)}
		return err
	})
	w.view(func(tx *store.Tx) error {
		list, _, err := tx.Events(parley.TeamID(n[5]), "", 10)
		if len(list) == 1 {
			n[6] = int64(list[0].ID)
		}
		return err
	})
	return n
}
