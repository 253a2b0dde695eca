package contact_test

import (
	"testing"
	"time"

	"parley"
	"parley/internal/contact"
	"parley/internal/policy"
	"parley/internal/store"
)

// Here time is over and the clock has not acted on it. Whoever comes at such a
// moment is told that it is over, and the clock finds its work undone.

func TestAnExpiredApprovalIsNotDecidedBeforeTheClockActs(t *testing.T) {
	for name, late := range map[string]time.Duration{"at the very moment": 0, "a moment later": time.Microsecond} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t, "Ann")
			ann := d.working("Ann")
			id := d.hold(ann, "call")
			d.park(ann.Task)
			d.store.Pass(24*time.Hour + late)
			d.refused("has expired.", func() error { return d.Approve(d.Context(), d.as("Pat"), id) })
			d.refused("has expired.", func() error { return d.Deny(d.Context(), d.as("Pat"), id, "No.") })
			d.must(d.Expire(d.Context(), id))
			got := d.approval(id)
			d.equal("expired", []any{parley.ApprovalExpired, parley.AgentID(0), parley.ExpiredReason}, []any{got.State, got.DecidedBy, got.Comment})
			d.equal("its task goes on", parley.Queued, d.store.Task(ann.Task).State)
			d.refused("is not pending any more: it is expired.", func() error { return d.Approve(d.Context(), d.as("Pat"), id) })
		})
	}
}

func TestAnApprovalIsDecidedJustBeforeItExpires(t *testing.T) {
	d := newDesk(t, "Ann")
	ann := d.working("Ann")
	id := d.hold(ann, "call")
	d.store.Pass(24*time.Hour - time.Microsecond)
	before := d.store.Rows("event")
	d.must(d.Expire(d.Context(), id)) // the clock comes too early
	d.equal("too early", before, d.store.Rows("event"))
	d.must(d.Approve(d.Context(), d.as("Pat"), id))
}

// What a program outside wants is not made once it has expired.
func TestAnExpiredRequestFromOutsideIsNotMade(t *testing.T) {
	rules := policy.Rules{}
	rules.Contacts.Permit("*", policy.Allowance{NeedsApproval: true})
	d := newDesk(t, member{name: "Visitor", kind: parley.Client, rules: rules}, "Ann")
	_, err := d.Delegate(d.Context(), d.as("Visitor"), contact.Request{Target: "Ann", Message: "Please."})
	need, ok := parley.AsNeedsApproval(err)
	if !ok {
		t.Fatalf("not held: %v", err)
	}
	d.store.Pass(24 * time.Hour)
	d.refused("has expired.", func() error { return d.Approve(d.Context(), d.as("Pat"), need.Approval) })
	d.must(d.Expire(d.Context(), need.Approval))
	d.equal("expired", parley.ApprovalExpired, d.approval(need.Approval).State)
	d.equal("nothing was said", []string(nil), d.talk("Visitor", "Ann"))
}

func TestAnExpiredQuestionTakesNothingBeforeTheClockActs(t *testing.T) {
	for _, target := range []string{"Bob", ""} {
		t.Run("to "+target, func(t *testing.T) {
			d := newDesk(t, "Ann", "Bob", "Cid")
			q, ann, bob := d.asks(target)
			d.store.Pass(10 * time.Minute)
			d.refused("not found (may have expired).", func() error { return d.AnswerQuestion(d.Context(), turn(bob), q, "Because.", "") })
			d.refused("not found (may have expired).", func() error {
				_, err := d.ForwardQuestion(d.Context(), turn(bob), contact.Forwarding{Question: q, Target: "Cid", Enrichment: "Ask Cid."})
				return err
			})
			d.end(bob, "Because of the air.") // its turn may end, and nothing comes of it
			d.equal("nothing came", []string(nil), d.inbox(ann.Task))
			d.equal("the question", parley.QuestionOpen, d.question(q).State)
			d.must(d.TendQuestion(d.Context(), q))
			d.equal("expired", parley.QuestionExpired, d.question(q).State)
			d.equal("the asker is told once", 1, len(d.inbox(ann.Task)))
			d.must(d.TendQuestion(d.Context(), q))
			d.equal("once", 1, len(d.inbox(ann.Task)))
		})
	}
}

func TestAQuestionIsAnsweredJustBeforeItExpires(t *testing.T) {
	d := newDesk(t, "Ann", "Bob")
	q, ann, bob := d.asks("Bob")
	d.store.Pass(10*time.Minute - time.Microsecond)
	before := d.store.Rows("event")
	d.must(d.TendQuestion(d.Context(), q))
	d.equal("too early", before, d.store.Rows("event"))
	d.must(d.AnswerQuestion(d.Context(), turn(bob), q, "Because.", ""))
	d.equal("answered", []any{parley.QuestionAnswered, []string{"answer of Bob: Because."}}, []any{d.question(q).State, d.inbox(ann.Task)})
}

// A deadline that has passed ends nothing by itself: whoever commits first, the
// turn or the clock, counts, and the other changes nothing.
func TestATaskPastItsDeadlineEndsOnce(t *testing.T) {
	d := newDesk(t, "Ann", "Bob")
	ann := d.working("Ann")
	first, second := d.below(ann, parley.Delegate, "Bob"), d.below(ann, parley.Delegate, "Bob")
	d.store.Pass(8 * 24 * time.Hour)
	d.equal("the turn first", parley.TaskEnded, d.end(first, "Done."))
	d.must(d.Fail(d.Context(), first.Task, "its deadline has passed."))
	d.must(d.Fail(d.Context(), second.Task, "its deadline has passed."))
	d.lost("the end of a turn", func() error { return errOf(d.EndTurn(d.Context(), parley.TurnEnd{Lease: second, Text: "Late."})) })
	d.equal("each once", []string{"delegation_result of Bob: Done.", "delegation_failed of Bob: its deadline has passed."}, d.inbox(ann.Task))
}

// An agent whose sleep is over is awake, though what was put off is still due to
// the clock: a result for it does not wait for a sleep that has ended.
func TestASleepThatIsOverPutsNothingOff(t *testing.T) {
	d := newDesk(t, "Ann", "Bob")
	ann := d.working("Ann")
	bob := d.below(ann, parley.Delegate, "Bob")
	d.equal("parked", parley.TaskParked, d.end(ann, "I wait."))
	d.must(d.Sleep(d.Context(), d.as("Pat"), "Ann", d.store.Now().Add(anHour).Time()))
	put := d.contact(d.as("Pat"), parley.Delegate, "Ann").Task.ID
	d.store.Pass(anHour)
	d.end(bob, "Done.")
	d.equal("the result", []any{parley.Queued, parley.Micros(0)}, []any{d.store.Task(ann.Task).State, d.store.Task(ann.Task).Due})
	d.equal("what was put off", false, d.store.Task(put).Due == 0)
	d.must(d.Wake(d.Context(), d.as("Pat"), "Ann"))
	d.equal("is due with a wake", parley.Micros(0), d.store.Task(put).Due)
}

// Somebody waits for an ask: it is not put off when its agent is put to sleep. What
// nobody waits for is.
func TestASleepPutsNoAskOff(t *testing.T) {
	d := newDesk(t, "Ann")
	asked, delegated := d.contact(d.as("Pat"), parley.Ask, "Ann").Task.ID, d.contact(d.as("Pat"), parley.Delegate, "Ann").Task.ID
	running := d.working("Ann")
	until := d.store.Now().Add(anHour)
	d.must(d.Sleep(d.Context(), d.as("Pat"), "Ann", until.Time()))
	d.equal("due", []parley.Micros{0, until, 0}, []parley.Micros{d.store.Task(asked).Due, d.store.Task(delegated).Due, d.store.Task(running.Task).Due})
}

// A sleep until now is over when it begins, whatever a moment ago the caller's clock
// said. Only a time that has long passed is a mistake.
func TestASleepUntilNowIsOverAtOnce(t *testing.T) {
	d := newDesk(t, "Ann")
	sleep := func(ahead time.Duration) error {
		return d.Sleep(d.Context(), d.as("Pat"), "Ann", d.store.Now().Add(ahead).Time())
	}
	for _, ahead := range []time.Duration{0, -time.Second, -time.Minute} {
		d.must(sleep(anHour))
		put := d.contact(d.as("Pat"), parley.Delegate, "Ann").Task.ID
		d.must(sleep(ahead))
		d.store.See(func(tx *store.Tx) error {
			a, err := tx.Agent(d.id("Ann"))
			d.equal("asleep until", parley.Micros(0), a.SleepingUntil)
			return err
		})
		d.equal("what was put off is due", parley.Micros(0), d.store.Task(put).Due)
	}
	d.refused("is not in the future.", func() error { return sleep(-2 * time.Minute) })
}

// The clock jumps ahead and is set back. What was spent meanwhile is no reason to
// wait until that time.
func TestAClockThatJumpedBlocksNobodysRate(t *testing.T) {
	d := newDesk(t, "Ann", "Bob")
	spend := func() {
		for range parley.DefaultLimits().Bucket() {
			d.contact(d.as("Ann"), parley.Notify, "Bob")
		}
	}
	d.store.Pass(2 * anHour)
	spend()
	d.refused("rate limit reached", func() error {
		_, err := d.try(d.as("Ann"), parley.Notify, contact.Request{Target: "Bob", Message: "One more."})
		return err
	})
	d.store.Pass(-2 * anHour)
	spend()
}
