package turn

import (
	"parley"
	"parley/internal/store"
)

// What belongs to the running task or its thread appears between two steps: after
// the results of a reply's calls, before the model is asked again. So does mail about
// what the task works on, and a person's urgent word; in a group only that they have
// come. It is stored with the last result, so that a turn that goes on elsewhere shows the same; it
// counts as delivered then, and as seen with the reply of a model that was shown
// it. Everything else waits for its own turn.

// arrival is what has come between two steps.
type arrival struct {
	step inboxStep
	mail
}

func (a arrival) empty() bool {
	return len(a.notices)+len(a.inbox)+len(a.unread) == 0 && a.step.Unread == nil
}

// takesIn reports whether the model is asked again after these steps.
func (t *transcript) takesIn(drafts []draft) bool {
	n := 0
	for n < len(drafts) && drafts[len(drafts)-1-n].is(parley.StepResult) {
		n++
	}
	return n > 0 && len(t.pending) <= n
}

// arrive finds what has come for the task whose lock is held.
func (r *run) arrive(tx *store.Tx, w store.Working, drafts []draft) (a arrival, err error) {
	task, thread := w.Task, w.Thread
	if !r.takesIn(drafts) {
		return a, nil
	}
	if w.Mail {
		if err = r.readMailAbout(tx, &a); err != nil {
			return a, err
		}
	}
	if thread.Count > r.lookedTo && r.place.Kind != parley.Group {
		news, readTo, err := r.readNews(tx, thread, r.lookedTo)
		if err != nil {
			return a, err
		}
		a.step.Place = readTo
		if a.notices, err = r.names.letters(tx, news); err != nil {
			return a, err
		}
		a.step.Notices = idsOf(a.notices)
	}
	a.step.Upto = max(task.InboxCount, r.inboxRead)
	a.inbox, err = r.readInbox(tx, a.step.Upto)
	return a, err
}

// store marks what has come. The caller stores the step and the task.
func (a arrival) store(tx *store.Tx, task *parley.Task) {
	for _, id := range append(a.ids(), a.step.Mail...) {
		tx.MarkDelivered(id, task.Agent)
	}
	task.InboxRead = a.step.Upto
}
