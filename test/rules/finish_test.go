package rules

import (
	"cmp"
	"slices"
	"strings"

	"parley"
)

// close ends a turn with its closing text: another turn if something came in
// meanwhile, waiting if something is open, else the end of the task.
func (w *world) close(t *task, text string) {
	t.said = append(t.said, line{role: "assistant", text: text})
	if strings.TrimSpace(text) != "" {
		t.result = w.post(t.in, &message{author: t.agent, to: t.requester, kind: parley.ReplyMessage, body: text, task: t})
	}
	t.turn = nil
	switch {
	case len(t.inbox) > t.read:
	case w.open(t) > 0:
		t.state, t.worked = parley.Waiting, false
	default:
		w.complete(t)
	}
}

func (w *world) complete(t *task) {
	w.end(t, parley.Completed)
	body := "(no text)"
	if t.result != nil {
		body = t.result.body
	}
	if t.called() {
		w.push(t, parley.ResultMessage, body)
	}
}

// fail ends a task and cancels what it had begun.
func (w *world) fail(t *task, reason string) {
	w.end(t, parley.TaskFailed)
	t.failure = reason
	w.cancelBelow(t, t.agent)
	w.tellFailure(t)
}

// cancel ends a task and its subtree. Its parent is told, unless it did it.
func (w *world) cancel(t *task, by *agent, in *task) {
	w.end(t, parley.Cancelled)
	t.failure, t.endedBy = cancelledText(by), by
	w.cancelBelow(t, by)
	if in == nil || t.parent != in {
		w.tellFailure(t)
	}
}

func (w *world) cancelBelow(top *task, by *agent) {
	for _, t := range w.below(top) {
		if t.state.Open() {
			w.end(t, parley.Cancelled)
			t.failure, t.endedBy = cancelledText(by), by
		}
	}
}

// end is final. The task may have been claimed just before.
func (w *world) end(t *task, s parley.State) {
	if w.claimable(t) && w.seen.token(t) > t.taken {
		t.taken++
		w.claimed = append(w.claimed, t)
	}
	t.state, t.worked = s, false
}

// called reports whether the end of the task goes into its parent's inbox.
func (t *task) called() bool {
	return (t.callback == parley.CallbackResult || t.callback == parley.CallbackLate) && t.parent.state.Open()
}

// tellFailure brings a failure to whoever asked: into the parent's inbox, to
// the turn that waits, or into the conversation.
func (w *world) tellFailure(t *task) {
	switch {
	case t.called():
		w.push(t, parley.FailureMessage, t.failure)
	case t.callback == parley.CallbackReply:
	default:
		w.post(t.in, &message{author: t.agent, to: t.requester, kind: parley.FailureMessage, body: t.failure, task: t})
	}
}

// push posts the end of a task in its parent's conversation and inbox, and
// wakes the parent if it waits.
func (w *world) push(t *task, kind parley.MessageKind, body string) {
	p := t.parent
	m := w.post(p.in, &message{author: t.agent, to: p.agent, kind: kind, body: body, task: t})
	w.arrives(p, m)
	if p.state == parley.Waiting {
		p.state, p.due, p.fresh = parley.Queued, 0, true
		if p.agent.sleeping(w.now) && p.pattern != parley.Ask { // an ask is never put off
			p.due = p.agent.sleepingUntil
		}
	}
}

// arrives puts the end of a subtask into a task's inbox. Of those that come at
// the same moment any may be first, so their order is the stored one.
func (w *world) arrives(t *task, m *message) {
	t.inbox = append(t.inbox, m)
	slices.SortStableFunc(t.inbox[t.arrived:], func(a, b *message) int { return cmp.Compare(w.place(t, a), w.place(t, b)) })
}

// place is where in the stored inbox of a task the end of a subtask is: last if it is
// missing, which the comparison will report.
func (w *world) place(t *task, m *message) int {
	stored := w.seen.inbox[t.id]
	if i := slices.IndexFunc(stored, func(id parley.MessageID) bool { return w.seen.message(id).Task == m.task.id }); i >= 0 {
		return i
	}
	return len(stored)
}

// mayCancel says whether a cancel is accepted: people may, and who asked for
// the task or one above it.
func (w *world) mayCancel(t *task, by *agent) *refusal {
	allowed := by.person
	for above := t; above != nil; above = above.parent {
		allowed = allowed || above.requester == by
	}
	if !allowed {
		return refuse(parley.Denied, "%s is not yours to cancel.", t.id).andHint()
	}
	if !t.state.Open() {
		return refuse(parley.Conflict, "%s has ended already (%s).", t.id, t.state)
	}
	return nil
}

// mayReply says whether a person's answer or refusal to a task is accepted.
func (w *world) mayReply(t *task, by *agent) *refusal {
	if t.agent != by {
		return refuse(parley.Denied, "%s was not asked of you.", t.id)
	}
	if !t.state.Open() {
		return refuse(parley.Conflict, "%s has ended already (%s).", t.id, t.state)
	}
	return nil
}

// reply is a person's answer to a task.
func (w *world) reply(t *task, text string) {
	t.request.shown = true
	t.result = w.post(t.in, &message{author: t.agent, to: t.requester, kind: parley.ReplyMessage, body: text, task: t})
	w.complete(t)
}
