package contact_test

import (
	"testing"

	"parley"
	"parley/internal/contact"
	"parley/internal/store"
)

// asks is Ann's question to Bob, or to all, and Bob's turn on it.
func (d *desk) asks(target string) (q parley.QuestionID, ann, bob parley.Lease) {
	d.Helper()
	ann = d.working("Ann")
	asked, err := d.Question(d.Context(), turn(ann), contact.Request{Target: target, Message: "Why is the sky blue?"})
	d.must(err)
	return asked.ID, ann, d.claim(d.route(asked.ID, "Bob").Task)
}

func (d *desk) route(q parley.QuestionID, name string) (r parley.Route) {
	d.Helper()
	d.store.See(func(tx *store.Tx) error {
		routes, err := tx.Routes(q)
		for _, one := range routes {
			if one.Agent == d.id(name) {
				r = one
			}
		}
		return err
	})
	return r
}

func (d *desk) question(id parley.QuestionID) (q parley.Question) {
	d.Helper()
	d.store.See(func(tx *store.Tx) (err error) { q, err = tx.Question(id); return err })
	return q
}

// A forward is a task of the tree in which the question was asked: it counts in
// the tree's budget, and is refused where there is no room for it.
func TestAForwardCountsInTheTreesBudget(t *testing.T) {
	d := newDesk(t, "Ann", "Bob", "Cid", "Dee")
	made, err := d.Delegate(d.Context(), d.as("Pat"), contact.Request{Target: "Ann", Message: "Begin.", Budget: parley.Budget{Tasks: 3}})
	d.must(err)
	ann := d.claim(made.Task.ID)
	asked, err := d.Question(d.Context(), turn(ann), contact.Request{Target: "Bob", Message: "Why?"})
	d.must(err)
	bob := d.claim(d.route(asked.ID, "Bob").Task)
	forward := func(l parley.Lease, to string) error {
		_, err := d.ForwardQuestion(d.Context(), turn(l), contact.Forwarding{Question: asked.ID, Target: to, Enrichment: "Ask " + to + "."})
		return err
	}
	d.must(forward(bob, "Cid"))
	d.equal("tasks of the tree", int64(3), d.tasksOf(ann.Budget))
	cid := d.claim(d.route(asked.ID, "Cid").Task)
	d.equal("the forwarded task draws on it", ann.Budget, cid.Budget)
	d.refused("budget", func() error { return forward(cid, "Dee") })
}

func (d *desk) tasksOf(root parley.TaskID) (n int64) {
	d.Helper()
	d.store.See(func(tx *store.Tx) error {
		b, err := tx.Budget(root)
		n = b.Tasks
		return err
	})
	return n
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

// A question asked again under its key is found, also one to all.
func TestAQuestionIsFoundByItsKey(t *testing.T) {
	for _, target := range []string{"Bob", ""} {
		d := newDesk(t, "Ann", "Bob", "Cid")
		l := d.working("Ann")
		r := contact.Request{Target: target, Message: "Why?", Context: "Because.", Key: "q"}
		first, err := d.Question(d.Context(), turn(l), r)
		d.must(err)
		before := d.store.Rows("event")
		again, err := d.Question(d.Context(), turn(l), r)
		d.must(err)
		d.equal("found", first, again)
		d.equal("stored", before, d.store.Rows("event"))
		for _, change := range []func(*contact.Request){
			func(r *contact.Request) { r.Message = "How?" },
			func(r *contact.Request) { r.Context = "Therefore." },
		} {
			other := r
			change(&other)
			d.refused(`The key "q" was used for another contact.`, func() error { _, err := d.Question(d.Context(), turn(l), other); return err })
		}
	}
}
