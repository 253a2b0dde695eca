package contact_test

import (
	"fmt"
	"strings"
	"testing"

	"parley"
	"parley/internal/contact"
	"parley/internal/policy"
	"parley/internal/store"
)

const secret = "the password of the vault is swordfish"

// secrets are the rows that still hold the secret.
func (d *desk) secrets() []string {
	d.Helper()
	return d.holding("swordfish")
}

// holding are the rows that hold a word.
func (d *desk) holding(word string) (rows []string) {
	d.Helper()
	for table, list := range d.store.Rows() {
		for _, row := range list {
			if strings.Contains(row, word) {
				rows = append(rows, table+": "+row)
			}
		}
	}
	return rows
}

// A text that was said in a message, or given as its context, is gone from
// everything that was stored of it: steps, approvals, errors, events, and the
// reason for which it goes.
func TestRedactTakesATextAwayEverywhere(t *testing.T) {
	for _, c := range []struct {
		name    string
		request contact.Request
	}{
		{"said", contact.Request{Message: "Note: " + secret}},
		{"given as context", contact.Request{Message: "Open the vault, please.", Context: "For you: " + secret}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newDesk(t, "Ann", "Bob")
			ann := d.working("Ann")
			r := c.request
			r.Target = "Bob"
			made, err := d.Delegate(d.Context(), turn(ann), r)
			d.must(err)
			text := r.Context + r.Message
			if r.Context != "" {
				text = r.Context
			}
			bob := d.claim(made.Task.ID)
			d.store.Do(func(tx *store.Tx) error {
				for i, l := range []parley.Lease{ann, bob} {
					tx.InsertStep(parley.Step{Task: l.Task, Turn: 1, N: 1, Kind: parley.StepReply,
						Content: fmt.Appendf(nil, `{"args":{"n":%d,"context":%q}}`, i, text)})
				}
				return nil
			})
			held := d.hold(bob, "call")
			d.store.Do(func(tx *store.Tx) error {
				tx.SetApprovalText(held, fmt.Sprintf(`{"message":%q}`, "Pass on: "+text), "It is supervised.")
				return nil
			})
			d.park(bob.Task)
			if len(d.secrets()) < 4 {
				t.Fatalf("only in %v", d.secrets())
			}
			_, err = d.redactions.Redact(d.Context(), d.as("Pat"), made.Message, "it says: "+text)
			d.must(err)
			d.equal("left", []string(nil), d.secrets())
			d.equal("what nobody can decide about any more", parley.ApprovalWithdrawn, d.approval(held).State)
			d.equal("its task goes on", parley.Queued, d.store.Task(bob.Task).State)
		})
	}
}

// Events that quote a text lose it: why a task failed, what was dropped, what was
// refused, why something was denied. An event that has nothing of it stays.
func TestRedactTakesATextOutOfEvents(t *testing.T) {
	d := newDesk(t, "Ann", "Bob", member{name: "Guarded", rules: policy.Rules{Contacts: policy.ContactRules{DenyAll: true}}})
	ann := d.working("Ann")
	bob := d.below(ann, parley.Delegate, "Bob")
	d.fails(bob, secret)
	quoted := []parley.EventKind{parley.EventDropped, parley.EventRefused, parley.EventToolRefused, parley.EventApprovalDenied}
	d.store.Do(func(tx *store.Tx) error {
		for _, kind := range quoted {
			tx.Record(parley.Event{Team: d.team, Kind: kind, Actor: ann.Agent, Task: ann.Task, Detail: "why: " + secret})
		}
		tx.Record(parley.Event{Team: d.team, Kind: parley.EventRefused, Actor: ann.Agent, Detail: "something else"})
		return nil
	})
	var failure parley.MessageID
	d.store.See(func(tx *store.Tx) error {
		inbox, err := tx.Inbox(ann.Task, 0, 1)
		failure = inbox[0].ID
		return err
	})
	_, err := d.redactions.Redact(d.Context(), d.as("Pat"), failure, "")
	d.must(err)
	d.equal("left", []string(nil), d.secrets())
	events := strings.Join(d.events(0), "\n")
	d.equal("marked", len(quoted)+1, strings.Count(events, "[redacted by Pat]"))
	d.equal("the others", 1, strings.Count(events, "something else"))
	d.equal("the task's error", false, strings.Contains(d.store.Task(bob.Task).Error, "swordfish"))
}

// Only people redact, and nothing of another team.
func TestWhoRedacts(t *testing.T) {
	d := newDesk(t, "Ann", "Bob")
	sent := d.contact(d.as("Ann"), parley.Notify, "Bob").Message
	d.refused("Only people may redact messages.", func() error { _, err := d.redactions.Redact(d.Context(), d.as("Ann"), sent, ""); return err })
	d.refused("Only people may redact messages.", func() error { _, err := d.redactions.Redact(d.Context(), d.other, sent, ""); return err })
}

// A notification is part of no task but of the turn that wrote it: what that stored
// of it goes too.
func TestRedactTakesATextOutOfTheTurnThatWroteIt(t *testing.T) {
	d := newDesk(t, "Ann", "Bob")
	ann := d.working("Ann")
	made, err := d.Notify(d.Context(), turn(ann), contact.Request{Target: "Bob", Message: secret})
	d.must(err)
	d.store.Do(func(tx *store.Tx) error {
		tx.InsertStep(parley.Step{Task: ann.Task, Turn: 1, N: 1, Kind: parley.StepReply, Content: fmt.Appendf(nil, `{"message":%q}`, secret)})
		return nil
	})
	_, err = d.redactions.Redact(d.Context(), d.as("Pat"), made.Message, "")
	d.must(err)
	d.equal("left", []string(nil), d.secrets())
}

// cabinet is where keepers are: what is rewritten there is just stored. It has no
// index.
type cabinet struct{}

func (cabinet) Forget(*store.Tx, []parley.MessageID) error { return nil }

func (cabinet) Excerpts(parley.KeptMessage) []string { return nil }

func (cabinet) Rename(tx *store.Tx, id parley.KeeperID, topic string) error {
	tx.SetTopic(id, topic)
	return nil
}

func (cabinet) Rewrite(tx *store.Tx, list []parley.KeptMessage) error {
	for _, k := range list {
		tx.SetKeptText(k.ID, k.Text)
	}
	return nil
}

// A keeper loses the text in what it holds and in its topic.
func TestRedactTakesATextOutOfKeepers(t *testing.T) {
	d := newDesk(t, "Ann", "Bob")
	made, err := d.Notify(d.Context(), d.as("Ann"), contact.Request{Target: "Bob", Message: secret})
	d.must(err)
	m := d.message(made.Message)
	d.store.Do(func(tx *store.Tx) error {
		thread, err := tx.Thread(m.Thread)
		k := parley.Keeper{Team: d.team, Owner: d.id("Bob"), Channel: thread.Channel, Thread: m.Thread, Topic: "Why " + secret + " is bad"}
		tx.InsertKeeper(&k, []parley.KeptMessage{{Message: m.ID, Role: "user", Text: secret}, {Role: "user", Text: "Somebody said: " + secret}})
		return err
	})
	_, err = d.redactions.Redact(d.Context(), d.as("Pat"), made.Message, "")
	d.must(err)
	d.equal("left", []string(nil), d.secrets())
}
