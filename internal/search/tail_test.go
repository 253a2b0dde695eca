package search

import (
	"fmt"
	"slices"
	"testing"

	"parley"
	"parley/internal/store"
)

// sayMuch lets agents say many things at once, all of them in one dm.
func (w *world) sayMuch(from, to, n int, text func(i int) string) {
	w.t.Helper()
	w.update(func(tx *store.Tx) error {
		dm, err := tx.EnsureDM(w.team.ID, w.agents[from].ID, w.agents[to].ID)
		for i := range n {
			m := parley.Message{Team: w.team.ID, Thread: dm.Main, Author: w.agents[from].ID, Kind: parley.NotificationMessage, Body: text(i)}
			if err == nil {
				err = tx.Post(&m)
			}
		}
		return err
	})
}

// While nothing adds to the index, everything that was said is found all the same, and
// the search says that the index is behind.
func TestAnIndexThatIsBehindHidesNothing(t *testing.T) {
	w := newWorld(t)
	w.index()
	first := w.say(0, 1, "the swordfish swims")
	w.sayMuch(0, 1, 9000, func(i int) string { return fmt.Sprintf("chatter %d", i) })
	w.sayMuch(2, 3, 3000, func(i int) string { return fmt.Sprintf("whisper %d", i) })
	for _, newest := range []bool{false, true} {
		r, err := w.Search(t.Context(), Query{Team: w.team.ID, Kind: Messages, Reader: w.agents[0].ID, Text: "swordfish", Newest: newest})
		if err != nil || len(r.Hits) != 1 || r.Hits[0].ID != first {
			t.Errorf("newest %v: %+v, %v", newest, r.Hits, err)
		}
		if r.Behind != 9001 || r.Incomplete {
			t.Errorf("behind by %d, incomplete: %v", r.Behind, r.Incomplete)
		}
	}
	w.index()
	r, err := w.Search(t.Context(), Query{Team: w.team.ID, Kind: Messages, Reader: w.agents[0].ID, Text: "swordfish"})
	if err != nil || len(r.Hits) != 1 || r.Behind != 0 || r.Incomplete {
		t.Errorf("once it has caught up: %+v, %v", r, err)
	}
}

// A search whose time is over says that it has not seen everything.
func TestASearchThatRunsOutOfTimeSaysSo(t *testing.T) {
	w := newWorld(t)
	w.scanTime = 0
	w.say(0, 1, "the swordfish swims")
	w.sayMuch(0, 1, 2*scanBlock, func(i int) string { return fmt.Sprintf("chatter %d", i) })
	newest := w.say(0, 1, "another swordfish")
	r, err := w.Search(t.Context(), Query{Team: w.team.ID, Kind: Messages, Text: "swordfish"})
	if err != nil || !r.Incomplete || len(r.Hits) != 1 || r.Hits[0].ID != newest {
		t.Errorf("%+v, %v", r, err)
	}
	w.index()
	if r, err := w.Search(t.Context(), Query{Team: w.team.ID, Kind: Messages, Text: "swordfish"}); err != nil || r.Incomplete || len(r.Hits) != 2 {
		t.Errorf("with an index that is complete: %+v, %v", r, err)
	}
}

// What is not in the index is ranked together with what is.
func TestTheTailIsRankedWithTheRest(t *testing.T) {
	w := newWorld(t)
	both := w.say(0, 1, "the swordfish is in the vault")
	w.index()
	one := w.say(0, 1, "the swordfish is elsewhere")
	if got := w.find(Query{Text: "swordfish vault"}); !slices.Equal(got, []int64{both, one}) {
		t.Errorf("%v, want %v", got, []int64{both, one})
	}
}
