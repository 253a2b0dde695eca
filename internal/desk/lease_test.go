package desk_test

import (
	"context"
	"runtime"
	"testing"
	"time"

	"parley"
	"parley/internal/desk"
	"parley/internal/store"
)

// A client that is gone for longer than its lease loses its task, which comes again even
// if it was seen before. So does that of a response that got lost after that.
func TestTheTaskOfAClientThatIsGoneComesAgain(t *testing.T) {
	o := newOffice(t)
	o.delegate("Pat", "Codex", "work", parley.Normal)
	o.receive("Codex", o.receive("Codex", "").Cursor)
	o.store.Pass(lease - time.Second)
	o.tick()
	o.equal("still its own", parley.Running, o.task(101).State)
	o.store.Pass(time.Second)
	o.tick()
	o.equal("queued", parley.Queued, o.task(101).State)
	o.equal("no rescue", 0, o.task(101).Rescues)
	lost := o.receive("Codex", "")
	o.equal("handed out", []string{"work task-101 again"}, bodies(lost))
	o.equal("a new lease", int64(2), o.task(101).Token)
	o.equal("and again", []string{"work task-101 again"}, bodies(o.receive("Codex", "")))
	o.equal("until it is seen", []string(nil), bodies(o.receive("Codex", lost.Cursor)))
}

// The first end counts, whichever process of the agent it comes from.
func TestTheFirstEndCounts(t *testing.T) {
	for name, before := range map[string]func(o *office){
		"in time":                  func(*office) {},
		"after its lease":          func(o *office) { o.store.Pass(lease); o.tick() },
		"when another has it":      func(o *office) { o.store.Pass(lease); o.tick(); o.receive("Codex", "") },
		"before the clock noticed": func(o *office) { o.store.Pass(lease) },
	} {
		t.Run(name, func(t *testing.T) {
			o := newOffice(t)
			o.delegate("Pat", "Codex", "work", parley.Normal)
			o.receive("Codex", "")
			before(o)
			o.must(o.Complete(t.Context(), o.as("Codex"), 101, "One."))
			for _, err := range []error{o.Complete(t.Context(), o.as("Codex"), 101, "Two."), o.Fail(t.Context(), o.as("Codex"), 101, "Two.")} {
				if parley.KindOf(err) != parley.Conflict {
					t.Errorf("the second end: %v", err)
				}
			}
			o.equal("state", parley.Completed, o.task(101).State)
			o.equal("result", []string{"One."}, bodies(o.receive("Pat", "")))
			o.equal("nothing comes again", []string(nil), bodies(o.receive("Codex", "")))
		})
	}
}

func TestAnEndUnderItsKeyIsFound(t *testing.T) {
	o := newOffice(t)
	o.delegate("Pat", "Codex", "work", parley.Normal)
	c := o.as("Codex")
	c.Key = "k"
	o.must(o.Complete(t.Context(), c, 101, "One."))
	o.must(o.Complete(t.Context(), c, 101, "One."))
	if err := o.Complete(t.Context(), c, 101, "Two."); parley.KindOf(err) != parley.Conflict {
		t.Error(err)
	}
}

// Most calls write nothing, and a client that calls stays connected.
func TestCallsRenewTheLease(t *testing.T) {
	o := newOffice(t)
	until := func() (at parley.Micros) {
		o.store.See(func(tx *store.Tx) error {
			a, err := tx.Agent(o.as("Codex").Agent)
			at = a.ConnectedUntil
			return err
		})
		return at
	}
	touch := func() { t.Helper(); o.must(o.Touch(t.Context(), o.as("Codex"))) }
	o.equal("at first", parley.Micros(0), until())
	touch()
	first := until()
	o.equal("connected", o.store.Now().Add(lease), first)
	o.store.Pass(lease / 3)
	touch()
	o.equal("two thirds are left", first, until())
	o.store.Pass(time.Second)
	touch()
	o.equal("renewed", o.store.Now().Add(lease), until())
	o.must(o.Touch(t.Context(), o.as("Pat")))
	b, err := o.Receive(t.Context(), o.as("Codex"), desk.Fetch{})
	o.must(err)
	o.equal("nothing", 0, len(b.Items))
}

// A client that waits is connected as long as it waits. If it hangs up, it is so no
// longer than after any other call, unless another process of it waits.
func TestAClientThatHangsUpIsGoneAfterItsLease(t *testing.T) {
	o := newOffice(t)
	const wait = 10 * time.Minute
	until := func() (left time.Duration) {
		o.store.See(func(tx *store.Tx) error {
			a, err := tx.Agent(o.as("Codex").Agent)
			left = a.ConnectedUntil.Until(o.store.Now())
			return err
		})
		return left
	}
	call := func() (hangUp func()) {
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		before := o.Waiting()
		go func() {
			defer close(ended)
			_, _ = o.Receive(ctx, o.as("Codex"), desk.Fetch{Wait: wait})
		}()
		for o.Waiting() == before {
			runtime.Gosched()
		}
		return func() { cancel(); <-ended }
	}
	first, second := call(), call()
	o.equal("while it waits", wait+lease, until())
	first()
	o.equal("while another waits", wait+lease, until())
	second()
	o.equal("afterwards", lease, until())
}

// A hub that knows nothing of what another has stored does not shorten it.
func TestAnotherHubRenewsToo(t *testing.T) {
	o := newOffice(t)
	o.must(o.Touch(t.Context(), o.as("Codex")))
	o.store.Pass(lease / 2)
	o.must(o.service().Touch(t.Context(), o.as("Codex")))
	o.store.Pass(lease / 2)
	o.must(o.Touch(t.Context(), o.as("Codex")))
	o.delegate("Pat", "Codex", "work", parley.Normal)
	o.receive("Codex", "")
	o.store.Pass(lease / 2)
	o.tick()
	o.equal("its own", parley.Running, o.task(101).State)
}
