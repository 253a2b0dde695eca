package search

import (
	"slices"
	"testing"

	"parley/internal/pgtest"
	"parley/internal/store"
	"parley/internal/store/postgres"
)

// One of two hubs draws ids early and stores late. By then its messages are below the
// index's mark, and they are found all the same.
func TestSequencesCommitOutOfOrderAndTheIndexSkipsNothing(t *testing.T) {
	dsn := pgtest.DSN(t)
	open := func() store.Store {
		st, err := postgres.Open(t.Context(), dsn, postgres.Options{MaxConns: 4})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := st.Close(); err != nil {
				t.Error(err)
			}
		})
		return st
	}
	early := fillWorld(t, open())
	first := early.say(0, 1, "beacon one")
	busy := *early
	busy.st = open()
	second := busy.say(0, 1, "beacon two")
	early.index()
	third := early.say(0, 1, "beacon three") // with an id from the first block
	if third > second {
		t.Fatalf("%d does not come before %d: the test shows nothing", third, second)
	}
	want := []int64{third, second, first}
	for _, when := range []string{"in a gap", "indexed"} {
		if got := early.find(Query{Text: "beacon", Newest: true}); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", when, got, want)
		}
		early.index()
	}
	early.update(func(tx *store.Tx) error {
		late, err := tx.InSearchGaps(Messages, 10)
		if len(late) != 0 {
			t.Errorf("still in the gaps: %v", late)
		}
		return err
	})
}

// What was found on SQLite is found on PostgreSQL.
func TestIndexFindsWhatAScanFindsOnPostgreSQL(t *testing.T) {
	st, err := postgres.Open(t.Context(), pgtest.DSN(t), postgres.Options{MaxConns: 4})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	compareWithScan(t, fillWorld(t, st), 77)
}
