package storetest

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/internal/store"
)

// costs spends in two tasks on two days, and compares what the report says before and
// after the older task was removed.
func costs(t *testing.T, open Open) {
	clock := newClock()
	w := newWorldAt(t, open, clock.now)
	thread := w.dm().Main
	spend := func(of parley.TaskID, n int, model string, s parley.Spending) {
		w.update(func(tx *store.Tx) error {
			tx.InsertStep(parley.Step{Task: of, Turn: 2, N: n, Kind: parley.StepReply, Content: []byte(`{}`), Spent: s, Model: model,
				Cached: 3, Estimated: model == "b"})
			return nil
		})
	}
	old, request, _ := w.ended(parley.Task{}, thread)
	began := w.now()
	spend(old.ID, 1, "a", parley.Spending{Input: 10, Output: 1, Money: 100, Active: time.Second})
	spend(old.ID, 2, "b", parley.Spending{Input: 20, Output: 2, Money: 200})
	worked := parley.Step{Task: old.ID, Turn: 2, N: 9, Kind: parley.StepResult, Content: []byte(`{}`), Spent: parley.Spending{Active: time.Minute}}
	w.update(func(tx *store.Tx) error { tx.InsertStep(worked); return nil }) // a call takes time and asks no model
	clock.move(20 * time.Minute)
	spend(old.ID, 3, "a", parley.Spending{Input: 40, Output: 4, Money: 400})
	clock.move(48 * time.Hour)
	young, _, _ := w.ended(parley.Task{}, thread)
	spend(young.ID, 1, "a", parley.Spending{Input: 80, Output: 8, Money: 800})
	read := func(q store.CostQuery) (list []parley.Cost) {
		t.Helper()
		q.Team = w.team.ID
		w.view(func(tx *store.Tx) (err error) { list, err = tx.Cost(q); return err })
		return list
	}
	all := func() (out [][]parley.Cost) {
		for _, q := range []store.CostQuery{{By: parley.CostByAgent}, {By: parley.CostByModel}, {By: parley.CostByTask}, {By: parley.CostByTask, Own: true},
			{By: parley.CostByDay}, {By: parley.CostByAgent, Agent: w.ann.ID}, {By: parley.CostByAgent, Agent: w.bob.ID}} {
			out = append(out, read(q))
		}
		return out
	}
	quarter := func(at parley.Micros) parley.Micros { return at - at%parley.Micros((15*time.Minute).Microseconds()) }
	a := parley.Cost{Calls: 3, Spent: parley.Spending{Input: 130, Output: 13, Money: 1300, Active: time.Second}, Cached: 9}
	b := parley.Cost{Calls: 1, Spent: parley.Spending{Input: 20, Output: 2, Money: 200}, Cached: 3, Estimated: true}
	a.Model, b.Model = "a", "b"
	none := parley.Cost{Spent: parley.Spending{Active: time.Minute}}
	if diff := cmp.Diff([]parley.Cost{none, a, b}, read(store.CostQuery{By: parley.CostByModel})); diff != "" {
		t.Errorf("by model (-want +got):\n%s", diff)
	}
	days := read(store.CostQuery{By: parley.CostByDay})
	if len(days) != 3 || days[0].At != quarter(began) || days[0].Spent.Money != 300 || days[2].Spent.Money != 800 {
		t.Errorf("by day: %+v", days)
	}
	recent := read(store.CostQuery{By: parley.CostByTask, Since: w.now() - parley.Micros(time.Hour.Microseconds())})
	if len(recent) != 1 || recent[0].Task != young.ID || recent[0].Spent.Money != 800 {
		t.Errorf("recent: %+v", recent)
	}
	if got := read(store.CostQuery{By: parley.CostByAgent, Agent: w.ann.ID}); len(got) != 0 {
		t.Errorf("of one who did nothing: %+v", got)
	}
	before, below := all(), w.spentBelow(old.ID)
	if got := w.sweep(); len(got) != 2 || got[0] != request.ID {
		t.Errorf("removed %v", got)
	}
	for round := range 2 { // the second time there is nothing left to add
		if diff := cmp.Diff(before, all()); diff != "" {
			t.Errorf("sweep %d (-before +after):\n%s", round+1, diff)
		}
		w.update(func(tx *store.Tx) error { tx.RemoveMessages([]parley.MessageID{request.ID}); return nil })
	}
	if got := w.spentBelow(old.ID); got != below || got.Money != 700 {
		t.Errorf("below the task: %+v, before %+v", got, below)
	}
}

func (w *world) spentBelow(id parley.TaskID) (s parley.Spending) {
	w.t.Helper()
	w.view(func(tx *store.Tx) (err error) { s, _, err = tx.SpentBelow(id); return err })
	return s
}

func (w *world) now() (at parley.Micros) {
	w.t.Helper()
	w.view(func(tx *store.Tx) error { at = tx.Now; return nil })
	return at
}
