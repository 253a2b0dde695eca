package contact_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"

	"parley"
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
			d.Service = contact.New(twice{d.store}, d.dir, nil, slog.New(slog.DiscardHandler))
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
	one := d.contact(turn(ann), parley.Query, "Bob").Question
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

// An answer that comes at the moment of giving up is the answer: the asker has
// waited, and the task has ended before anybody gave up.
func TestAnAnswerAtTheMomentOfGivingUpIsTheAnswer(t *testing.T) {
	d := newDesk(t, "Ann", "Bob")
	ann := d.working("Ann")
	c := turn(ann)
	c.Slot = lastMoment{func() {
		var bob parley.TaskID
		d.store.See(func(tx *store.Tx) error {
			open, err := tx.OpenOf(d.id("Bob"))
			bob = open[0]
			return err
		})
		d.end(d.claim(bob), "Just in time.")
	}}
	a, err := d.Ask(d.Context(), c, contact.Request{Target: "Bob", Message: "Please.", Timeout: 1})
	d.must(err)
	d.equal("answer", "Just in time.", a.Text)
	d.equal("callback", parley.CallbackReply, d.store.Task(a.Task.ID).Callback)
	d.equal("nothing else came", []string(nil), d.inbox(ann.Task))
	for _, e := range d.events(a.Task.ID) {
		if e == "ask.timed_out by Ann to Bob" {
			t.Error("the record says that it timed out")
		}
	}
}

// lastMoment is the place of an asker that comes back just as something happens.
type lastMoment struct{ before func() }

func (lastMoment) Release()                        {}
func (l lastMoment) Acquire(context.Context) error { l.before(); return nil }

// Who retries speaks in the name of whoever asked: the rules are the asker's.
func TestARetryIsUnderTheRulesOfWhoAsked(t *testing.T) {
	for _, c := range []struct {
		name   string
		denied string // who may not contact Bob any more
		want   string
	}{
		{"the asker may not", "Ann", "Ann's contact rules deny it to contact Bob."},
		{"who retries may not", "Top", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newDesk(t, "Top", "Ann", "Bob")
			ann := d.below(d.working("Top"), parley.Delegate, "Ann")
			bob := d.below(ann, parley.Delegate, "Bob")
			d.fails(bob, "No.")
			rules := policy.Rules{}
			rules.Contacts.Forbid("Bob")
			e, _ := d.dir.Entry(d.id(c.denied))
			e.Rules = &rules
			d.dir.Put(e)
			retry := func() error { _, err := d.Retry(d.Context(), d.as("Top"), bob.Task); return err }
			if c.want != "" {
				d.refused(c.want, retry)
			} else {
				d.must(retry())
			}
		})
	}
}

// What was decided stays decided when its task ends; only what is pending is
// withdrawn.
func TestADecisionOutlivesItsTask(t *testing.T) {
	d := newDesk(t, "Ann")
	ann := d.working("Ann")
	approved, denied, pending := d.hold(ann, "a"), d.hold(ann, "b"), d.hold(ann, "c")
	d.must(d.Approve(d.Context(), d.as("Pat"), approved))
	d.must(d.Deny(d.Context(), d.as("Pat"), denied, "No."))
	d.fails(ann, "No credit.")
	d.equal("states", []parley.ApprovalState{parley.ApprovalApproved, parley.ApprovalDenied, parley.ApprovalWithdrawn},
		[]parley.ApprovalState{d.approval(approved).State, d.approval(denied).State, d.approval(pending).State})
	d.equal("pending", 0, d.store.Task(ann.Task).Approvals)
}

// Two programs may use the same key: each has what it asked for.
func TestTwoProgramsUseTheSameKey(t *testing.T) {
	rules := policy.Rules{Behavior: policy.Supervised}
	d := newDesk(t, member{name: "One", kind: parley.Client, rules: rules}, member{name: "Two", kind: parley.Client, rules: rules}, "Ann")
	wants := func(who, text string) parley.ApprovalID {
		t.Helper()
		_, err := d.Delegate(d.Context(), d.as(who), contact.Request{Target: "Ann", Message: text, Key: "k"})
		need, ok := parley.AsNeedsApproval(err)
		if !ok {
			t.Fatalf("%s: %v", who, err)
		}
		return need.Approval
	}
	one, two := wants("One", "For one."), wants("Two", "For two.")
	d.equal("asked again", []parley.ApprovalID{one, two}, []parley.ApprovalID{wants("One", "For one."), wants("Two", "For two.")})
	d.must(d.Approve(d.Context(), d.as("Pat"), two))
	d.equal("said", []string{"Two delegate: For two."}, d.talk("Two", "Ann"))
	d.equal("not said", []string(nil), d.talk("One", "Ann"))
}

// Who answers a question to all by hand is done with it; the others are not.
func TestAnAnswerByHandEndsItsOwnTaskOnly(t *testing.T) {
	d := newDesk(t, "Ann", "Bob", "Cid")
	q, ann, bob := d.asks("")
	d.must(d.AnswerQuestion(d.Context(), d.as("Pat"), q, "Because.", ""))
	d.equal("came", []string{"answer of Pat: Because."}, d.inbox(ann.Task))
	d.equal("tasks", []parley.State{parley.Completed, parley.Running, parley.Queued},
		[]parley.State{d.store.Task(d.route(q, "Pat").Task).State, d.store.Task(bob.Task).State, d.store.Task(d.route(q, "Cid").Task).State})
	d.refused("You have answered", func() error { return d.AnswerQuestion(d.Context(), d.as("Pat"), q, "Again.", "") })
	d.must(d.AnswerQuestion(d.Context(), turn(bob), q, "Because of the air.", ""))
	d.equal("both came", 2, len(d.inbox(ann.Task)))
}

// What is added to the budget of the day adds up.
func TestTheBudgetOfTheDayIsRaisedTwice(t *testing.T) {
	d := newDesk(t, member{name: "Pat", kind: parley.Person, limits: func(l *parley.Limits) { l.Daily = parley.Budget{Tokens: 10, Money: parley.Dollar} }}, "Ann")
	for range 2 {
		d.must(d.RaiseToday(d.Context(), d.as("Pat"), parley.Budget{Tokens: 5, Money: 3}))
	}
	d.store.See(func(tx *store.Tx) error {
		day, err := tx.Today(d.team)
		d.equal("extra", []any{int64(10), parley.Money(6)}, []any{day.Extra.Tokens, day.Extra.Money})
		return err
	})
	d.refused("Only people may raise a budget.", func() error { return d.RaiseToday(d.Context(), d.as("Ann"), parley.Budget{Tokens: 5}) })
}
