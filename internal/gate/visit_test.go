package gate

import (
	"context"
	"testing"

	"parley"
	"parley/internal/token"
)

// What begins to wait when its token has ended already does not wait at all.
func TestWaitingAfterTheEnd(t *testing.T) {
	d := open(t, Config{})
	mine := d.token(d.joiner, 0)
	ctx, leave, err := d.enter(here, mine)
	if err != nil {
		t.Fatal(err)
	}
	defer leave()
	d.gate.visits.endAll(pass{token: d.stored(mine).ID}, token.ErrRevoked())
	waiting, release := Until(ctx)
	defer release(nil)
	if waiting.Err() == nil || parley.KindOf(context.Cause(waiting)) != parley.Unauthentic {
		t.Errorf("it waits: %v, %v", waiting.Err(), context.Cause(waiting))
	}
}

// A request that is over leaves nothing that waits, and no word of its token.
func TestWhatWaitsEndsWithItsRequest(t *testing.T) {
	d := open(t, Config{})
	ctx, leave, err := d.enter(here, d.token(d.joiner, 0))
	if err != nil {
		t.Fatal(err)
	}
	waiting, release := Until(ctx)
	defer release(nil)
	leave()
	if waiting.Err() == nil || Ended(ctx) != nil {
		t.Errorf("%v, %v", waiting.Err(), Ended(ctx))
	}
}

// A long request may wait many times. What has waited is forgotten.
func TestWhatHasWaitedIsForgotten(t *testing.T) {
	d := open(t, Config{})
	ctx, leave, err := d.enter(here, d.token(d.joiner, 0))
	if err != nil {
		t.Fatal(err)
	}
	defer leave()
	kept, releaseKept := Until(ctx)
	defer releaseKept(nil)
	for range 3 {
		waiting, release := Until(ctx)
		release(nil)
		if waiting.Err() == nil {
			t.Error("it goes on")
		}
	}
	if n := len(visitOf(ctx).waits); n != 1 || kept.Err() != nil {
		t.Errorf("%d wait, %v", n, kept.Err())
	}
}
