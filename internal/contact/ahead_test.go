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

// Who goes on within the hub need not wait for the disk: a turn that contacts somebody or gets
// an answer, and an ask whose caller waits for the end. Everybody else is told what is stored.
func TestOnlyWhatStaysWithinTheHubIsStoredAhead(t *testing.T) {
	d := newDesk(t, "Ann", "Bob", member{name: "Claude", kind: parley.Client})
	ann := d.working("Ann")
	claude := turn(d.working("Claude"))
	claude.Token = 0 // it comes from outside
	stores := func(what string, want bool, do func()) {
		t.Helper()
		do()
		if got := d.store.WentAhead(); got != want {
			t.Errorf("%s is stored ahead: %v", what, got)
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
}

// An ask that was stored ahead is not said to be made if the disk fails.
func TestAnAskThatTheDiskLosesIsNotMade(t *testing.T) {
	d := newDesk(t, "Ann")
	st := lossy{d.store}
	s := contact.New(st, d.dir, access.New(st, d.dir, slog.New(slog.DiscardHandler)), nil, slog.New(slog.DiscardHandler))
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if a, err := s.AskWithin(t.Context(), over, d.as("Pat"), contact.Request{Target: "Ann", Message: "Please."}); !errors.Is(err, errLost) {
		t.Errorf("%s: %v", a.Task.ID, err)
	}
}

var errLost = errors.New("the disk failed")

// lossy is a store on a disk that fails after commits.
type lossy struct{ store.Store }

func (lossy) Settled(context.Context) error { return errLost }
