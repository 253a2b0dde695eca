package turn

import (
	"encoding/json"

	"parley"
	"parley/internal/store"
)

// What belongs to the running task or its thread appears between two steps: after
// the results of a reply's calls, before the model is asked again. It is stored
// with the last result, so that a turn that goes on elsewhere shows the same; it
// counts as delivered then, and as seen with the step in which a model was shown
// it. Everything else waits for its own turn.

// inboxStep is the content of the step that stores it.
type inboxStep struct {
	// Upto is how far the task's inbox was read.
	Upto int `json:"upto"`
	// Notices are messages of the thread.
	Notices []parley.MessageID `json:"notices,omitempty"`
	// Place is how far the thread was looked at for them.
	Place int `json:"place,omitempty"`
}

// arrival is what has come between two steps.
type arrival struct {
	messages []parley.Message
	step     inboxStep
}

func (a arrival) empty() bool { return len(a.messages) == 0 }

// takesIn reports whether a step is the last before the model is asked again.
func (t *run) takesIn(last parley.Step) bool {
	return last.Kind == parley.StepResult && len(t.pending) <= 1
}

// arrive finds what has come for the task whose lock is held.
func (t *run) arrive(tx *store.Tx, task parley.Task, thread parley.Thread) (a arrival, err error) {
	a.step.Upto = t.inboxRead
	if thread.Count > t.lookedTo && t.channel.Kind != parley.Group {
		if err := t.arriveNews(tx, thread, &a); err != nil {
			return a, err
		}
	}
	if task.InboxCount > t.inboxRead {
		inbox, err := tx.Inbox(task.ID, t.inboxRead, task.InboxCount)
		if err != nil {
			return a, err
		}
		a.messages = append(a.messages, inbox...)
		a.step.Upto = task.InboxCount
	}
	return a, t.meetAuthors(tx, a.messages)
}

// arriveNews finds what is new in the thread and not before the model already.
func (t *run) arriveNews(tx *store.Tx, thread parley.Thread, a *arrival) error {
	news, err := tx.News(thread, t.lease.Agent, t.lookedTo, newsSize)
	if err != nil {
		return err
	}
	a.step.Place = thread.Count
	if len(news) == newsSize {
		a.step.Place = news[newsSize-1].N
	}
	a.messages = news
	a.step.Notices = ids(news)
	return nil
}

// storeArrived stores what has come as a step.
func (t *run) storeArrived(tx *store.Tx, task parley.Task, a arrival, n int) error {
	content, err := json.Marshal(a.step)
	if err != nil {
		return err
	}
	tx.InsertStep(parley.Step{Task: task.ID, Turn: t.number, N: n, Kind: parley.StepInbox, Content: content})
	for _, m := range a.messages {
		tx.MarkDelivered(m.ID, t.lease.Agent)
	}
	task.InboxRead = a.step.Upto
	tx.UpdateProgress(&task)
	return nil
}

// takeArrival has what was stored follow the result that is about to be added.
func (t *run) takeArrival(a arrival) {
	t.arrived = a.messages
	t.lookedTo = max(t.lookedTo, a.step.Place)
	if a.empty() {
		return
	}
	t.steps++
	t.inboxRead = a.step.Upto
	t.unshown.add(a)
}

// showArrival takes what a stored step says has come into the conversation.
func (t *run) showArrival(tx *store.Tx, s inboxStep) error {
	notices, err := t.readNotices(tx, s.Notices)
	if err != nil {
		return err
	}
	inbox, err := t.readInbox(tx, s.Upto)
	if err != nil {
		return err
	}
	a := arrival{messages: append(notices, inbox...), step: s}
	for _, m := range a.messages {
		t.recall(m)
	}
	t.lookedTo = max(t.lookedTo, s.Place)
	t.unshown.add(a)
	return nil
}

// sight is what a model is shown for the first time, and how far the agent has
// read the thread with it.
type sight struct {
	ids   []parley.MessageID
	place int
}

func (s *sight) add(a arrival) {
	s.ids = append(s.ids, ids(a.messages)...)
	if len(a.step.Notices) > 0 {
		s.place = max(s.place, a.step.Place)
	}
}

// beShown says that the model is about to be shown what has arrived. It is marked
// as seen with the next step that is stored.
func (t *run) beShown() {
	t.shown.ids = append(t.shown.ids, t.unshown.ids...)
	t.shown.place = max(t.shown.place, t.unshown.place)
	t.unshown = sight{}
}
