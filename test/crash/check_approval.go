package crash

import (
	"fmt"
	"strings"

	"parley"
)

// approval is a call that needed a decision.
type approval struct {
	id, task, turn int64
	call           string
	state          parley.ApprovalState
	letters        string // the end of its id
	requested      int    // how often it is on record that it was asked for
	decided        int    // and that it was decided
}

func (r *record) readApprovals(db database) error {
	err := db.each("SELECT id, task_id, turn, call, state, letters FROM approval ORDER BY id", func(c cells) {
		r.approvals = append(r.approvals, &approval{id: c.Int(0), task: c.Int(1), turn: c.Int(2), call: c.Text(3), state: parley.ApprovalState(c.Int(4)), letters: c.Text(5)})
	})
	if err != nil {
		return err
	}
	byID := map[string]*approval{}
	for _, a := range r.approvals {
		byID[parley.ApprovalID(a.id).String()] = a
	}
	return db.each("SELECT kind, detail FROM event WHERE kind LIKE 'approval.%' ORDER BY id", func(c cells) {
		id, _, _ := strings.Cut(c.Text(1), ":")
		a := byID[id]
		switch {
		case a == nil:
			r.strays = append(r.strays, fmt.Sprintf("%s is on record as %s and does not exist", id, c.Text(0)))
		case c.Text(0) == string(parley.EventApprovalRequested):
			a.requested++
		default:
			a.decided++
		}
	})
}

// checkApprovals: every held call has one approval that was asked for once and
// decided at most once; an approved call is made exactly once by the time its task
// has completed, and any other never.
func (c *check) checkApprovals() {
	c.problems = append(c.problems, c.strays...)
	made, approvals, pending := map[string]int{}, map[string]int{}, map[int64]int64{}
	for _, m := range c.messages {
		if m.origin != 0 {
			made[m.key]++
		}
	}
	for _, a := range c.approvals {
		key := callKey(a.task, a.turn, a.call)
		approvals[key]++
		want := 1
		if a.state == parley.ApprovalPending {
			pending[a.task]++
			want = 0
		}
		if a.requested != 1 || a.decided != want {
			c.wrong("approval-%d is %s; on record it was asked for %d times and decided %d times", a.id, a.state, a.requested, a.decided)
		}
		c.checkMade(a, made[key])
	}
	for id, t := range c.tasks {
		if t.approvals != pending[id] {
			c.wrong("task-%d counts %d approvals and has %d pending", id, t.approvals, pending[id])
		}
		for _, s := range c.steps[id] {
			if key := callKey(id, s.turn, s.result.Call); s.kind == parley.StepHeld && approvals[key] != 1 {
				c.wrong("the held call %s has %d approvals", key, approvals[key])
			}
		}
	}
}

func (c *check) checkMade(a *approval, made int) {
	t := c.tasks[a.task]
	ended := t != nil && t.state == parley.Completed
	switch {
	case a.state != parley.ApprovalApproved && made != 0:
		c.wrong("approval-%d is %s, and %d contacts were made", a.id, a.state, made)
	case made > 1 || ended && a.state == parley.ApprovalApproved && made != 1:
		c.wrong("approval-%d is %s, and %d contacts were made by task-%d", a.id, a.state, made, a.task)
	}
}

// decisions counts the decisions of each kind.
func (r *record) decisions() (approved, denied int) {
	for _, a := range r.approvals {
		switch a.state {
		case parley.ApprovalApproved:
			approved++
		case parley.ApprovalDenied:
			denied++
		}
	}
	return approved, denied
}
