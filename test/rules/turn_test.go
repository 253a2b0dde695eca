package rules

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"parley"
)

// advance lets a task's turn do its next step by itself, if it has one: begin,
// run a call, or store its result.
func (w *world) advance(t *task) bool {
	if t.state != parley.Running || !t.worked {
		return false
	}
	if t.turn == nil {
		return w.begin(t)
	}
	if len(t.turn.calls) > 0 {
		return w.runCall(t, t.turn.calls[0])
	}
	return false
}

// reachesLimit fails a task whose turn has reached a limit. What it had started may
// have progressed before that.
func (w *world) reachesLimit(t *task) bool {
	if t.state != parley.Running || !t.worked || t.turn == nil || len(t.turn.calls) > 0 {
		return false
	}
	stop := ""
	if limit := t.agent.limits.Steps; t.turn.replies >= limit {
		stop = fmt.Sprintf("the limit of %d steps in a turn is reached.", limit)
	} else if t.turn.failed >= failuresInARow {
		stop = "five tool calls in a row failed."
	}
	if stop == "" {
		return false
	}
	return w.happens(t, w.seen.failed(t, stop), func() { w.fail(t, stop) })
}

// begin starts a turn. That is stored a little later, or with what the model
// replies.
func (w *world) begin(t *task) bool {
	if w.lacks(t) {
		return false // something more arrives first
	}
	t.start = &start{at: w.now, read: t.read, said: len(t.said)}
	t.turns++
	t.turn, t.begun = &turn{}, w.stage
	w.takeIn(t)
	return true
}

// starts notes that the beginning of a turn is stored.
func (w *world) starts(t *task) bool {
	if t.start == nil {
		return false
	}
	late := t.thinking() && w.now.Until(t.start.at) >= pause
	if w.seen.turns(t) < t.turns && (w.cut || !late) {
		return false
	}
	t.stored()
	return true
}

func (t *task) stored() {
	if t.start != nil {
		t.start.stored, t.start = true, nil
	}
	if t.sight != nil {
		t.sight.stored, t.sight = true, nil
	}
}

// forget undoes a turn that was not stored before the hub died.
func (t *task) forget() {
	t.sight = nil
	if s := t.start; s != nil {
		t.turns--
		t.turn, t.read, t.said, t.start = nil, s.read, t.said[:s.said], nil
	}
}

// takeIn reads the inbox. Of two results that come at the same moment it may
// miss the second; never one that was there before.
func (w *world) takeIn(t *task) {
	upto := len(t.inbox)
	if r := w.readsTo(t); r >= t.arrived && r >= t.read && r < upto {
		upto = r
	}
	for _, m := range t.inbox[t.read:upto] {
		t.said = append(t.said, line{role: "user", text: callbackText(m)})
		m.taken = m.taken || t.start == nil // it is stored with the result before it
	}
	t.read = upto
}

// readsTo is how much of its inbox the task's turn has read, as far as can be
// seen from outside.
func (w *world) readsTo(t *task) (n int) {
	for i, id := range w.seen.inbox[t.id] {
		m := w.seen.message(id)
		if w.reads[t.id][endText(w.seen.agents[m.Author].Name, m.Kind, m.Task, m.Body)] {
			n = i + 1
		}
	}
	return max(n, w.seen.read(t))
}

// lacks reports whether the task's turn has read something that has not happened here
// yet.
func (w *world) lacks(t *task) bool {
	n := w.readsTo(t)
	return n > len(t.inbox) || n > 0 && w.place(t, t.inbox[n-1]) >= n
}

// replies is a reply with calls.
func (w *world) replies(t *task, calls []*call) {
	w.happens(t, w.seen.replies(t) > t.turn.replies, func() {
		t.stored()
		t.turn.replies++
		t.turn.counted = false
		t.turn.calls = calls
		l := line{role: "assistant"}
		for _, c := range calls {
			l.text += " " + c.id
		}
		t.said = append(t.said, l)
	})
}

// closes is a reply without calls.
func (w *world) closes(t *task, text string) {
	w.happens(t, w.seen.replies(t) > t.turn.replies, func() {
		t.stored()
		w.close(t, text)
	})
}

// breaks is a failure of the model.
func (w *world) breaks(t *task, reason string) {
	w.happens(t, w.seen.failed(t, reason), func() {
		t.stored()
		w.fail(t, reason)
	})
}

// runCall does one step of the first call without a result.
func (w *world) runCall(t *task, c *call) bool {
	switch c.tool {
	case "await_task":
		return w.runAwait(t, c)
	case "cancel_task":
		return w.runCancel(t, c)
	case "sleep":
		return w.runSleep(t, c)
	case "errand":
		return w.returns(t, line{text: "Done."})
	}
	if c.sent == nil {
		r := w.decide(t.agent, t, c)
		if r == nil && !w.seen.has(c.body) {
			r = w.cycle(t, c, w.waitedFor) // the ask came before somebody gave up
		}
		if r != nil {
			return w.refused(t, r)
		}
		return w.happens(t, w.seen.has(c.body), func() { w.contact(t.agent, t, c) })
	}
	switch c.pattern {
	case parley.Notify:
		return w.returns(t, line{text: "Notification sent to " + c.target + "."})
	case parley.Delegate:
		return w.returns(t, line{text: fmt.Sprintf("Delegated to %s (subtask %s). You'll receive the result automatically when %s finishes.",
			c.target, c.made.id, c.target)})
	}
	return w.runAsk(t, c)
}

// runAsk waits for the end of the subtask or of the time. The answer is either
// the result of the call or a delegation result, never both.
func (w *world) runAsk(t *task, c *call) bool {
	child := c.made
	timedOut := child.callback != parley.CallbackReply
	switch {
	case timedOut:
		return w.comesBack(t, line{text: "Error: " + timeoutText(child, c.at), loose: true})
	case !child.state.Open():
		text, failed := answerText(child)
		if failed {
			return w.comesBack(t, line{text: "Error: " + text})
		}
		return w.comesBack(t, line{text: "Response from " + child.agent.name + ": " + text, shows: child.result})
	case w.now >= child.waitUntil:
		late := w.seen.callback(child) != parley.CallbackReply
		if w.scarce() && !late {
			return false // it has no place to come back to
		}
		return w.happens(t, late, func() { w.givesUp(child) })
	}
	return false
}

// comesBack ends an ask. The turn needs a slot again.
func (w *world) comesBack(t *task, l line) bool {
	if w.working() >= w.places || w.scarce() && w.seen.results(t) <= t.turn.results {
		return false
	}
	if !w.returns(t, l) {
		return false
	}
	w.resumed[t.agent]++
	return true
}

func (w *world) runAwait(t *task, c *call) bool {
	child := w.task(c.about)
	if child == nil {
		return w.refused(t, refuse(parley.NotFound, "%s not found.", c.about))
	}
	if child.parent != t {
		return w.refused(t, refuse(parley.NotFound, "%s is not a subtask of %s.", c.about, t.id))
	}
	if child.state.Open() && child.callback == parley.CallbackLate {
		return w.happens(t, w.seen.callback(child) == parley.CallbackResult, func() { child.callback = parley.CallbackResult })
	}
	if child.state.Open() {
		return w.returns(t, line{text: fmt.Sprintf("Waiting for %s (%s).", child.agent.name, child.id), loose: true})
	}
	if slices.ContainsFunc(t.inbox, func(m *message) bool { return m.task == child }) {
		return w.returns(t, line{text: fmt.Sprintf("%s has finished (%s).", child.agent.name, child.id), loose: true})
	}
	text, failed := answerText(child)
	if failed {
		return w.returns(t, line{text: "Error: " + text})
	}
	return w.returns(t, line{text: "Response from " + child.agent.name + ": " + text, shows: child.result})
}

func (w *world) runCancel(t *task, c *call) bool {
	about := w.task(c.about)
	if about == nil {
		return w.refused(t, refuse(parley.NotFound, "%s not found.", c.about))
	}
	done := about.state == parley.Cancelled && about.endedBy == t.agent
	if r := w.mayCancel(about, t.agent); r != nil && (r.kind != parley.Conflict || !done) {
		return w.refused(t, r)
	}
	if about.state.Open() {
		return w.happens(t, w.seen.cancelled(about, t.agent), func() { w.cancel(about, t.agent, t) })
	}
	return w.returns(t, line{text: fmt.Sprintf("%s is cancelled.", about.id)})
}

func (w *world) runSleep(t *task, c *call) bool {
	if w.now.Since(c.until) > time.Minute {
		return w.refused(t, refuse(parley.Invalid, "%s is not in the future.", c.until.Time().UTC().Format("2006-01-02T15:04:05Z07:00")))
	}
	if c.until <= w.now {
		if t.agent.sleepingUntil != 0 && c.at == 0 {
			stored := w.seen.agent(t.agent).SleepingUntil == 0 || w.seen.results(t) > t.turn.results
			return w.happens(t, stored, func() {
				c.at = w.now
				w.wake(t.agent)
			})
		}
	} else if c.at == 0 {
		return w.happens(t, w.slept(t, c.until), func() {
			c.at = w.now
			w.sleep(t.agent, c.until)
		})
	}
	return w.returns(t, line{text: "You will sleep until " + c.until.Time().UTC().Format("2006-01-02T15:04:05Z07:00") + "."})
}

// slept reports whether a call to sleep has taken effect. After a crash it is made again,
// by an agent that is asleep already, and puts off what was queued again in between.
func (w *world) slept(t *task, until parley.Micros) bool {
	if w.seen.results(t) > t.turn.results {
		return true
	}
	if t.agent.sleepingUntil != until {
		return w.seen.agent(t.agent).SleepingUntil == until
	}
	return slices.ContainsFunc(w.tasks, func(other *task) bool {
		return other.agent == t.agent && other.state == parley.Queued && other.due != until && w.seen.due(other) == until
	})
}

func (w *world) refused(t *task, r *refusal) bool {
	return w.returns(t, line{text: "Error: " + r.text, loose: r.loose})
}

// returns stores the result of the first call, and after the last one takes in
// what has come for the task.
func (w *world) returns(t *task, l line) bool {
	last := len(t.turn.calls) == 1
	if last && w.lacks(t) {
		return false // something more arrives first
	}
	return w.happens(t, w.seen.results(t) > t.turn.results, func() {
		l.role = "tool"
		if l.shows != nil {
			l.shows.shown = true // the next request will
		}
		t.said = append(t.said, l)
		t.turn.results++
		t.turn.countResult(l.text)
		t.turn.calls = t.turn.calls[1:]
		if last {
			w.takeIn(t)
		}
	})
}

// countResult counts failures in a row: once for a reply, and refusals by the rate
// once altogether.
func (t *turn) countResult(text string) {
	if !strings.HasPrefix(text, "Error: ") {
		t.failed, t.counted, t.limited = 0, false, false
		return
	}
	limited := strings.HasPrefix(text, "Error: rate limit reached")
	if !t.counted && !(limited && t.limited) {
		t.failed++
		t.counted = true
	}
	t.limited = limited
}
