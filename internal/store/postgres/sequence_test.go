package postgres

import (
	"context"
	"sync"
	"testing"
	"time"

	"parley"
	"parley/internal/pgtest"
	"parley/internal/store"
)

func TestBlocksAreAsLongAsTheSequencesSay(t *testing.T) {
	dsn := pgtest.DSN(t)
	open(t, dsn, Options{})
	c := connect(t, dsn)
	for seq, table := range store.SeqTables {
		n := number(t, c, `SELECT increment_by FROM pg_sequences WHERE schemaname = 'parley' AND sequencename = $1 || '_id'`, table)
		if n != blockSizes[seq] {
			t.Errorf("%s: the schema says %d, the program %d", table, n, blockSizes[seq])
		}
	}
}

// Two hubs with fewer connections than callers draw ids as fast as they can: no id
// comes twice, and nobody waits for a connection that in turn waits for an id.
func TestIDsAreUniqueAcrossHubs(t *testing.T) {
	dsn := pgtest.DSN(t)
	hubs := []*Store{open(t, dsn, Options{MaxConns: 2}), open(t, dsn, Options{MaxConns: 2})}
	var mu sync.Mutex
	seen := map[parley.TaskID]bool{}
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			for range 20 {
				var ids []parley.TaskID
				err := hubs[i%2].Update(context.Background(), func(tx *store.Tx) error {
					ids = nil
					tx.SetRate(1, parley.Rate{}) // deferred: it must not block the draw
					for range 5 {
						ids = append(ids, tx.NewTaskID())
					}
					return nil
				})
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				for _, id := range ids {
					if seen[id] || id < store.FirstTask {
						t.Errorf("%v comes twice", id)
					}
					seen[id] = true
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if len(seen) != 16*20*5 {
		t.Errorf("%d ids", len(seen))
	}
}

// While one closure fetches a block, others wait for it and hold their locks. The
// fetch must not send the closure's deferred statements, since they may wait for one
// of these locks.
func TestFetchingABlockWaitsForNobody(t *testing.T) {
	dsn := pgtest.DSN(t)
	s := open(t, dsn, Options{})
	var agent parley.Agent
	if err := s.Update(t.Context(), func(tx *store.Tx) error {
		agent = parley.Agent{Team: 1, Name: "Ann", Kind: parley.Native}
		tx.InsertAgent(&agent)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	locked, drawn := make(chan struct{}), make(chan struct{})
	done := make(chan error, 1)
	go func() {
		done <- s.Update(context.Background(), func(tx *store.Tx) error {
			if _, err := tx.LockAgent(agent.ID); err != nil {
				return err
			}
			close(locked) // panics if the server lost patience and this runs again
			<-drawn
			_, err := tx.Agent(agent.ID)
			return err
		})
	}()
	<-locked
	err := s.Update(t.Context(), func(tx *store.Tx) error {
		tx.SetRate(agent.ID, parley.Rate{At: 1}) // waits for the lock, once it is sent
		tx.NewTaskID()
		close(drawn)
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestBusyHubsFetchMoreAtOnce(t *testing.T) {
	var s sequences
	var fetched []int
	next := int64(1)
	fetch := func(_ store.Seq, n int) (starts []int64, err error) {
		fetched = append(fetched, n)
		for range n {
			starts = append(starts, next)
			next += 1000 // other hubs draw too
		}
		return starts, nil
	}
	last := int64(0)
	draw := func(n int) {
		t.Helper()
		for range n {
			id, err := s.draw(store.SeqTask, fetch)
			if err != nil || id <= last {
				t.Fatalf("%d after %d, %v", id, last, err)
			}
			last = id
		}
	}
	draw(16 + 32 + 64 + 1)
	s[store.SeqTask].fetched = time.Now().Add(-time.Hour)
	draw(8 * 16)
	if want := []int{1, 2, 4, 8, 1}; len(fetched) != 5 || fetched[3] != want[3] || fetched[4] != want[4] {
		t.Errorf("blocks fetched: %v, want %v", fetched, want)
	}
}

// Message ids that were drawn long ago are no longer given out, neither from the
// block in use nor from later ones: readers that follow the messages have passed
// them.
func TestOldIDsOfMessagesAreNotGivenOut(t *testing.T) {
	fetch := func(store.Seq, int) ([]int64, error) { return []int64{1000}, nil }
	for _, c := range []struct {
		name string
		seq  store.Seq
		age  time.Duration
		want int64
	}{
		{"young", store.SeqMessage, 0, 7},
		{"old", store.SeqMessage, 2 * blockAge, 1000},
		{"old, of what is kept", store.SeqKept, 2 * blockAge, 1000},
		{"old, of tasks", store.SeqTask, 2 * blockAge, 7},
	} {
		var q sequences
		q[c.seq] = sequence{next: 7, end: 8, starts: []int64{100, 200}, blocks: 3, fetched: time.Now().Add(-c.age)}
		if got, err := q.draw(c.seq, fetch); got != c.want || err != nil {
			t.Errorf("%s: %d, %v", c.name, got, err)
		}
	}
}
