package contact_test

import (
	"testing"

	"parley"
	"parley/internal/policy"
)

// A retry is a new task that names the old one, for the same agent in the same
// conversation; it comes back to a parent that is open.
func TestRetryMakesANewTask(t *testing.T) {
	d := newDesk(t, "Ann", "Bob")
	ann := d.working("Ann")
	bob := d.below(ann, parley.Delegate, "Bob")
	d.refused("is running.", func() error { _, err := d.Retry(d.Context(), d.as("Pat"), bob.Task); return err })
	d.fails(bob, "No.")
	d.refused("is not yours to retry.", func() error { _, err := d.Retry(d.Context(), d.as("Bob"), bob.Task); return err })
	made, err := d.Retry(d.Context(), d.as("Pat"), bob.Task)
	d.must(err)
	old, again := d.store.Task(bob.Task), d.store.Task(made.ID)
	d.equal("the old one", parley.TaskFailed, old.State)
	d.equal("the new one", []any{bob.Task, parley.Queued, old.Agent, old.Requester, old.Thread, ann.Task, old.Root, parley.CallbackResult},
		[]any{again.RetryOf, again.State, again.Agent, again.Requester, again.Thread, again.Parent, again.Root, again.Callback})
	d.equal("the words", d.message(old.Request).Body, d.message(again.Request).Body)
	d.equal("open children", 1, d.store.Task(ann.Task).OpenChildren)
	d.end(d.claim(made.ID), "Done.")
	d.equal("both came back", []string{"delegation_failed of Bob: No.", "delegation_result of Bob: Done."}, d.inbox(ann.Task))
}

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
