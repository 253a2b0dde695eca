package work

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"parley"
	"parley/internal/bubbletest"
	"parley/internal/store"
	"parley/internal/store/memtest"
)

// several is a database that other hubs may share. It counts transactions, and can refuse
// them.
type several struct {
	*memtest.Store
	updates atomic.Int64
	broken  atomic.Bool
}

func (*several) Shared() bool { return true }

func (s *several) Update(ctx context.Context, fn func(*store.Tx) error) error {
	s.updates.Add(1)
	if s.broken.Load() {
		return parley.Errorf(parley.Unavailable, "The database cannot be reached.")
	}
	return s.Store.Update(ctx, fn)
}

// reserve takes slots for so many contacts that come at once.
func (b *bench) reserve(n int) (list []*Reservation) {
	b.Helper()
	var mu sync.Mutex
	var all sync.WaitGroup
	for range n {
		all.Go(func() {
			if r, ok := b.Reserve(b.Context(), b.agent); ok {
				mu.Lock()
				defer mu.Unlock()
				list = append(list, r)
			}
		})
	}
	all.Wait()
	if len(list) != n {
		b.Fatalf("%d of %d slots", len(list), n)
	}
	return list
}

// A hub that had nothing to do has sent no heartbeat. When many contacts come at once, one
// heartbeat is sent for all of them, before their transactions.
func TestOneHeartbeatIsForAllContactsThatCome(t *testing.T) {
	b := newBench(t)
	st := &several{Store: b.store}
	b.cfg.Store = st
	old := b.aliveUntil
	b.store.Pass(b.cfg.LeaseTime)
	b.beatAt = time.Now().Add(-b.cfg.LeaseTime)
	places := b.reserve(3)
	if n := st.updates.Load(); n != 1 {
		t.Errorf("%d heartbeats for three contacts", n)
	}
	alive := b.aliveUntil
	if alive <= old {
		t.Error("it is not alive after that")
	}
	b.store.Pass(time.Second)
	stored := b.store.Rows()["worker"]
	for _, r := range places {
		b.store.Do(func(tx *store.Tx) error {
			r.Claim(tx, &parley.Task{ID: tx.NewTaskID()})
			return nil
		})
		r.Cancel()
	}
	if now := b.store.Rows()["worker"]; !slices.Equal(now, stored) {
		t.Errorf("a contact has renewed the leases again: %v after %v", now, stored)
	}
	b.reserve(3)
	if n := st.updates.Load(); n != 1 {
		t.Errorf("%d heartbeats, though the last one was a moment ago", n)
	}
}

// Where the heartbeat fails, each contact finds that out by itself, at once.
func TestAFailedHeartbeatIsNotRepeatedByEachContact(t *testing.T) {
	b := newBench(t)
	st := &several{Store: b.store}
	st.broken.Store(true)
	b.cfg.Store = st
	b.beatAt = time.Now().Add(-b.cfg.LeaseTime)
	b.reserve(3)
	if n := st.updates.Load(); n != 1 {
		t.Errorf("%d heartbeats", n)
	}
}

// unreachable is a database that several hubs share and that does not answer until it is
// back.
type unreachable struct {
	shared
	tries atomic.Int64
	back  chan struct{}
}

func (u *unreachable) Update(ctx context.Context, _ func(*store.Tx) error) error {
	u.tries.Add(1)
	select {
	case <-u.back:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// While the database could not be reached, who waited for the heartbeat of another kept
// its slot, even if its caller had long given up.
func TestWhoGivesUpDoesNotWaitForAHeartbeat(t *testing.T) {
	for name, givesUp := range map[string]int{"who sends it": 0, "who waits for it": 1} {
		t.Run(name, func(t *testing.T) {
			bubbletest.Test(t, func(t *testing.T) {
				st := &unreachable{back: make(chan struct{})}
				s := New(Config{Agents: crew{}, Store: st, Workers: 4, Log: slog.New(slog.DiscardHandler)})
				var giveUp [2]context.CancelFunc
				var got [2]chan bool
				for i := range got {
					ctx, cancel := context.WithCancel(t.Context())
					defer cancel()
					giveUp[i], got[i] = cancel, make(chan bool, 1)
					go func() { _, ok := s.Reserve(ctx, 2); got[i] <- ok }()
					synctest.Wait()
				}
				if n := st.tries.Load(); n != 1 || len(got[0])+len(got[1]) != 0 {
					t.Fatalf("%d heartbeats for two contacts, of which %d did not wait", n, len(got[0])+len(got[1]))
				}
				giveUp[givesUp]()
				synctest.Wait()
				select {
				case ok := <-got[givesUp]:
					if ok || s.freeSlots != 3 || s.running[2] != 1 {
						t.Errorf("it has a slot: %v; %d are free, running %v", ok, s.freeSlots, s.running)
					}
				default:
					t.Error("it still waits")
				}
				if n := st.tries.Load(); n != 2-int64(givesUp) {
					t.Errorf("%d heartbeats", n)
				}
				close(st.back)
				if ok := <-got[1-givesUp]; !ok {
					t.Error("the other one has no slot")
				}
			})
		})
	}
}
