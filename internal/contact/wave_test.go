package contact_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"parley"
	"parley/internal/contact"
	"parley/internal/policy"
	"parley/internal/store"
)

// crowd are names of agents.
func crowd(n int) (list []any) {
	for i := range n {
		list = append(list, fmt.Sprintf("Bot %d", i+1))
	}
	return list
}

// whoWasAsked names those whom a question has reached, in order.
func (d *desk) whoWasAsked(q parley.QuestionID) (names []string) {
	d.Helper()
	d.store.See(func(tx *store.Tx) error {
		routes, err := tx.Routes(q)
		for _, r := range routes {
			names = append(names, d.name(r.Agent))
		}
		return err
	})
	return names
}

// asksAll is Ann's question to all, out of a turn.
func (d *desk) asksAll(text string) (parley.QuestionID, parley.Lease) {
	d.Helper()
	ann := d.working("Ann")
	asked, err := d.Question(d.Context(), turn(ann), contact.Request{Message: text})
	d.must(err)
	d.equal("as many as the caller is told", asked.To, len(d.whoWasAsked(asked.ID)))
	return asked.ID, ann
}

func (d *desk) pass(q parley.QuestionID, names ...string) {
	d.Helper()
	for _, name := range names {
		d.must(d.PassQuestion(d.Context(), turn(d.claim(d.route(q, name).Task)), q))
	}
}

var five = []string{"Bot 1", "Bot 2", "Bot 3", "Bot 4", "Bot 5"}

func TestOfAllFiveWhoProbablyKnowAreAskedFirst(t *testing.T) {
	team := append(crowd(6), "Ann", member{name: "Zoe", role: "database"}, member{name: "Yan", docs: "How we migrate databases."})
	d := newDesk(t, team...)
	q, _ := d.asksAll("Who migrates the database?")
	d.equal("first", []string{"Bot 1", "Bot 2", "Bot 3", "Zoe", "Yan"}, d.whoWasAsked(q))
	d.must(d.TendQuestion(d.Context(), q))
	d.equal("not before a minute", 5, len(d.whoWasAsked(q)))
	d.store.Pass(time.Minute)
	d.must(d.TendQuestion(d.Context(), q))
	d.equal("then", []string{"Bot 1", "Bot 2", "Bot 3", "Zoe", "Yan", "Pat", "Bot 4", "Bot 5", "Bot 6"}, d.whoWasAsked(q))
	d.store.Pass(time.Minute)
	d.must(d.TendQuestion(d.Context(), q))
	d.equal("once", 9, len(d.whoWasAsked(q)))
}

// Two teams that differ only in what the asker may not read ask the same agents in the
// same order.
func TestWhoIsAskedFirstDoesNotDependOnWhatTheAskerMayNotRead(t *testing.T) {
	ask := func(hidden string) []string {
		profile, err := policy.NewProfile("standard", policy.Patterns{Deny: []string{"tool:agent_comm:read_docs Zoe"}})
		if err != nil {
			t.Fatal(err)
		}
		d := newDesk(t, append(crowd(7), member{name: "Ann", rules: policy.Rules{Profile: profile}}, member{name: "Zoe", docs: hidden},
			member{name: "Yan", kind: parley.Client, docs: "databases"})...)
		_, err = d.Delegate(d.Context(), d.as("Pat"), contact.Request{Target: "Zoe", Message: hidden})
		d.must(err)
		q, _ := d.asksAll("Who migrates the database?")
		first := d.whoWasAsked(q)
		d.store.Pass(time.Minute)
		d.must(d.TendQuestion(d.Context(), q))
		d.equal("everyone in the end", 10, len(d.whoWasAsked(q)))
		return first
	}
	known, unknown := ask("Zoe migrates the database."), ask("Nothing of interest.")
	if !slices.Equal(known, unknown) || !slices.Equal(known, append(slices.Clone(five[:4]), "Yan")) {
		t.Errorf("%v, and %v", known, unknown)
	}
}

// Whom the asker may not contact is not asked, and does not decide who else is.
func TestWhomTheAskerMayNotContactTakesNoPlace(t *testing.T) {
	d := newDesk(t, append(crowd(6), member{name: "Ann", rules: policy.Rules{Contacts: policy.ContactRules{Deny: map[string]bool{"zoe": true}}}},
		member{name: "Zoe", role: "database"})...)
	q, _ := d.asksAll("Who migrates the database?")
	d.equal("first", five, d.whoWasAsked(q))
	d.store.Pass(time.Minute)
	d.must(d.TendQuestion(d.Context(), q))
	d.equal("then", append(slices.Clone(five), "Pat", "Bot 6"), d.whoWasAsked(q))
}

func TestAnAnswerCancelsTheSecondWave(t *testing.T) {
	d := newDesk(t, append(crowd(7), "Ann")...)
	q, ann := d.asksAll("Why?")
	d.must(d.AnswerQuestion(d.Context(), turn(d.claim(d.route(q, "Bot 3").Task)), q, "Because.", ""))
	d.store.Pass(time.Minute)
	d.must(d.TendQuestion(d.Context(), q))
	d.equal("asked", five, d.whoWasAsked(q))
	d.equal("still open for the others", parley.QuestionOpen, d.question(q).State)
	d.pass(q, "Bot 1", "Bot 2", "Bot 4")
	d.equal("still", parley.QuestionOpen, d.question(q).State)
	d.pass(q, "Bot 5")
	d.equal("closed", parley.QuestionAnswered, d.question(q).State)
	d.equal("one answer, and nothing else", []string{"answer of Bot 3: Because."}, d.inbox(ann.Task))
}

func TestTheOthersAreAskedAtOnceWhenTheFirstHavePassed(t *testing.T) {
	d := newDesk(t, append(crowd(7), "Ann")...)
	q, ann := d.asksAll("Why?")
	d.pass(q, "Bot 1", "Bot 2", "Bot 3", "Bot 4")
	d.must(d.TendQuestion(d.Context(), q))
	d.equal("the fifth is waited for", five, d.whoWasAsked(q))
	bot := d.claim(d.route(q, "Bot 5").Task)
	d.fails(bot, "No idea.")
	d.must(d.TendQuestion(d.Context(), q))
	d.equal("asked", append(slices.Clone(five), "Pat", "Bot 6", "Bot 7"), d.whoWasAsked(q))
	d.equal("nothing is told yet", []string(nil), d.inbox(ann.Task))
	d.pass(q, "Bot 6", "Bot 7")
	d.must(d.PassQuestion(d.Context(), d.as("Pat"), q))
	d.equal("failed", parley.QuestionFailed, d.question(q).State)
	d.equal("told once", []string{"question_unanswered of Ann: Nobody who was asked could answer."}, d.inbox(ann.Task))
}

func TestTheAskerReadsOnceThatNobodyKnows(t *testing.T) {
	for _, target := range []string{"Bob", ""} {
		d := newDesk(t, "Ann", "Bob")
		q, ann, bob := d.asks(target)
		d.must(d.PassQuestion(d.Context(), turn(bob), q))
		d.must(d.PassQuestion(d.Context(), turn(bob), q)) // as after a crash
		if target == "" {
			d.must(d.PassQuestion(d.Context(), d.as("Pat"), q))
		}
		d.end(bob, "I have passed.")
		d.equal("state", parley.QuestionFailed, d.question(q).State)
		d.equal("told once", []string{"question_unanswered of Ann: Nobody knows: everyone who was asked has passed."}, d.inbox(ann.Task))
		d.refused("Query query-1 not found (may have expired).", func() error { return d.PassQuestion(d.Context(), d.as("Ann"), q) })
	}
}

func TestOneWhoHasAnsweredDoesNotPass(t *testing.T) {
	d := newDesk(t, "Ann", "Bob", "Cid")
	q, _, bob := d.asks("")
	d.must(d.AnswerQuestion(d.Context(), turn(bob), q, "Because.", ""))
	d.refused("You have answered query-1 already.", func() error { return d.PassQuestion(d.Context(), turn(bob), q) })
	d.refused("not found", func() error { return d.PassQuestion(d.Context(), turn(bob), q+1) })
	d.refused("You were not asked query-1.", func() error { return d.PassQuestion(d.Context(), d.as("Ann"), q) })
}

// The second wave is asked in the name of whoever asked, also when the task that asks
// has ended by then. When that has failed, nobody is asked any more.
func TestTheSecondWaveOutlivesTheTaskThatAsks(t *testing.T) {
	d := newDesk(t, append(crowd(7), "Ann")...)
	q, ann := d.asksAll("Why?")
	d.end(ann, "Asked.")
	d.store.Pass(time.Minute)
	d.must(d.TendQuestion(d.Context(), q))
	d.equal("asked", 8, len(d.whoWasAsked(q)))

	q, ann = d.asksAll("How?")
	d.fails(ann, "Broken.")
	d.store.Pass(time.Minute)
	d.must(d.TendQuestion(d.Context(), q))
	d.equal("taken back", []any{parley.QuestionExpired, 5}, []any{d.question(q).State, len(d.whoWasAsked(q))})
}

// A question costs one contact, however many waves it takes.
func TestTheSecondWaveCostsNoRate(t *testing.T) {
	d := newDesk(t, append(crowd(7), member{name: "Ann", limits: func(l *parley.Limits) { l.Rate = 1 }})...)
	q, ann := d.asksAll("Why?")
	d.store.Pass(time.Minute)
	d.must(d.TendQuestion(d.Context(), q))
	d.equal("asked", 8, len(d.whoWasAsked(q)))
	_, err := d.Question(d.Context(), turn(ann), contact.Request{Message: "And how?"})
	d.must(err) // what the minute has brought is still there
}

// Where the budget of the tree has no room for more tasks, the second wave asks nobody,
// and the question goes on with those who were asked.
func TestASecondWaveWithoutABudgetAsksNobody(t *testing.T) {
	d := newDesk(t, append(crowd(7), "Ann")...)
	made, err := d.Delegate(d.Context(), d.as("Pat"), contact.Request{Target: "Ann", Message: "Begin.", Budget: parley.Budget{Tasks: 6}})
	d.must(err)
	ann := d.claim(made.Task.ID)
	asked, err := d.Question(d.Context(), turn(ann), contact.Request{Message: "Why?"})
	d.must(err)
	d.store.Pass(time.Minute)
	d.must(d.TendQuestion(d.Context(), asked.ID))
	d.equal("asked", []any{five, parley.QuestionOpen}, []any{d.whoWasAsked(asked.ID), d.question(asked.ID).State})
	d.pass(asked.ID, five...)
	d.equal("nobody knows", parley.QuestionFailed, d.question(asked.ID).State)
}

// A question that lives shorter than a minute asks the others before it expires.
func TestAQuestionOfShortLifeAsksTheOthersHalfWay(t *testing.T) {
	d := newDesk(t, append(crowd(7), member{name: "Ann", limits: func(l *parley.Limits) { l.QuestionLifetime = 30 * time.Second }})...)
	q, _ := d.asksAll("Why?")
	d.store.Pass(15 * time.Second)
	d.must(d.TendQuestion(d.Context(), q))
	d.equal("asked", 8, len(d.whoWasAsked(q)))
}

// A hub that was away for the whole life of a question asks nobody any more.
func TestAnExpiredQuestionIsNotAskedOfTheOthers(t *testing.T) {
	d := newDesk(t, append(crowd(7), "Ann")...)
	q, ann := d.asksAll("Why?")
	d.store.Pass(10 * time.Minute)
	d.must(d.TendQuestion(d.Context(), q))
	d.equal("expired", []any{parley.QuestionExpired, five}, []any{d.question(q).State, d.whoWasAsked(q)})
	d.equal("told", []string{"question_unanswered of Ann: The question has expired: nobody answered within 10 minutes."}, d.inbox(ann.Task))
}
