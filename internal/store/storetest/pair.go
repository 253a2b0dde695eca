package storetest

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/internal/store"
)

// pairs has two talk in their dm at two times, and asks for spans that hold all, one or
// none of it.
func pairs(t *testing.T, open Open) {
	clock := newClock()
	w := newWorldAt(t, open, clock.now)
	thread := w.dm().Main
	read := func(q store.PairQuery) (list []store.Pair, cut bool) {
		t.Helper()
		q.Team = w.team.ID
		w.view(func(tx *store.Tx) (err error) { list, cut, err = tx.Pairs(q); return err })
		return list, cut
	}
	if list, cut := read(store.PairQuery{Limit: 10}); len(list) > 0 || cut {
		t.Errorf("before anything was said: %v, %v", list, cut)
	}
	say := func(n int) (last parley.MessageID) {
		for range n {
			m := parley.Message{Team: w.team.ID, Thread: thread, Author: w.ann.ID, Kind: parley.NotificationMessage, Body: "hello"}
			w.update(func(tx *store.Tx) error { return tx.Post(&m, store.Recipient{ID: w.bob.ID}) })
			last = m.ID
		}
		return last
	}
	early := say(3)
	clock.move(time.Hour)
	between := w.now()
	clock.move(time.Hour)
	late := say(2)
	a, b := min(w.ann.ID, w.bob.ID), max(w.ann.ID, w.bob.ID)
	for _, c := range []struct {
		name string
		q    store.PairQuery
		want []store.Pair
		cut  bool
	}{
		{"all", store.PairQuery{Limit: 10}, []store.Pair{{A: a, B: b, Count: 5, Last: late}}, false},
		{"exactly all", store.PairQuery{Limit: 5}, []store.Pair{{A: a, B: b, Count: 5, Last: late}}, false},
		{"late", store.PairQuery{Since: between, Limit: 10}, []store.Pair{{A: a, B: b, Count: 2, Last: late}}, false},
		{"early", store.PairQuery{Until: between, Limit: 10}, []store.Pair{{A: a, B: b, Count: 3, Last: early}}, false},
		{"the newest of many", store.PairQuery{Limit: 4}, []store.Pair{{A: a, B: b, Count: 4, Last: late}}, true},
		{"one of them", store.PairQuery{Agent: w.bob.ID, Limit: 10}, []store.Pair{{A: a, B: b, Count: 5, Last: late}}, false},
		{"another", store.PairQuery{Agent: max(a, b) + 1000, Limit: 10}, nil, false},
		{"the future", store.PairQuery{Since: between + parley.Micros((5 * time.Hour).Microseconds()), Limit: 10}, nil, false},
	} {
		list, cut := read(c.q)
		if diff := cmp.Diff(c.want, list); diff != "" || cut != c.cut {
			t.Errorf("%s: cut %v (-want +got):\n%s", c.name, cut, diff)
		}
	}
	w.view(func(tx *store.Tx) error {
		of, err := tx.LastSaid([]parley.MessageID{early, late})
		if len(of) != 2 || of[early].At >= between || of[late].At < between || of[late].State != 0 {
			t.Errorf("said %+v", of)
		}
		return err
	})
}
