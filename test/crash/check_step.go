package crash

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"parley"
)

// checkSteps: the steps of a task are numbered without a gap, every tool call
// has at most one result, and the last step of a completed task is a reply
// that calls nothing.
func (c *check) checkSteps() {
	for id, steps := range c.steps {
		t := c.tasks[id]
		if t == nil {
			c.wrong("there are steps of task-%d, which does not exist", id)
			continue
		}
		var last step
		for _, s := range steps {
			next := s.turn == last.turn && s.n == last.n+1
			begins := s.turn == last.turn+1 && s.n == 1
			if !next && !begins {
				c.wrong("task-%d goes from step %d/%d to %d/%d", id, last.turn, last.n, s.turn, s.n)
			}
			if begins != s.prompt {
				c.wrong("step %d/%d of task-%d is a %s, and what the turn was shown is not where it belongs", s.turn, s.n, id, s.kind)
			}
			last = s
		}
		// A turn whose model failed at once has no steps.
		if last.turn != t.turns && !(t.state == parley.TaskFailed && last.turn == t.turns-1) {
			c.wrong("task-%d (%s) counts %d turns and has steps of %d", id, t.state, t.turns, last.turn)
		}
		if t.state == parley.Completed && (last.kind != parley.StepReply || len(last.calls) > 0) {
			c.wrong("task-%d is completed, and its last step %d/%d is a %s", id, last.turn, last.n, last.kind)
		}
		c.checkCalls(t, steps)
	}
	for id, t := range c.tasks {
		if len(c.steps[id]) == 0 && (t.turns > 1 || t.turns == 1 && t.state != parley.TaskFailed) {
			c.wrong("task-%d counts %d turns and has no steps", id, t.turns)
		}
	}
}

// checkCalls: the results of a reply's calls come once each, before the next
// reply, and in the order of the calls, except that those that waited for an
// approval come after the others.
func (c *check) checkCalls(t *task, steps []step) {
	var pending []call
	held := map[string]bool{}
	for _, s := range steps {
		switch s.kind {
		case parley.StepReply:
			if len(pending) > 0 {
				c.wrong("step %d/%d of task-%d came before the result of %s", s.turn, s.n, t.id, pending[0].ID)
			}
			pending = s.calls
		case parley.StepHeld:
			held[s.result.Call] = true
		case parley.StepResult:
			n := slices.IndexFunc(pending, func(c call) bool { return c.ID == s.result.Call })
			early := n >= 0 && slices.ContainsFunc(pending[:n], func(c call) bool { return !held[c.ID] })
			if n < 0 || early {
				c.wrong("step %d/%d of task-%d is the result of %s, which was not called or has one", s.turn, s.n, t.id, s.result.Call)
				continue
			}
			pending = slices.Delete(slices.Clone(pending), n, n+1)
		}
	}
}

// checkContacts: every contact that a turn made belongs to one call of a stored
// reply, and a call that succeeded made exactly one. Whoever works outside of the hub
// makes up the keys of its contacts, and each makes one as well.
func (c *check) checkContacts() {
	made, called := map[string]int{}, map[string]bool{} // by key
	for _, m := range c.messages {
		if m.origin != 0 && !m.tellsOfClaim() {
			made[m.key]++
			called[m.key] = called[m.key] || c.outside[m.author]
		}
	}
	for id, steps := range c.steps {
		results := map[string]callResult{}
		for _, s := range steps {
			if s.kind == parley.StepResult {
				results[callKey(id, s.turn, s.result.Call)] = s.result
			}
		}
		for _, s := range steps {
			for _, call := range s.calls {
				key := callKey(id, s.turn, call.ID)
				called[key] = true
				result, finished := results[key]
				if finished && sent(call, result) && made[key] != 1 {
					c.wrong("the call %s says %q and made %d contacts", key, result.Text, made[key])
				}
			}
		}
	}
	for key, n := range made {
		if !called[key] {
			c.wrong("%d contacts have the key %q, which is no call's", n, key)
		}
		if n > 1 {
			c.wrong("the call %s made %d contacts", key, n)
		}
	}
}

// callKey is the key of the contact that a tool call makes.
func callKey(task, turn int64, call string) string { return fmt.Sprintf("%d/%d/%s", task, turn, call) }

// sent reports whether a call's result says that a contact was made. An ask
// whose target failed was made as well.
func sent(c call, r callResult) bool {
	var args struct{ Action string }
	switch c.Name {
	case "send_channel_message", "peer_ask_question":
		return !r.Error
	case "peer_forward_question", "peer_answer_question": // unless it came too late
		return !r.Error && !strings.Contains(r.Text, "not found")
	}
	if json.Unmarshal(c.Args, &args) != nil || c.Name != "contact_agent" {
		return false
	}
	return !r.Error || args.Action == "ask" && strings.Contains(r.Text, "failed to respond")
}

// checkEvents: every task was opened once and ended at most once according to
// the record, and nothing of it was stored after its end.
func (c *check) checkEvents() {
	opened, ends := map[int64]int{}, map[int64][]event{}
	for _, e := range c.events {
		switch e.kind {
		case parley.EventTask:
			opened[e.task]++
		case parley.EventCompleted, parley.EventFailed, parley.EventCancelled:
			ends[e.task] = append(ends[e.task], e)
		}
	}
	for id, t := range c.tasks {
		want := 0
		if !t.state.Open() {
			want = 1
		}
		if opened[id] != 1 || len(ends[id]) != want {
			c.wrong("task-%d is %s; on record it was opened %d times and ended %d times", id, t.state, opened[id], len(ends[id]))
			continue
		}
		for _, s := range c.steps[id] {
			if want == 1 && s.order > ends[id][0].order {
				c.wrong("step %d/%d of task-%d was stored after its end", s.turn, s.n, id)
			}
		}
	}
}
