package sqlite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"parley"
	"parley/internal/bubbletest"
	"parley/internal/store"
	"parley/internal/wake"
)

// openSynced opens a store with another way to sync its log.
func openSynced(t *testing.T, path string, sync func() error) *Store {
	t.Helper()
	s, err := Open(path, Options{Readers: 2})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	s.writer.syncer.sync = sync // nobody uses it yet
	return s
}

// call runs something that waits, and reports how it ended.
func call(fn func() error) <-chan error {
	end := make(chan error, 1)
	go func() { end <- fn() }()
	return end
}

// While a batch is synced the writer goes on, but nobody hears of anything that is not on
// the disk: who stored it, who only looked, who was refused by what was there.
func TestNobodyIsToldBeforeTheSync(t *testing.T) {
	bubbletest.Test(t, func(t *testing.T) {
		disk := make(chan struct{})
		s := openSynced(t, filepath.Join(t.TempDir(), "parley.db"), func() error { <-disk; return nil })
		heard, stop := s.Bus().Watch(wake.Signal{Topic: wake.Work, ID: 7})
		defer stop()
		first := handIn(t, s, []func(*store.Tx) error{token("a"), token("b"), func(tx *store.Tx) error {
			tx.Signal(wake.Work, 7)
			return token("c")(tx)
		}})
		synctest.Wait()
		ran := false
		second := call(func() error {
			return s.Update(t.Context(), func(tx *store.Tx) error { ran = true; return token("d")(tx) })
		})
		refused := call(func() error {
			err := s.Update(t.Context(), func(tx *store.Tx) error {
				if _, err := tx.TokenByHash("a"); err != nil {
					return err
				}
				return errRefused
			})
			if !errors.Is(err, errRefused) {
				return fmt.Errorf("not refused by what is there: %v", err)
			}
			return nil
		})
		seen := false
		view := call(func() error {
			return s.View(t.Context(), func(tx *store.Tx) error {
				_, err := tx.TokenByHash("a")
				seen = err == nil
				return err
			})
		})
		synctest.Wait()
		if !ran || !seen {
			t.Errorf("the writer goes on: %v; a view sees what is committed: %v", ran, seen)
		}
		told := func() int { return len(first) + len(second) + len(refused) + len(view) + len(heard) }
		if told() > 0 {
			t.Errorf("before the sync %d were told of the first, %d of the second, %d refused, %d looked, %d heard of it",
				len(first), len(second), len(refused), len(view), len(heard))
		}
		disk <- struct{}{} // the first batch
		synctest.Wait()
		if len(first) != 1 || len(heard) != 1 || told() != 2 {
			t.Errorf("after the sync of the first %d were told of it and %d heard of it, and %d in all", len(first), len(heard), told())
		}
		close(disk)
		if err := errors.Join(append(<-first, <-second, <-refused, <-view)...); err != nil {
			t.Error(err)
		}
	})
}

// Who looks when everything is on the disk waits for nothing, and those who wait
// together need one sync.
func TestNothingIsSyncedTwice(t *testing.T) {
	bubbletest.Test(t, func(t *testing.T) {
		var syncs atomic.Int64
		s := openSynced(t, filepath.Join(t.TempDir(), "parley.db"), func() error { syncs.Add(1); return nil })
		closures := make([]func(*store.Tx) error, 20)
		for i := range closures {
			closures[i] = token(fmt.Sprint(i))
		}
		if err := errors.Join(batch(t, s, closures)...); err != nil {
			t.Fatal(err)
		}
		if n := syncs.Load(); n != 1 {
			t.Errorf("%d syncs for one batch", n)
		}
		for i := range closures {
			if !s.has(t, fmt.Sprint(i)) {
				t.Errorf("%d is not there", i)
			}
		}
		if err := s.Update(t.Context(), func(*store.Tx) error { return errRefused }); !errors.Is(err, errRefused) {
			t.Error(err)
		}
		if n := syncs.Load(); n != 1 {
			t.Errorf("%d syncs of what was synced", n-1)
		}
	})
}

// skipping makes an update that does not wait for the disk.
func skipping(fn func(*store.Tx) error) func(*store.Tx) error {
	return func(tx *store.Tx) error { tx.SkipSync(); return fn(tx) }
}

// A caller that skips the sync goes on at once, and so does whoever waits for it within the hub.
// Everybody else hears of it, and of what follows, when it is on the disk.
func TestACallerThatSkipsTheSyncGoesOn(t *testing.T) {
	bubbletest.Test(t, func(t *testing.T) {
		disk := make(chan struct{})
		s := openSynced(t, filepath.Join(t.TempDir(), "parley.db"), func() error { <-disk; return nil })
		heard, stop := s.Bus().Watch(wake.Signal{Topic: wake.Ended, ID: 7})
		defer stop()
		for _, err := range batch(t, s, []func(*store.Tx) error{skipping(token("a")), skipping(token("b")), skipping(func(tx *store.Tx) error {
			tx.Signal(wake.Ended, 7)
			return token("c")(tx)
		})}) {
			if err != nil {
				t.Fatal(err)
			}
		}
		if len(heard) != 1 {
			t.Errorf("%d heard of it", len(heard))
		}
		settled := call(func() error { return s.AwaitSync(t.Context()) })
		synctest.Wait() // the syncer is at it, and nobody waits for its lock
		view := call(func() error { return s.View(t.Context(), func(*store.Tx) error { return nil }) })
		after := call(func() error { return s.Update(t.Context(), token("d")) })
		refused := call(func() error {
			if err := s.Update(t.Context(), skipping(func(*store.Tx) error { return errRefused })); !errors.Is(err, errRefused) {
				return fmt.Errorf("not refused: %v", err)
			}
			return nil
		})
		synctest.Wait()
		if n := len(settled) + len(view) + len(after) + len(refused); n > 0 {
			t.Errorf("%d were told before the sync", n)
		}
		var went atomic.Int64
		many := call(func() (err error) {
			for i := 0; i < 2*mostUnsynced && err == nil; i++ {
				err = s.Update(t.Context(), skipping(token(fmt.Sprint("one of many ", i))))
				went.Add(1)
			}
			return err
		})
		synctest.Wait()
		if n := went.Load(); n == 0 || n > mostUnsynced {
			t.Errorf("%d go on while the disk hangs", n)
		}
		close(disk)
		if err := errors.Join(<-settled, <-view, <-after, <-refused, <-many); err != nil {
			t.Error(err)
		}
	})
}

// A contact that skips the sync may be told before a redaction that is older. The turn that it
// begins finds nothing in memory of what was redacted.
func TestARedactionIsForgottenBeforeTheSync(t *testing.T) {
	bubbletest.Test(t, func(t *testing.T) {
		slow, disk := false, make(chan struct{})
		s := openSynced(t, filepath.Join(t.TempDir(), "parley.db"), func() error {
			if slow {
				<-disk
			}
			return nil
		})
		secret := parley.Message{Team: 1, Author: 1, Kind: parley.AskMessage, Body: "the secret"}
		post := func(tx *store.Tx, m *parley.Message) error {
			dm, err := tx.EnsureDM(1, 1, 2)
			if err != nil {
				return err
			}
			m.Thread = dm.Main
			return tx.Post(m, store.Recipient{ID: 2})
		}
		if err := s.Update(t.Context(), func(tx *store.Tx) error { return post(tx, &secret) }); err != nil {
			t.Fatal(err)
		}
		if list, _ := s.Recent().Back(secret.Thread, secret.ID, 0, 20); len(list) != 1 {
			t.Fatalf("%d messages are in memory", len(list))
		}
		slow = true
		redacted := handIn(t, s, []func(*store.Tx) error{token("a"), token("b"), func(tx *store.Tx) error { tx.Redact(secret, 1, "[redacted]", ""); return nil }})
		synctest.Wait()
		next := parley.Message{Team: 1, Author: 1, Kind: parley.AskMessage, Body: "next"}
		if err := s.Update(t.Context(), skipping(func(tx *store.Tx) error { return post(tx, &next) })); err != nil {
			t.Fatal(err)
		}
		if list, _ := s.Recent().Back(next.Thread, next.Prev, 0, 20); len(redacted) > 0 || next.Prev != secret.ID || len(list) > 0 {
			t.Errorf("the redaction is stored: %v; the turn finds %+v", len(redacted) > 0, list)
		}
		close(disk)
		if err := errors.Join(<-redacted...); err != nil {
			t.Error(err)
		}
	})
}

// A commit whose sync was skipped shares that of what follows, or gets one of its own before long.
func TestASkippedSyncIsMadeBeforeLong(t *testing.T) {
	bubbletest.Test(t, func(t *testing.T) {
		var syncs atomic.Int64
		s := openSynced(t, filepath.Join(t.TempDir(), "parley.db"), func() error { syncs.Add(1); return nil })
		put := func(fn func(*store.Tx) error) {
			t.Helper()
			if err := s.Update(t.Context(), fn); err != nil {
				t.Fatal(err)
			}
		}
		put(skipping(token("a")))
		put(skipping(token("b")))
		put(token("c"))
		if n := syncs.Load(); n != 1 {
			t.Errorf("%d syncs of three commits that one waits for", n)
		}
		put(skipping(token("d")))
		put(skipping(token("e")))
		if n := syncs.Load(); n != 1 {
			t.Errorf("%d syncs at once of what nobody waits for", n-1)
		}
		if err := s.AwaitSync(t.Context()); err != nil || syncs.Load() != 2 {
			t.Errorf("%d syncs of what somebody waits for: %v", syncs.Load()-1, err)
		}
		for i := range 3 {
			put(skipping(token(fmt.Sprint("later ", i))))
			time.Sleep(2 * maxDelay) // of the bubble's clock
			synctest.Wait()
			if n := syncs.Load(); n != int64(3+i) {
				t.Errorf("%d syncs of what nobody waits for, want %d", n-2, i+1)
			}
		}
		put(skipping(token("at last")))
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if n := syncs.Load(); n != 6 {
			t.Errorf("%d syncs at the end", n-5)
		}
	})
}

// Whoever cannot wait any longer goes, and a store that is closed brings everything onto the
// disk first.
func TestAViewGivesUpAndAStoreIsClosedInASync(t *testing.T) {
	bubbletest.Test(t, func(t *testing.T) {
		disk := make(chan struct{})
		s, err := Open(filepath.Join(t.TempDir(), "parley.db"), Options{Readers: 2})
		if err != nil {
			t.Fatal(err)
		}
		s.writer.syncer.sync = func() error { <-disk; return nil }
		stored := handIn(t, s, []func(*store.Tx) error{token("a"), token("b"), token("c")})
		synctest.Wait()
		ctx, cancel := context.WithCancel(t.Context())
		view := call(func() error { return s.View(ctx, func(*store.Tx) error { return nil }) })
		synctest.Wait()
		cancel()
		if err := <-view; !errors.Is(err, context.Canceled) {
			t.Errorf("a view that gave up: %v", err)
		}
		closed := call(s.Close)
		synctest.Wait()
		late := call(func() error { return s.writer.syncer.await(t.Context()) }) // of a view that was running
		synctest.Wait()
		if len(closed)+len(stored)+len(late) > 0 {
			t.Error("closed, or told, before the sync")
		}
		close(disk)
		if err := errors.Join(append(<-stored, <-closed, <-late)...); err != nil {
			t.Error(err)
		}
	})
}

// A view may see a commit before the writer has gone on by one instruction. It must know by
// then that there is something to wait for.
func TestACommitCountsBeforeAnybodySeesIt(t *testing.T) {
	s := newSyncer(nil, nil)
	s.sync = func() error { return nil }
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for name, failure := range map[string]error{"made": nil, "failed": errRefused} {
		err := s.commit(func() error {
			if err := s.await(gone); !errors.Is(err, context.Canceled) {
				t.Errorf("%s: who looks while the commit is made does not wait: %v", name, err)
			}
			return failure
		})
		if err != failure {
			t.Errorf("%s: %v", name, err)
		}
		s.settle()
		if err := s.await(gone); err != nil {
			t.Errorf("%s: who looks when everything is stored waits: %v", name, err)
		}
	}
}

// Who comes later is told later, also if the writer makes the sync itself while others wait:
// else what was redacted could come back into memory by the end of an older task.
func TestCallersAreToldInTheirOrder(t *testing.T) {
	var heard []int64
	s := newSyncer(nil, func(list []wake.Signal) {
		for _, signal := range list {
			heard = append(heard, signal.ID)
		}
	})
	signals := func(ids ...int64) (list []*request) {
		for _, id := range ids {
			tx := &store.Tx{}
			tx.Signal(wake.Work, id)
			list = append(list, &request{tx: tx, done: make(chan struct{})})
		}
		return list
	}
	s.finish(signals(1, 2, 3)) // wait for the syncer, which does not run
	s.finish(signals(4))
	s.finish(signals(5, 6, 7))
	go s.run()
	s.stop()
	if want := []int64{1, 2, 3, 4, 5, 6, 7}; !slices.Equal(heard, want) {
		t.Errorf("told %v", heard)
	}
}

// A database may be reached by a link. What is synced is the log of the file itself.
func TestTheLogBehindALinkIsSynced(t *testing.T) {
	real, linked := filepath.Join(t.TempDir(), "parley.db"), filepath.Join(t.TempDir(), "parley.db")
	if err := openStore(t, real).Close(); err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{os.Symlink(real, linked), os.WriteFile(linked+"-wal", nil, 0o600)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	s, err := Open(linked, Options{Readers: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	synced, err := s.log.Stat()
	if err != nil {
		t.Fatal(err)
	}
	log, err := os.Stat(real + "-wal")
	if err != nil || !os.SameFile(synced, log) {
		t.Errorf("the file that is synced is not the log: %v", err)
	}
}

// What a hub that was killed has left in the log is in the file before anybody sees it.
func TestWhatIsLeftInTheLogIsWrittenAnew(t *testing.T) {
	path := filepath.Join(t.TempDir(), "parley.db")
	s := openStore(t, path)
	if err := s.Update(t.Context(), token("left")); err != nil {
		t.Fatal(err)
	}
	killed := filepath.Join(t.TempDir(), "parley.db") // as a kill would leave it
	for _, suffix := range []string{"", "-wal"} {
		data, err := os.ReadFile(path + suffix)
		if err == nil {
			err = os.WriteFile(killed+suffix, data, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	again, err := Open(killed, Options{Readers: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	data, err := os.ReadFile(killed)
	alone := filepath.Join(t.TempDir(), "parley.db")
	if err == nil {
		err = os.WriteFile(alone, data, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	if !openStore(t, alone).has(t, "left") {
		t.Error("it is still in the log alone")
	}
}

// A sync that failed cannot be repeated: the system may have dropped what it could not
// write. So the hub stores nothing more, and shows nothing, until it is started again.
func TestAFailedSyncIsForGood(t *testing.T) {
	path := filepath.Join(t.TempDir(), "parley.db")
	bubbletest.Test(t, func(t *testing.T) {
		var broken atomic.Bool
		s := openSynced(t, path, func() error {
			if broken.Load() {
				return &os.PathError{Op: "sync", Path: "/elsewhere", Err: syscall.EIO}
			}
			return nil
		})
		if err := s.Update(t.Context(), token("before")); err != nil {
			t.Fatal(err)
		}
		broken.Store(true)
		heard, stop := s.Bus().Watch(wake.Signal{Topic: wake.Work, ID: 7})
		defer stop()
		says := func(when string, err error) {
			t.Helper()
			var outage *store.Outage
			if text := fmt.Sprint(err); parley.KindOf(err) != parley.Internal || !errors.As(err, &outage) ||
				!strings.Contains(text, "input/output error") || !strings.Contains(text, "Check the disk") || strings.Contains(text, "/elsewhere") {
				t.Errorf("%s: %v", when, err)
			}
		}
		for i, err := range batch(t, s, []func(*store.Tx) error{token("a"), token("b"), func(tx *store.Tx) error {
			tx.Signal(wake.Work, 7)
			return token("c")(tx)
		}}) {
			says(fmt.Sprint("number ", i, " of the batch"), err)
		}
		broken.Store(false) // a second try would seem to succeed
		says("afterwards", s.Update(t.Context(), func(*store.Tx) error { t.Error("it goes on"); return nil }))
		says("a view", s.View(t.Context(), func(*store.Tx) error { return nil }))
		says("who waits for the disk", s.AwaitSync(t.Context()))
		if len(heard) > 0 {
			t.Error("somebody heard of what is not stored")
		}
	})
	s := openStore(t, path)
	if !s.has(t, "before") {
		t.Error("what was told is gone")
	}
	if err := s.Update(t.Context(), token("again")); err != nil {
		t.Errorf("after a start: %v", err)
	}
}
