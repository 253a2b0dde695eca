package sqlite

import (
	"context"
	"errors"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"parley/internal/wake"
)

// syncer brings what the writer has committed onto stable storage, and then tells those
// who wait for it. SQLite would do that within every commit (synchronous=FULL), and the
// writer would wait. Here it goes on with the next batch, and all commits made during one
// sync share the next.
//
// Nobody outside the hub is told anything that is not on stable storage: neither who stored
// it, nor who was refused because of it, nor a view that saw it. A caller that skips the sync
// (store.Tx.SkipSync) is told after the commit, and tells nobody outside.
type syncer struct {
	sync    func() error // of the log; nil if nothing has to last
	publish func([]wake.Signal)

	// begun counts commits from just before they are made and written from just after;
	// stored are those on stable storage.
	begun, written, stored atomic.Uint64

	scheduled atomic.Bool // a sync of commits that nobody waits for

	busy  sync.Mutex // held while it syncs and tells
	spare []*request // a list to use again

	mu      sync.Mutex
	waiting []*request
	failure error // after which nothing is stored
	stopped bool
	wake    chan struct{}
	done    chan struct{}
}

func newSyncer(log *os.File, publish func([]wake.Signal)) *syncer {
	s := &syncer{publish: publish, wake: make(chan struct{}, 1), done: make(chan struct{})}
	if log != nil {
		s.sync = log.Sync
	}
	return s
}

func (s *syncer) run() {
	defer close(s.done)
	for range s.wake {
		s.syncNow()
	}
	s.syncNow() // commits that nobody waits for
}

func (s *syncer) syncNow() {
	s.busy.Lock()
	defer s.busy.Unlock()
	s.settle()
}

// stop syncs for those who wait, and ends.
func (s *syncer) stop() {
	s.mu.Lock()
	s.stopped = true
	close(s.wake) // after what is in it
	s.mu.Unlock()
	<-s.done
}

// add lets requests wait for the next sync. It returns false if there will be none.
func (s *syncer) add(list ...*request) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped {
		return false
	}
	s.waiting = append(s.waiting, list...)
	select {
	case s.wake <- struct{}{}:
	default: // it is awake
	}
	return true
}

// commit counts a commit, from before anybody can see it. One that fails is not counted.
func (s *syncer) commit(do func() error) error {
	n := s.begun.Add(1)
	if err := do(); err != nil {
		s.begun.Store(n - 1)
		return err
	}
	s.written.Store(n)
	return nil
}

// fewCallers are so many that nobody else is likely to need the writer during a sync. To
// hand them over would cost them more than the writer's time is worth.
const fewCallers = 2

const (
	// maxDelay is how long a commit that nobody waits for stays without a sync.
	maxDelay = 5 * time.Millisecond
	// mostUnsynced is how many commits may be without one. Once a slow disk has left so many, all
	// callers wait for it.
	mostUnsynced = 64
)

// finish tells the callers of a batch that skip the sync, and lets the others wait for the next
// one, or makes it at once.
func (s *syncer) finish(batch []*request) {
	few := len(batch) <= fewCallers // who skips it may need the writer again during a sync
	keepsUp := s.written.Load()-s.stored.Load() <= mostUnsynced
	batch = slices.DeleteFunc(batch, func(r *request) bool {
		skips := keepsUp && r.err == nil && r.tx != nil && r.tx.SkipsSync()
		if skips {
			s.tellOne(r)
		}
		return skips
	})
	if len(batch) == 0 {
		s.scheduleSync()
		return
	}
	if !few || !s.busy.TryLock() {
		s.add(batch...)
		return
	}
	defer s.busy.Unlock()
	s.settle(batch...)
}

// scheduleSync makes sure that there is a sync before long.
func (s *syncer) scheduleSync() {
	if s.scheduled.CompareAndSwap(false, true) {
		time.AfterFunc(maxDelay, func() {
			s.scheduled.Store(false)
			s.add()
		})
	}
}

// settle syncs for all who wait, and for some who came after them, and tells them in this
// order. The caller holds busy.
func (s *syncer) settle(last ...*request) {
	s.mu.Lock()
	batch := append(s.waiting, last...)
	s.waiting = s.spare[:0]
	s.mu.Unlock()
	s.tell(batch, s.reach())
	clear(batch)
	s.spare = batch
}

// reach brings everything that was written before onto stable storage. The caller holds
// busy.
func (s *syncer) reach() error {
	if err := s.broken(); err != nil {
		return err
	}
	written := s.written.Load()
	if s.stored.Load() == s.begun.Load() {
		return nil
	}
	if s.sync != nil {
		if err := s.sync(); err != nil {
			return s.fail(err)
		}
	}
	s.stored.Store(written)
	return nil
}

// fail is for good. After a failed sync the system may have dropped what it could not
// write, and would call the next one a success. A start writes it anew.
func (s *syncer) fail(err error) error {
	cause := err
	if p := (*os.PathError)(nil); errors.As(err, &p) {
		cause = p.Err // callers need not know where the file is
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failure = trouble(err, "The disk failed (%v). What was written last may be lost, and nothing more is stored.", cause).
		WithHint("Check the disk, then stop the hub and start it again.")
	return s.failure
}

// broken is the failure after which nothing is stored.
func (s *syncer) broken() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failure
}

func (s *syncer) tell(batch []*request, failure error) {
	for _, r := range batch {
		if failure != nil {
			r.err = failure
		}
		s.tellOne(r)
	}
}

func (s *syncer) tellOne(r *request) {
	if r.err == nil && r.tx != nil {
		r.tx.Committed()
		s.publish(r.tx.Signals())
	}
	close(r.done)
}

// await returns when everything that a view can have seen until now is on stable storage.
func (s *syncer) await(ctx context.Context) error {
	if s.sync == nil || s.stored.Load() == s.begun.Load() {
		return nil
	}
	r := &request{done: make(chan struct{})}
	if !s.add(r) {
		r.done = s.done // after the last sync
	}
	select {
	case <-r.done:
		return s.broken()
	case <-ctx.Done():
		return ctx.Err()
	}
}
