package sqlite

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"parley"
	"parley/internal/bubbletest"
	"parley/internal/store"
	"parley/internal/wake"
)

var errRefused = errors.New("refused after writing")

// batch runs closures as one batch, and returns their errors.
func batch(t *testing.T, s *Store, closures []func(*store.Tx) error) []error {
	t.Helper()
	return <-handIn(t, s, closures)
}

// handIn hands in closures while the writer is blocked, so that they run as one batch. It
// runs in a bubble, where Wait returns once everybody waits: the writer for us, the
// others in its queue. The errors come when all have returned.
func handIn(t *testing.T, s *Store, closures []func(*store.Tx) error) <-chan []error {
	t.Helper()
	held, release := make(chan struct{}), make(chan struct{})
	first := make(chan error)
	go func() {
		first <- s.Update(context.Background(), func(*store.Tx) error { close(held); <-release; return nil })
	}()
	<-held
	errs, done := make([]error, len(closures)), make(chan struct{})
	for i, fn := range closures {
		go func() {
			errs[i] = s.Update(context.Background(), fn)
			done <- struct{}{}
		}()
		synctest.Wait() // one after the other, so that their order is known
	}
	if n := len(s.writer.queue); n != len(closures) {
		t.Fatalf("%d of %d are in the queue", n, len(closures))
	}
	close(release)
	all := make(chan []error, 1)
	go func() {
		for range closures {
			<-done
		}
		if err := <-first; err != nil {
			t.Error(err)
		}
		all <- errs
	}()
	return all
}

// TestAFailingOperationInAGroupCommitMustNotSinkTheOthers puts one closure that
// fails, in each possible way, among some that do not.
func TestAFailingOperationInAGroupCommitMustNotSinkTheOthers(t *testing.T) {
	for _, c := range []struct {
		name string
		fail func(s *Store, tx *store.Tx) error
		want string // in the error
	}{
		{"an error", func(_ *Store, tx *store.Tx) error { return errRefused }, "refused"},
		{"a panic", func(_ *Store, tx *store.Tx) error { panic("at once") }, "at once"},
		{"a violated constraint", func(_ *Store, tx *store.Tx) error {
			tx.InsertTeam(&parley.Team{Name: "main"})
			return nil
		}, "UNIQUE"},
		{"a failed read that is overlooked", func(s *Store, tx *store.Tx) error {
			_ = s.writer.conn.Query(store.Query{SQL: "SELECT nonsense"})
			return nil
		}, "nonsense"},
		{"an error that ends the transaction", func(s *Store, tx *store.Tx) error {
			s.writer.conn.exec("ROLLBACK")
			s.writer.conn.err = errors.New("the engine gave up")
			return nil
		}, "gave up"},
		{"an error that ends the transaction, returned", func(s *Store, tx *store.Tx) error {
			s.writer.conn.exec("ROLLBACK")
			s.writer.conn.err = errors.New("the engine gave up")
			return errRefused
		}, "gave up"},
	} {
		for _, place := range []int{0, 3, 6} {
			t.Run(fmt.Sprint(c.name, " in place ", place), func(t *testing.T) {
				bubbletest.Test(t, func(t *testing.T) {
					s := openStore(t, filepath.Join(t.TempDir(), "parley.db"))
					if err := s.Update(t.Context(), func(tx *store.Tx) error {
						tx.InsertTeam(&parley.Team{Name: "Main"})
						return nil
					}); err != nil {
						t.Fatal(err)
					}
					closures := make([]func(*store.Tx) error, 7)
					for i := range closures {
						closures[i] = token(fmt.Sprint(i))
					}
					closures[place] = func(tx *store.Tx) error {
						tx.InsertToken("bad", parley.Token{Agent: 1})
						tx.Signal(wake.Work, 99)
						return c.fail(s, tx)
					}
					heard, stop := s.Bus().Watch(wake.Signal{Topic: wake.Work, ID: 99})
					defer stop()
					for i, err := range batch(t, s, closures) {
						switch {
						case i == place && (err == nil || !strings.Contains(err.Error(), c.want)):
							t.Errorf("the one that fails: %v", err)
						case i != place && err != nil:
							t.Errorf("closure %d is dragged along: %v", i, err)
						case i != place && !s.has(t, fmt.Sprint(i)):
							t.Errorf("closure %d was told that it is stored, and is not", i)
						}
					}
					if s.has(t, "bad") || len(heard) > 0 {
						t.Error("the one that failed is stored, or signalled")
					}
				})
			})
		}
	}
}

// After an error that ended the shared transaction, each closure gets its own. One
// that fails there leaves nothing behind, and nothing open for the next.
func TestAFailureAfterALostTransactionLeavesNothingBehind(t *testing.T) {
	for name, fail := range map[string]func(s *Store) error{
		"refused": func(*Store) error { return errRefused },
		"broken": func(s *Store) error {
			_ = s.writer.conn.Query(store.Query{SQL: "SELECT nonsense"})
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			bubbletest.Test(t, func(t *testing.T) {
				s := openStore(t, filepath.Join(t.TempDir(), "parley.db"))
				errs := batch(t, s, []func(*store.Tx) error{
					token("first"),
					func(tx *store.Tx) error {
						tx.InsertToken("second", parley.Token{Agent: 1})
						return fail(s)
					},
					token("third"),
					func(tx *store.Tx) error {
						tx.InsertToken("fourth", parley.Token{Agent: 1})
						s.writer.conn.exec("ROLLBACK")
						s.writer.conn.err = errors.New("the engine gave up")
						return nil
					},
					token("fifth"),
				})
				for i, token := range []string{"first", "second", "third", "fourth", "fifth"} {
					want := i != 1 && i != 3
					if (errs[i] == nil) != want || s.has(t, token) != want {
						t.Errorf("%s: %v, stored %v", token, errs[i], s.has(t, token))
					}
				}
				if err := s.Update(t.Context(), token("next")); err != nil || !s.has(t, "next") {
					t.Errorf("the next one: %v", err)
				}
			})
		})
	}
}

// After an error that ended the transaction of a single closure, the next one is stored
// once: it must not find the transaction taken for open, be stored statement by statement and
// then run again.
func TestWhatFollowsALostTransactionIsStoredOnce(t *testing.T) {
	for name, wipe := range map[string]bool{"an update": false, "an erasure": true} {
		t.Run(name, func(t *testing.T) {
			w := newTalk(t)
			w.writer.checks = false // it would end what is left open
			if err := w.writer.hand(func(tx *store.Tx) error {
				tx.InsertToken("lost", parley.Token{Agent: 1})
				w.writer.conn.exec("ROLLBACK")
				w.writer.conn.err = errors.New("the engine gave up")
				return nil
			}, wipe); err == nil {
				t.Error("what was lost is told to be stored")
			}
			for range 2 {
				if err := w.Update(t.Context(), func(tx *store.Tx) error { return w.say(tx, "next", "") }); err != nil {
					t.Error(err)
				}
			}
			if said := w.said(t); len(said) != 2 {
				t.Errorf("said: %q", said)
			}
		})
	}
}

// A failed commit fails the whole batch, stores nothing of it, and leaves nothing
// behind for the next. This is tried with the first attempt to commit, and with the
// second one, which follows when a closure had to be taken out.
func TestAFailedCommitStoresNothing(t *testing.T) {
	for attempt := 1; attempt <= 2; attempt++ {
		bubbletest.Test(t, func(t *testing.T) {
			s := openStore(t, filepath.Join(t.TempDir(), "parley.db"))
			interrupted := make(chan struct{})
			close(interrupted)
			runs := 0
			errs := batch(t, s, []func(*store.Tx) error{
				token("first"),
				func(tx *store.Tx) error {
					tx.InsertToken("second", parley.Token{Agent: 1})
					if runs++; runs < attempt {
						return errRefused
					}
					s.writer.conn.raw.SetInterrupt(interrupted) // everything fails from now on, even ROLLBACK
					return nil
				},
			})
			for i, err := range errs {
				if err == nil {
					t.Errorf("attempt %d: closure %d was told that it is stored", attempt, i)
				}
			}
			s.writer.conn.raw.SetInterrupt(nil)
			if err := s.Update(t.Context(), token("third")); err != nil {
				t.Errorf("attempt %d: the next one: %v", attempt, err)
			}
			if s.has(t, "first") || s.has(t, "second") || !s.has(t, "third") {
				t.Errorf("attempt %d: the wrong ones are stored", attempt)
			}
		})
	}
}

func TestCloseStoresWhatWasHandedIn(t *testing.T) {
	bubbletest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "parley.db")
		s, err := Open(path, Options{})
		if err != nil {
			t.Fatal(err)
		}
		held, release := make(chan struct{}), make(chan struct{})
		errs := make(chan error, 10)
		go func() {
			errs <- s.Update(context.Background(), func(tx *store.Tx) error {
				close(held)
				<-release
				return token("0")(tx)
			})
		}()
		<-held
		for i := range 8 {
			go func() { errs <- s.Update(context.Background(), token(fmt.Sprint(i+1))) }()
		}
		synctest.Wait()
		go func() { errs <- s.Close() }()
		synctest.Wait()
		close(release)
		for range cap(errs) {
			if err := <-errs; err != nil {
				t.Error(err)
			}
		}
		s = openStore(t, path)
		for i := range 9 {
			if !s.has(t, fmt.Sprint(i)) {
				t.Errorf("closure %d was told that it is stored, and is not", i)
			}
		}
	})
}

// Close lets a running view finish first.
func TestCloseWaitsForViews(t *testing.T) {
	bubbletest.Test(t, func(t *testing.T) {
		s, err := Open(filepath.Join(t.TempDir(), "parley.db"), Options{})
		if err != nil {
			t.Fatal(err)
		}
		begun, release := make(chan struct{}), make(chan struct{})
		viewed, closed := make(chan error, 1), make(chan error, 1)
		go func() {
			viewed <- s.View(context.Background(), func(tx *store.Tx) error {
				close(begun)
				<-release
				_, err := tx.Agents(1)
				return err
			})
		}()
		<-begun
		go func() { closed <- s.Close() }()
		synctest.Wait()
		if len(closed) > 0 {
			t.Error("closed under a view")
		}
		close(release)
		if err := errors.Join(<-viewed, <-closed); err != nil {
			t.Error(err)
		}
	})
}
