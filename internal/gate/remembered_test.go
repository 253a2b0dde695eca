package gate

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"parley"
	"parley/internal/bubbletest"
	"parley/internal/store"
	"parley/internal/token"
	"parley/internal/wake"
)

// looked counts how often something is looked up in a store, and does something after
// the next time. The gate itself looks too, when a token has ended.
type looked struct {
	store.Store
	views  atomic.Int64
	shared bool
	after  atomic.Pointer[func()]
}

func (l *looked) View(ctx context.Context, fn func(*store.Tx) error) error {
	l.views.Add(1)
	err := l.Store.View(ctx, fn)
	if after := l.after.Swap(nil); after != nil {
		(*after)()
	}
	return err
}

func (l *looked) Shared() bool { return l.shared }

// watched makes a doorway whose store is counted, and a token that was used once.
func watched(t *testing.T, cfg Config, ends time.Duration) (*doorway, *looked, string) {
	t.Helper()
	d := open(t, cfg)
	l := &looked{Store: d.store}
	d.gate.cfg.Store = l
	secret := d.token(d.joiner, ends)
	d.pass(secret, nil)
	return d, l, secret
}

// pass makes a request with a token; refused is why it must not pass, or nil.
func (d *doorway) pass(secret string, refused error) {
	d.t.Helper()
	_, leave, err := d.enter(here, secret)
	defer leave()
	if fmt.Sprint(err) != fmt.Sprint(refused) {
		d.t.Errorf("%v, want %v", err, refused)
	}
}

func TestATokenIsRememberedUntilItEnds(t *testing.T) {
	gone := func(d *doorway, _ string) {
		d.joiner.Removed = true
		d.update(func(tx *store.Tx) {
			tx.UpdateAgent(d.joiner)
			tx.Signal(wake.Tokens, 0)
		})
	}
	for _, c := range []struct {
		name string
		end  func(*doorway, string)
		why  error
	}{
		{"revoked", (*doorway).revoke, token.ErrRevoked()},
		{"its owner is gone", gone, token.ErrGone()},
	} {
		t.Run(c.name, func(t *testing.T) {
			bubbletest.Test(t, func(t *testing.T) {
				d, l, secret := watched(t, Config{}, 0)
				d.run()
				synctest.Wait()
				l.views.Store(0)
				for range 3 {
					d.pass(secret, nil)
				}
				if l.views.Load() != 1 {
					t.Errorf("looked up %d times", l.views.Load())
				}
				c.end(d, secret)
				d.pass(secret, c.why) // without waiting for anything
			})
		})
	}
}

// A token that is revoked while a request looks it up lets that one in, which came before,
// and none after it.
func TestWhatEndsWhileItIsLookedUpIsNotRemembered(t *testing.T) {
	bubbletest.Test(t, func(t *testing.T) {
		d, l, secret := watched(t, Config{}, 0)
		d.run()
		synctest.Wait()
		after := func() {
			d.revoke(secret)
		}
		l.after.Store(&after)
		d.pass(secret, nil)
		d.pass(secret, token.ErrRevoked())
	})
}

// The same before the gate hears signals: nobody tells it later.
func TestWhatWasLookedUpBeforeSignalsAreHeardIsNotRemembered(t *testing.T) {
	bubbletest.Test(t, func(t *testing.T) {
		d, l, secret := watched(t, Config{}, 0)
		after := func() {
			d.revoke(secret)
			d.run()
			synctest.Wait()
		}
		l.after.Store(&after)
		d.pass(secret, nil)
		d.pass(secret, token.ErrRevoked())
	})
}

func TestWhereATokenIsLookedUpEachTime(t *testing.T) {
	for _, c := range []struct {
		name       string
		ends       time.Duration
		shared, on bool
	}{
		{"other hubs may end it", 0, true, true},
		{"it has an end", time.Hour, false, true},
		{"signals are not heard", 0, false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			bubbletest.Test(t, func(t *testing.T) {
				d, l, secret := watched(t, Config{}, c.ends)
				l.shared = c.shared
				if c.on {
					d.run()
					synctest.Wait()
				}
				l.views.Store(0)
				for range 3 {
					d.pass(secret, nil)
				}
				if l.views.Load() != 3 {
					t.Errorf("looked up %d times", l.views.Load())
				}
			})
		})
	}
}

// A gate that has stopped hears nothing any more, so it believes nothing.
func TestNothingIsRememberedAfterTheEnd(t *testing.T) {
	bubbletest.Test(t, func(t *testing.T) {
		d, _, secret := watched(t, Config{}, 0)
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { defer close(done); d.gate.Run(ctx) }()
		synctest.Wait()
		d.pass(secret, nil)
		stop()
		<-done
		d.revoke(secret)
		d.pass(secret, token.ErrRevoked())
	})
}

// Whoever is no longer in the hub's files is refused, remembered or not.
func TestTheFilesAreAskedEachTime(t *testing.T) {
	bubbletest.Test(t, func(t *testing.T) {
		known := true
		d, _, secret := watched(t, Config{Known: func(parley.AgentID) bool { return known }}, 0)
		d.run()
		synctest.Wait()
		d.pass(secret, nil)
		known = false
		d.pass(secret, token.ErrElsewhere())
	})
}

// An end of which no signal tells is seen with the next look.
func TestNothingIsBelievedForLong(t *testing.T) {
	bubbletest.Test(t, func(t *testing.T) {
		d, _, secret := watched(t, Config{}, 0)
		d.run()
		synctest.Wait()
		d.pass(secret, nil)
		d.joiner.Removed = true
		d.update(func(tx *store.Tx) { tx.UpdateAgent(d.joiner) })
		time.Sleep(lookEvery)
		synctest.Wait()
		d.pass(secret, token.ErrGone())
	})
}

func TestWhatIsRememberedOfTokensIsBounded(t *testing.T) {
	var r remembered
	r.begin()
	for i := range 2*mostRemembered + 1 {
		r.keep(digest{byte(i), byte(i >> 8), byte(i >> 16)}, token.Use{}, 1)
	}
	if n := len(r.tokens); n == 0 || n > mostRemembered {
		t.Errorf("%d", n)
	}
}
