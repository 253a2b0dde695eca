package rules

import (
	"fmt"
	"slices"

	"github.com/google/go-cmp/cmp"

	"parley"
)

// compare compares the world with everything that is stored.
func (w *world) compare() error {
	for _, part := range []func() error{w.compareThreads, w.compareTasks, w.compareAgents, w.compareInboxes, w.compareDeliveries,
		w.checkMail, w.compareEvents, w.compareTrespasses, w.checkClaims} {
		if err := part(); err != nil {
			return err
		}
	}
	return nil
}

func (w *world) compareAgents() error {
	for _, a := range w.agents {
		s := w.seen.agent(a)
		if s.Offline != a.offline || s.SleepingUntil != a.sleepingUntil {
			return fmt.Errorf("%s is stored as offline %v, asleep until %d; want %v, %d", a.name, s.Offline, s.SleepingUntil, a.offline, a.sleepingUntil)
		}
		if want := a.rate(); s.Rate != want {
			return fmt.Errorf("%s misses %s since %d; want %s since %d", a.name, s.Rate.Debt, s.Rate.At, want.Debt, want.At)
		}
	}
	return nil
}

// taskView is a task with everything that the rules say about it.
type taskView struct {
	Task, Parent, Root, RetryOf parley.TaskID
	Pattern                     parley.Pattern
	Requester, Agent            string
	Request                     parley.MessageID
	Priority, State             string
	Callback                    parley.Callback
	Due, Deadline, WaitUntil    parley.Micros
	AskDepth, DelegationDepth   int
	OpenChildren                int
	Inbox, Read                 int
	Turns, Token, Rescues       int
	Leased, Ended               bool
	Result, Error, EndedBy      string
}

func (w *world) compareTasks() error {
	for id := range w.seen.tasks {
		if w.task(id) == nil {
			return fmt.Errorf("%s is stored and nobody opened it", id)
		}
	}
	for _, t := range w.tasks {
		got, ok := w.seen.tasks[t.id]
		if !ok {
			return fmt.Errorf("the task of %q is lost", t.request.body)
		}
		if want, is := w.view(t), w.viewStored(got); want != is {
			return fmt.Errorf("%s (-want +stored):\n%s", t.id, cmp.Diff(want, is))
		}
	}
	return nil
}

func (w *world) view(t *task) taskView {
	v := taskView{Task: t.id, Root: t.root().id, Pattern: t.pattern, Requester: t.requester.name, Agent: t.agent.name,
		Request: t.request.id, Priority: t.priority.String(), State: t.state.String(), Due: t.due,
		Deadline: t.deadline, WaitUntil: t.waitUntil, AskDepth: t.asks, DelegationDepth: t.hops, Inbox: len(t.inbox),
		Read: t.read, Turns: t.turns, Token: t.taken, Rescues: t.rescues, Leased: t.state == parley.Running,
		Ended: !t.state.Open(), Error: t.failure}
	if t.parent != nil {
		v.Parent = t.parent.id
	}
	if t.retryOf != nil {
		v.RetryOf = t.retryOf.id
	}
	if t.result != nil {
		v.Result = t.result.body
	}
	if t.endedBy != nil {
		v.EndedBy = t.endedBy.name
	}
	if t.start != nil {
		v.Turns, v.Read = t.turns-1, t.start.read
	}
	if t.state.Open() {
		v.OpenChildren, v.Callback = w.open(t), t.callback
	}
	return v
}

func (w *world) viewStored(t parley.Task) taskView {
	s := w.seen
	v := taskView{Task: t.ID, Parent: t.Parent, Root: t.Root, RetryOf: t.RetryOf, Pattern: t.Pattern,
		Requester: s.agents[t.Requester].Name, Agent: s.agents[t.Agent].Name, Request: t.Request, Priority: t.Priority.String(),
		State: t.State.String(), Due: t.Due, Deadline: t.Deadline, WaitUntil: t.WaitUntil,
		AskDepth: t.AskDepth, DelegationDepth: t.DelegationDepth, Inbox: t.InboxCount, Read: t.InboxRead, Turns: t.Turns,
		Token: int(t.Token), Rescues: t.Rescues, Leased: t.Worker != 0, Ended: t.EndedAt != 0, Error: t.Error,
		EndedBy: s.agents[t.EndedBy].Name, Result: s.message(t.Result).Body}
	if t.State.Open() { // their values at the end do not matter
		v.OpenChildren, v.Callback = t.OpenChildren, t.Callback
	}
	return v
}

// compareThreads compares every conversation with what is stored. What was posted
// within one stage may be in any order; between stages the order counts.
func (w *world) compareThreads() error {
	got := map[pair][]parley.Message{}
	for _, m := range w.seen.messages {
		p, err := w.pairOf(m.Thread)
		if err != nil {
			return err
		}
		list := got[p]
		var prev parley.MessageID
		if len(list) > 0 {
			prev = list[len(list)-1].ID
		}
		if m.N != len(list)+1 || m.Prev != prev {
			return fmt.Errorf("%s is number %d after %s; want %d after %s", m.ID, m.N, m.Prev, len(list)+1, prev)
		}
		got[p] = append(list, m)
	}
	for p, th := range w.dms {
		if err := w.compareThread(th, got[p]); err != nil {
			return fmt.Errorf("%s and %s: %w", p.a, p.b, err)
		}
		delete(got, p)
	}
	for p, list := range got {
		return fmt.Errorf("%s and %s have %d messages and never talked", p.a, p.b, len(list))
	}
	return nil
}

func (w *world) pairOf(id parley.ThreadID) (pair, error) {
	c := w.seen.channels[id]
	if c.Main != id {
		return pair{}, fmt.Errorf("%s is not the main thread of its dm", id)
	}
	return pairOf(w.agent(w.seen.agents[c.A].Name), w.agent(w.seen.agents[c.B].Name)), nil
}

func (w *world) compareThread(th *thread, got []parley.Message) error {
	for i := range got {
		if i >= len(th.messages) {
			return fmt.Errorf("%s is too much", w.describe(got[i]))
		}
		want := th.messages[i]
		if want.id == got[i].ID {
			continue
		}
		j := slices.IndexFunc(th.messages[i:], func(m *message) bool {
			return m.id == 0 && m.stage == want.stage && w.same(m, got[i])
		})
		if want.id != 0 || j < 0 {
			return fmt.Errorf("there is %s; want %s", w.describe(got[i]), want)
		}
		th.messages[i], th.messages[i+j] = th.messages[i+j], want
		th.messages[i].id = got[i].ID
	}
	if len(got) < len(th.messages) {
		return fmt.Errorf("%s is lost", th.messages[len(got)])
	}
	return nil
}

func (w *world) same(m *message, got parley.Message) bool {
	task := parley.TaskID(0)
	if m.task != nil {
		task = m.task.id
	}
	return m.author.id == got.Author && m.kind == got.Kind && m.body == got.Body && m.priority == got.Priority && task == got.Task
}

func (m *message) String() string {
	s := fmt.Sprintf("%s's %s %q", m.author.name, m.kind, m.body)
	if m.task != nil {
		s += " of " + m.task.id.String()
	}
	return s
}

func (w *world) describe(m parley.Message) string {
	return fmt.Sprintf("%s's %s %q of %s", w.seen.agents[m.Author].Name, m.Kind, m.Body, m.Task)
}

// compareInboxes: every callback is there, once, in its order.
func (w *world) compareInboxes() error {
	for _, t := range w.tasks {
		var want []parley.MessageID
		for _, m := range t.inbox {
			want = append(want, m.id)
		}
		if got := w.seen.inbox[t.id]; !slices.Equal(slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(want))) {
			return fmt.Errorf("the inbox of %s holds %v; want %v", t.id, got, want)
		}
		for i, m := range t.inbox {
			if w.seen.inbox[t.id][i] != m.id {
				return fmt.Errorf("the inbox of %s is out of order: %v", t.id, w.seen.inbox[t.id])
			}
		}
	}
	return nil
}

// compareDeliveries: accepted → delivered → seen → answered. Seen is, for an
// agent, what its model was shown, no more and no less.
func (w *world) compareDeliveries() error {
	n := 0
	for _, th := range w.dms {
		for _, m := range th.messages {
			d, ok := w.seen.deliveries[m.id]
			if !ok || d.Recipient != m.to.id || d.Pull != m.to.person {
				return fmt.Errorf("%s has no delivery to %s", m, m.to.name)
			}
			n++
			if backwards(d.Delivered, d.Seen) || backwards(d.Seen, d.Answered) {
				return fmt.Errorf("%s was delivered, seen and answered at %d, %d and %d", m, d.Delivered, d.Seen, d.Answered)
			}
			if w.cut && d.Seen != 0 {
				m.excused = true // excuse did not know the id of what was said in this stage
			}
			if want := w.delivery(m, d); d.State() != want {
				return fmt.Errorf("%s to %s is %s; want %s", m, m.to.name, d.State(), want)
			}
		}
	}
	if n != len(w.seen.deliveries) {
		return fmt.Errorf("%d deliveries are stored of %d messages", len(w.seen.deliveries), n)
	}
	return nil
}

// backwards reports whether a state was reached before an earlier one.
func backwards(first, then parley.Micros) bool { return then != 0 && (first == 0 || then < first) }

func (w *world) delivery(m *message, got parley.Delivery) string {
	isRequest := m.task != nil && m.task.request == m
	switch {
	case isRequest && m.task.state == parley.Completed:
		return "answered"
	case m.shown || slices.ContainsFunc(m.showing, func(s *start) bool { return s.stored }):
		return "seen"
	case (m.excused || m.glimpsed) && got.Seen != 0:
		return "seen"
	case isRequest && m.task.taken > 0:
		return "delivered"
	case w.seen.noticed[m.id], (m.taken || len(m.showing) > 0) && got.Delivered != 0:
		return "delivered" // a turn has taken it in between two steps, and may end before its model is asked again
	}
	return "accepted"
}

// excuse accepts what is stored as seen but was not shown because the hub died in
// between; the resumed turn will show it.
func (w *world) excuse() {
	for _, th := range w.dms {
		for _, m := range th.messages {
			m.excused = m.excused || w.seen.deliveries[m.id].Seen != 0
		}
	}
}

// compareEvents: the record says of each task that it was opened once, and how
// it ended, once.
func (w *world) compareEvents() error {
	type key struct {
		task parley.TaskID
		kind parley.EventKind
	}
	count := map[key]int{}
	for _, e := range w.seen.events {
		count[key{e.Task, e.Kind}]++
	}
	ends := map[parley.State]parley.EventKind{parley.Completed: parley.EventCompleted, parley.TaskFailed: parley.EventFailed, parley.Cancelled: parley.EventCancelled}
	for _, t := range w.tasks {
		want := map[parley.EventKind]int{parley.EventTask: 1, parley.EventRescued: t.rescues}
		for state, kind := range ends {
			want[kind] = 0
			if t.state == state {
				want[kind] = 1
			}
		}
		for kind, n := range want {
			if got := count[key{t.id, kind}]; got != n {
				return fmt.Errorf("%s has %d events %s; want %d", t.id, got, kind, n)
			}
		}
	}
	return nil
}

// compareTrespasses: turns of this world never hold a call or answer a question. A
// turn that lost its lease tries to, in vain.
func (w *world) compareTrespasses() error {
	for table, n := range w.seen.trespasses {
		if n > 0 {
			return fmt.Errorf("%d rows in %s; want none", n, table)
		}
	}
	return nil
}
