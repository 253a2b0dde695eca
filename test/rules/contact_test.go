package rules

import (
	"strings"
	"time"

	"parley"
)

// call is one tool call of a turn, or one contact of a person.
type call struct {
	id       string
	tool     string // contact_agent, await_task, cancel_task, sleep
	pattern  parley.Pattern
	target   string
	body     string // unique, so that it names the contact
	priority parley.Priority
	about    parley.TaskID // await_task, cancel_task
	until    parley.Micros // sleep

	from *agent   // a person
	sent *message // what came of a contact
	made *task
	at   parley.Micros // when
}

// decide says whether a contact is allowed. The order is: what nobody may do,
// the target, the nesting, the rate, the cycle.
func (w *world) decide(from *agent, in *task, c *call) *refusal {
	target := w.agent(c.target)
	if target == nil {
		return refuse(parley.NotFound, "Agent '%s' not found.", c.target).andHint()
	}
	if target == from {
		return refuse(parley.Denied, "You cannot contact yourself.")
	}
	if c.pattern != parley.Notify && target.offline {
		return refuse(parley.Unavailable, "%s is offline (agent unavailable).", target.name).andHint()
	}
	if from.person {
		return nil
	}
	asks, hops := depth(from, in, c.pattern)
	if c.pattern == parley.Ask && asks > from.limits.AskDepth {
		return refuse(parley.Limited, "Maximum agent communication depth (%d) reached. Use 'delegate' for async to avoid nesting.", from.limits.AskDepth)
	}
	if c.pattern == parley.Delegate && hops > from.limits.DelegationDepth {
		return refuse(parley.Limited, "Maximum delegation depth (%d) reached.", from.limits.DelegationDepth).andHint()
	}
	if wait := from.mustWait(w.now); wait > 0 {
		return refuse(parley.Limited, "rate limit reached (%d messages per minute). Try again in %d seconds.",
			from.limits.Rate, int64((wait+time.Second-1)/time.Second))
	}
	return w.cycle(in, c, waitsFor)
}

// cycle refuses an ask whose target waits for the one who asks, and so could
// never answer.
func (w *world) cycle(in *task, c *call, waits func(*task) bool) *refusal {
	target := w.agent(c.target)
	if c.pattern != parley.Ask || !target.one() {
		return nil
	}
	chain := waitingChain(in, target, waits)
	if chain == nil {
		return nil
	}
	return refuse(parley.Denied, "%s is waiting on this chain and can run only one turn at a time: %s.",
		target.name, strings.Join(append(chain, target.name), " → ")).andHint()
}

// waitsFor reports whether a turn waits for the task.
func waitsFor(t *task) bool { return t.callback == parley.CallbackReply }

// depth of what a contact opens: a person's does not count, and a delegation
// begins the asks anew.
func depth(from *agent, in *task, p parley.Pattern) (asks, hops int) {
	if from.person || in == nil {
		return 0, 0
	}
	switch p {
	case parley.Ask:
		return in.asks + 1, in.hops
	case parley.Delegate:
		return 0, in.hops + 1
	}
	return 0, 0
}

// waitingChain names who waits for whom from the target down to the caller, if
// the target's turn is among those that wait. A task waits for its delegations
// too, but no turn does.
func waitingChain(in *task, target *agent, waits func(*task) bool) (names []string) {
	waiting := false
	for t := in; t != nil; t = t.parent {
		names = append([]string{t.agent.name}, names...)
		if waiting && t.agent == target {
			return names
		}
		if waiting = waits(t); !waiting && t.callback != parley.CallbackResult {
			return nil
		}
	}
	return nil
}

// contact stores an allowed contact: the message, and the task if there is
// one. The hub has given them ids already.
func (w *world) contact(from *agent, in *task, c *call) {
	target := w.agent(c.target)
	if !from.person {
		from.contacts = append(from.contacts, w.now)
	}
	if c.pattern == parley.Ask && target.sleeping(w.now) {
		w.wake(target)
	}
	c.at = w.now
	dm := w.dm(from, target)
	m := &message{author: from, to: target, kind: parley.NotificationMessage, body: c.body}
	c.sent = w.post(dm, m)
	if c.pattern == parley.Notify {
		return
	}
	asks, hops := depth(from, in, c.pattern)
	t := &task{
		parent: in, pattern: c.pattern, requester: from, agent: target, in: dm, request: m, priority: parley.Normal,
		state: parley.Queued, asks: asks, hops: hops, fresh: true,
	}
	m.task, m.kind = t, parley.AskMessage
	if c.pattern == parley.Delegate {
		m.kind, m.priority, t.priority = parley.DelegateMessage, c.priority, c.priority
		if target.sleeping(w.now) {
			t.due = target.sleepingUntil
		}
	} else {
		t.waitUntil = w.now.Add(from.limits.AskTimeout)
		if in != nil && in.awaited(w.now) {
			t.waitUntil = min(t.waitUntil, in.waitUntil)
		}
	}
	t.deadline = max(w.now, t.due).Add(from.limits.DelegationDeadline)
	if in != nil {
		t.callback = parley.CallbackResult
		if c.pattern == parley.Ask {
			t.callback = parley.CallbackReply
		}
	}
	c.made = t
	w.add(t, w.seen.taskOf(c.body))
}

// retry makes a new task of one that failed or was cancelled.
func (w *world) retry(old *task, id parley.TaskID) {
	parent := old.parent
	if parent != nil && !parent.state.Open() {
		parent = nil
	}
	t := &task{
		parent: parent, retryOf: old, pattern: parley.Delegate, requester: old.requester, agent: old.agent, in: old.in,
		priority: old.priority, state: parley.Queued, hops: old.hops, fresh: true,
	}
	if parent != nil {
		t.callback = parley.CallbackResult
	}
	if t.agent.sleeping(w.now) {
		t.due = t.agent.sleepingUntil
	}
	t.deadline = max(w.now, t.due).Add(old.requester.limits.DelegationDeadline)
	t.request = w.post(old.in, &message{author: old.requester, to: old.agent, kind: parley.DelegateMessage,
		priority: old.priority, body: old.request.body, task: t})
	w.add(t, id)
}

// mayRetry says whether a person's retry is accepted.
func (w *world) mayRetry(old *task) *refusal {
	if old.state != parley.TaskFailed && old.state != parley.Cancelled {
		return refuse(parley.Conflict, "%s is %s.", old.id, old.state).andHint()
	}
	if old.agent.offline {
		return refuse(parley.Unavailable, "%s is offline (agent unavailable).", old.agent.name).andHint()
	}
	return nil
}

// wake ends a sleep; what was put off is due now.
func (w *world) wake(a *agent) {
	a.sleepingUntil = 0
	for _, t := range w.tasks {
		if t.agent == a && t.state == parley.Queued && t.due > 0 {
			t.due, t.fresh = 0, true
		}
	}
}

// sleep puts off what is queued; somebody who waits is not put off. Some of it
// may have been claimed just before.
func (w *world) sleep(a *agent, until parley.Micros) {
	a.sleepingUntil = until
	for _, t := range w.tasks {
		if t.agent == a && t.state == parley.Queued && t.pattern != parley.Ask && !w.claim(t) {
			t.due = until
		}
	}
}

// offline fails what somebody waits for and leaves the rest queued.
func (w *world) goOffline(a *agent) {
	a.offline = true
	for _, t := range w.tasks {
		if t.agent == a && t.state.Open() && t.awaited(w.now) {
			w.fail(t, a.name+" went offline.")
		}
	}
}
