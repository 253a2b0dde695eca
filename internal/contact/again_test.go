package contact_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"

	"parley"
	"parley/internal/access"
	"parley/internal/contact"
	"parley/internal/policy"
	"parley/internal/store"
)

// twice is a store whose closures all run a second time, as they do after a
// conflict.
type twice struct{ store.Store }

var errOnce = errors.New("once more")

func (s twice) Update(ctx context.Context, fn func(*store.Tx) error) error {
	err := s.Store.Update(ctx, func(tx *store.Tx) error {
		if err := fn(tx); err != nil {
			return err
		}
		return errOnce
	})
	if err != nil && !errors.Is(err, errOnce) {
		return err
	}
	return s.Store.Update(ctx, fn)
}

// counts are how many rows each table has.
func (d *desk) counts() map[string]int {
	d.Helper()
	n := map[string]int{}
	for table, rows := range d.store.Rows() {
		n[table] = len(rows)
	}
	return n
}

// Every transaction may run again, and then leaves just what one run does.
func TestATransactionThatRunsAgainLeavesWhatOneRunDoes(t *testing.T) {
	var grew [2]map[string]int
	for i := range grew {
		d := newDesk(t, "Ann", "Bob", "Cid", member{name: "Visitor", kind: parley.Client, rules: policy.Rules{Behavior: policy.Supervised}})
		if i == 1 {
			d.Service = contact.New(twice{d.store}, d.dir, access.New(twice{d.store}, d.dir, slog.New(slog.DiscardHandler)), nil, slog.New(slog.DiscardHandler))
		}
		before := d.counts()
		d.live()
		grew[i] = d.counts()
		for table, n := range before {
			grew[i][table] -= n
		}
		if i == 0 && (grew[0]["question"] != 2 || grew[0]["task"] < 8 || grew[0]["approval"] != 1) {
			t.Errorf("the story is too thin: %v", grew[0])
		}
	}
	d := desk{T: t}
	d.equal("rows, run once and run again", grew[0], grew[1])
}

// live does one of everything.
func (d *desk) live() {
	d.Helper()
	ann := d.working("Ann")
	for _, p := range []parley.Pattern{parley.Notify, parley.Ask, parley.Delegate} {
		d.contact(turn(ann), p, "Bob")
	}
	d.end(d.below(ann, parley.Delegate, "Bob"), "Done.")
	d.fails(d.below(ann, parley.Delegate, "Bob"), "No.")
	one := d.contact(turn(ann), parley.QuestionPattern, "Bob").Question
	_, err := d.ForwardQuestion(d.Context(), turn(d.claim(d.route(one, "Bob").Task)),
		contact.Forwarding{Question: one, Target: "Cid", Enrichment: "Ask Cid."})
	d.must(err)
	all, err := d.Question(d.Context(), turn(ann), contact.Request{Message: "Why?"})
	d.must(err)
	d.must(d.AnswerQuestion(d.Context(), d.as("Pat"), all.ID, "Because.", ""))
	_, err = d.Delegate(d.Context(), d.as("Visitor"), contact.Request{Target: "Cid", Message: "Please."})
	need, ok := parley.AsNeedsApproval(err)
	if !ok {
		d.Fatalf("not held: %v", err)
	}
	d.must(d.Approve(d.Context(), d.as("Pat"), need.Approval))
	d.must(d.Cancel(d.Context(), d.as("Pat"), d.contact(turn(ann), parley.Delegate, "Cid").Task.ID))
	d.end(ann, "I wait.")
}
