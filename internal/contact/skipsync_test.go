package contact_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"

	"parley"
	"parley/internal/access"
	"parley/internal/contact"
	"parley/internal/store"
)

// A turn that contacts somebody or is answered need not wait for the disk, nor an ask whose
// caller waits for its end. Everybody else is told what is stored.
func TestOnlyWhatStaysInsideSkipsTheSync(t *testing.T) {
	d := newDesk(t, "Ann", "Bob", member{name: "Claude", kind: parley.Client})
	ann := d.working("Ann")
	claude := turn(d.working("Claude"))
	claude.Token = 0 // it comes from outside
	stores := func(what string, want bool, do func()) {
		t.Helper()
		do()
		if got := d.store.SkippedSync(); got != want {
			t.Errorf("%s skips the sync: %v", what, got)
		}
	}
	opens := func(what string, want bool, do func() (contact.Contact, error)) (made contact.Contact) {
		t.Helper()
		stores(what, want, func() {
			var err error
			made, err = do()
			d.must(err)
		})
		return made
	}
	please := contact.Request{Target: "Bob", Message: "Please."}
	opens("a person's delegation", false, func() (contact.Contact, error) { return d.Delegate(d.Context(), d.as("Pat"), please) })
	opens("a person's notification", false, func() (contact.Contact, error) { return d.Notify(d.Context(), d.as("Pat"), please) })
	opens("an ask whose caller does not wait", false, func() (contact.Contact, error) { return d.OpenAsk(d.Context(), d.as("Pat"), please) })
	opens("a turn's notification", true, func() (contact.Contact, error) { return d.Notify(d.Context(), turn(ann), please) })
	delegated := opens("a turn's delegation", true, func() (contact.Contact, error) { return d.Delegate(d.Context(), turn(ann), please) })
	asked := opens("a turn's ask", true, func() (contact.Contact, error) { return d.try(turn(ann), parley.Ask, please) })
	failing := d.contact(turn(ann), parley.Ask, "Bob")
	outside := opens("a client's ask", true, func() (contact.Contact, error) { return d.try(claude, parley.Ask, please) })
	stores("an answer to a turn", true, func() { d.end(d.claim(asked.Task.ID), "Yes.") })
	stores("a failure for a turn that asked", true, func() { d.fails(d.claim(failing.Task.ID), "No.") })
	stores("an answer to a client", false, func() { d.end(d.claim(outside.Task.ID), "Yes.") })
	stores("the result of a delegation", false, func() { d.end(d.claim(delegated.Task.ID), "Done.") })
	stores("the end for a person", false, func() { d.end(ann, "All is done.") })

	bounded, err := d.Delegate(d.Context(), d.as("Pat"), contact.Request{Target: "Ann", Message: "Begin.", Budget: parley.Budget{Tokens: 1000}})
	d.must(err)
	counted := d.below(d.claim(bounded.Task.ID), parley.Ask, "Bob")
	stores("what was spent of a budget", false, func() { d.end(counted, "Yes.") })
}

// An ask whose sync was skipped is not said to be made if the disk fails, nor answered.
func TestAnAskThatTheDiskLosesIsNotMade(t *testing.T) {
	d := newDesk(t, "Ann", member{name: "Claude", kind: parley.Client})
	st := lossy{d.store}
	s := contact.New(st, d.dir, access.New(st, d.dir, slog.New(slog.DiscardHandler)), nil, slog.New(slog.DiscardHandler))
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if a, err := s.AskWithin(t.Context(), over, d.as("Pat"), contact.Request{Target: "Ann", Message: "Please."}); !errors.Is(err, errLost) {
		t.Errorf("%s: %v", a.Task.ID, err)
	}
	claude := d.as("Claude")
	claude.Slot = soon{func() {
		var asked parley.TaskID
		d.store.See(func(tx *store.Tx) error {
			open, err := tx.OpenOf(d.id("Ann"))
			asked = open[len(open)-1]
			return err
		})
		d.end(d.claim(asked), "Yes.")
	}}
	if a, err := s.Ask(t.Context(), claude, contact.Request{Target: "Ann", Message: "Is it so?"}); !errors.Is(err, errLost) {
		t.Errorf("%s says %q: %v", a.Task.ID, a.Text, err)
	}
}

// soon is the place of an asker who is answered as soon as it waits.
type soon struct{ answer func() }

func (s soon) Release()                    { s.answer() }
func (soon) Acquire(context.Context) error { return nil }

var errLost = errors.New("the disk failed")

// lossy is a store on a disk that fails after commits.
type lossy struct{ store.Store }

func (lossy) AwaitSync(context.Context) error { return errLost }
