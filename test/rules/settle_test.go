package rules

import (
	"fmt"
	"slices"

	"parley"
)

// settle lets everything happen that follows by itself, until nothing more does.
func (w *world) settle() {
	for w.step() {
	}
}

// step does one thing. Turns continue before new ones are claimed. Before both come
// the turns that end by themselves, or wait again, since they free slots that the
// next one takes. What is overdue fails last: the hub may have continued it before it
// looked at the clock.
func (w *world) step() bool {
	if !w.claims {
		return false
	}
	for _, one := range []func(*task) bool{w.falls, w.starts, w.late, w.advanceEnding, w.claimLeaving,
		w.advanceCalling, w.advance, w.reachesLimit, w.claimCalling, w.claim} {
		if slices.ContainsFunc(w.tasks, one) {
			return true
		}
	}
	return w.expire()
}

// expire fails a task whose deadline has passed. Of several that have passed,
// any may be first, and then cancels those below it; so the ones that are
// stored as failed are, from below, and the rest follows.
func (w *world) expire() bool {
	fail := func(t *task) func() { return func() { w.fail(t, overdue) } }
	var rest []*task
	for _, t := range slices.Backward(w.tasks) {
		if !t.state.Open() || t.deadline > w.now {
			continue
		}
		if w.seen.failed(t, overdue) {
			fail(t)()
			return true
		}
		rest = append(rest, t)
	}
	for _, t := range rest {
		if w.happensBy(t.deadline.Add(pause), false, fail(t)) {
			return true
		}
	}
	return false
}

const overdue = "its deadline has passed."

// happens does something that follows from the rules. If the hub died meanwhile, or
// something races with it, it does so only if it is stored: what else is stored shows
// whether it happened completely.
func (w *world) happens(t *task, isStored bool, do func()) bool {
	if !isStored && (w.cut || t != nil && w.races(t)) {
		return false
	}
	do()
	return true
}

// happensBy does something that has to have happened at some time, and may have
// before.
func (w *world) happensBy(at parley.Micros, isStored bool, do func()) bool {
	if !isStored && (w.cut || w.now < at) {
		return false
	}
	do()
	return true
}

// races reports whether the task may be ended at any moment, because its time,
// or that of one above it, is over, or because one of them has ended.
func (w *world) races(t *task) bool {
	for ; t != nil; t = t.parent {
		if t.state.Open() && t.deadline <= w.now || w.ending(t) {
			return true
		}
	}
	return false
}

// falls makes a delayed task due.
func (w *world) falls(t *task) bool {
	if t.state != parley.Queued || t.due == 0 || t.due > w.now {
		return false
	}
	return w.happensBy(t.due.Add(pause), w.seen.due(t) == 0, func() { t.due, t.fresh = 0, w.starting })
}

// late is an ask whose time is over. Whoever waited for it may have said so and then
// lost its lease, or may have lost it before without knowing: it stays true for the
// turn that continues.
func (w *world) late(t *task) bool {
	if !t.state.Open() || t.callback != parley.CallbackReply || t.waitUntil > w.now || w.seen.callback(t) != parley.CallbackLate {
		return false
	}
	w.givesUp(t)
	return true
}

// givesUp ends the waiting for an ask.
func (w *world) givesUp(t *task) { t.callback, t.givenUp = parley.CallbackLate, w.stage }

// waitedFor reports whether a turn waited for the task when this stage began or
// later.
func (w *world) waitedFor(t *task) bool {
	return waitsFor(t) || t.callback == parley.CallbackLate && t.givenUp == w.stage
}

// claim takes a task that was claimed. Which ones those are is up to the hub; check
// says whether the choice was right.
func (w *world) claim(t *task) bool {
	if !w.claimable(t) || w.seen.token(t) <= t.taken || w.working() >= w.places && t.asking() == nil {
		return false
	}
	t.taken++
	t.state, t.worked = parley.Running, true
	w.claimed = append(w.claimed, t)
	return true
}

// ending reports whether the task has ended in this stage.
func (w *world) ending(t *task) bool { return t.state.Open() && !w.seen.state(t).Open() }

// advanceEnding lets a turn return from an ask that then fails, at a limit, and so
// leaves its slot to others.
func (w *world) advanceEnding(t *task) bool {
	return t.asking() != nil && w.ending(t) && w.advance(t)
}

func (w *world) advanceCalling(t *task) bool {
	return t.turn != nil && len(t.turn.calls) > 1 && w.advance(t)
}

// claimLeaving claims a task whose turn does not keep its slot: it fails at once, or
// continues with its calls until it waits in one of them. A turn that returns at this
// moment may come after it; one that was waiting before may not.
func (w *world) claimLeaving(t *task) bool {
	calling := t.turn != nil && len(t.turn.calls) > 0
	leaves := w.ending(t) || calling && w.reads[t.id] == nil
	return leaves && w.working()+w.inLine() < w.places && w.claim(t)
}

// inLine counts the turns that have waited for a slot since before this stage.
func (w *world) inLine() (n int) {
	for _, t := range w.tasks {
		if t.inLine && t.wantsPlace(w.now) {
			n++
		}
	}
	return n
}

// claimCalling claims a task whose turn is in the middle of its calls: it may wait in
// one of them, and so leave its slot to others.
func (w *world) claimCalling(t *task) bool {
	return t.turn != nil && len(t.turn.calls) > 0 && w.claim(t)
}

func (w *world) claimable(t *task) bool {
	return t.state == parley.Queued && t.due == 0 && !t.agent.person && !t.agent.offline
}

// busy counts the agent's turns that hold one of its slots.
func (w *world) busy(a *agent) (n int) {
	for _, t := range w.tasks {
		if t.agent == a && t.state == parley.Running && t.worked && (t.asking() == nil || a.one()) {
			n++
		}
	}
	return n
}

// working counts the turns that hold one of the hub's slots: all that run, except
// those that wait.
func (w *world) working() (n int) {
	for _, t := range w.tasks {
		if t.state == parley.Running && t.worked && t.asking() == nil {
			n++
		}
	}
	return n
}

// scarce reports whether turns compete for the hub's slots.
func (w *world) scarce() bool { return w.places < plenty }

const plenty = 64

// checkClaims compares what was claimed in this stage, and what was not, with the
// rules: by priority, then by age, within the agent's limit, and nothing left waiting
// while there is a slot for it.
func (w *world) checkClaims() error {
	for _, t := range w.claimed {
		for _, other := range w.tasks {
			if other.agent == t.agent && w.claimable(other) && !other.fresh && before(other, t) {
				return fmt.Errorf("%s (%s) was claimed before %s (%s)", t.id, t.priority, other.id, other.priority)
			}
		}
	}
	for _, t := range w.claimed {
		// Turns that return from an ask may exceed the limit; new ones may not.
		if n := w.busy(t.agent) - w.resumed[t.agent]; n > t.agent.limits.Turns {
			return fmt.Errorf("%s was claimed though %s runs %d turns and its limit is %d", t.id, t.agent.name, n, t.agent.limits.Turns)
		}
	}
	if n := w.working(); n > w.places {
		return fmt.Errorf("%d turns run on %d places", n, w.places)
	}
	if w.cut || !w.claims || w.working() >= w.places {
		return nil
	}
	for _, t := range w.tasks {
		if w.claimable(t) && w.busy(t.agent) < t.agent.limits.Turns {
			return fmt.Errorf("%s could run and nobody claims it", t.id)
		}
		if t.wantsPlace(w.now) {
			return fmt.Errorf("%s has waited for %s long enough and does not go on", t.id, t.asking().id)
		}
	}
	return nil
}

func before(a, b *task) bool {
	return a.priority > b.priority || a.priority == b.priority && a.id < b.id
}

// begins starts a new stage.
func (w *world) begins(now parley.Micros) {
	w.stage++
	w.now = now
	w.claimed, w.resumed = nil, map[*agent]int{}
	for _, t := range w.tasks {
		t.fresh, t.arrived, t.inLine = false, len(t.inbox), t.wantsPlace(now)
	}
}

// rescue takes over what a dead hub left: queued again, or failed if that has
// happened too often.
func (w *world) rescue() {
	var spent []*task
	for _, t := range w.tasks {
		if t.state != parley.Running {
			continue
		}
		t.worked = false
		if t.rescues >= t.agent.limits.Rescues {
			spent = append(spent, t)
			continue
		}
		w.happens(t, w.seen.rescues(t) > t.rescues, func() {
			t.state = parley.Queued
			t.rescues++
		})
	}
	for _, t := range spent {
		if t.state.Open() {
			w.happens(t, w.seen.state(t) == parley.TaskFailed, func() {
				w.fail(t, "its turn was interrupted too often (the limit of rescues is reached).")
			})
		}
	}
}

// stops gives back what an orderly stop interrupted.
func (w *world) stops() {
	for _, t := range w.tasks {
		if t.state == parley.Running {
			t.worked = false
			w.happens(t, w.seen.state(t) == parley.Queued, func() { t.state = parley.Queued })
		}
	}
}

// dies forgets which hub ran what.
func (w *world) dies() {
	w.claims = false
	for _, t := range w.tasks {
		t.worked = false
		t.forget()
		if t.turn != nil && len(t.turn.calls) > 0 && t.turn.calls[0].tool == "sleep" {
			t.turn.calls[0].at = 0 // it is done again, which is harmless
		}
	}
}
