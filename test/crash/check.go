package crash

import (
	"fmt"

	"parley"
)

// check compares a database with the promises. Everything in it except atRest must
// hold at any moment, in particular right after a kill.
type check struct {
	*record
	problems []string
}

func (c *check) wrong(format string, args ...any) {
	c.problems = append(c.problems, fmt.Sprintf(format, args...))
}

// always checks what holds at any moment.
func always(r *record) []string {
	c := &check{record: r}
	c.checkThreads()
	c.checkDeliveries()
	c.checkMentions()
	c.checkTasks()
	c.checkInboxes()
	c.checkCallbacks()
	c.checkSteps()
	c.checkContacts()
	c.checkEvents()
	c.checkApprovals()
	c.checkQuestions()
	c.checkClaims()
	return c.problems
}

// atRest checks, besides that, what holds when no work is left and the hub has
// stopped in order.
func atRest(r *record) []string {
	c := &check{record: r, problems: always(r)}
	for _, t := range r.tasks {
		if t.state.Open() {
			c.wrong("task-%d is still %s (%d children open, %d of %d read)", t.id, t.state, t.open, t.inboxRead, t.inboxCount)
		}
	}
	if len(r.workers) > 0 {
		c.wrong("these hubs are still registered: %v", r.workers)
	}
	return c.problems
}

// compare compares the database with what the clients know. What a client was told is
// there; what it does not know is there at most once. Clients may be at work: before
// and after are what they knew before and after the database was read.
func compare(r *record, before, after map[string]entry) []string {
	c := &check{record: r}
	found := map[string][]message{}
	for _, m := range r.messages {
		if m.origin == 0 && m.key != "" {
			found[m.key] = append(found[m.key], m)
		}
	}
	for key, e := range before {
		c.compareContact(key, e, found[key])
	}
	for key := range found {
		if _, ok := after[key]; !ok {
			c.wrong("nobody made the contact %s", key)
		}
	}
	return c.problems
}

func (c *check) compareContact(key string, e entry, found []message) {
	switch {
	case len(found) > 1:
		c.wrong("the contact %s is there %d times", key, len(found))
		return
	case len(found) == 0 && e.accepted:
		c.wrong("the contact %s was acknowledged (%s) and is not there", key, e.message)
		return
	case len(found) == 0:
		return
	}
	m := found[0]
	if m.body != e.job.text() {
		c.wrong("the contact %s says %q and not %q", key, m.body, e.job.text())
	}
	if e.accepted && parley.MessageID(m.id).String() != e.message {
		c.wrong("the contact %s is message %d and was acknowledged as %s", key, m.id, e.message)
	}
	t := c.tasks[m.task]
	if e.job.action == "notify" {
		if m.task != 0 {
			c.wrong("the notification %s made task-%d", key, m.task)
		}
		return
	}
	if t == nil {
		c.wrong("the contact %s has no task", key)
		return
	}
	if e.accepted && parley.TaskID(t.id).String() != e.task {
		c.wrong("the contact %s is task-%d and was acknowledged as %s", key, t.id, e.task)
	}
	if e.cancel == surelyCancelled && t.state != parley.Cancelled {
		c.wrong("task-%d was acknowledged as cancelled and is %s", t.id, t.state)
	}
	if !t.state.Open() {
		c.compareTree(e.job, t)
	}
}

// compareTree compares an ended job with what its script does: who worked for whom,
// each exactly once.
func (c *check) compareTree(j job, t *task) {
	if t.any(func(t *task) bool { return spent(t.failure) }) || j.cancel {
		return // it came to its end on another way, and the other checks hold
	}
	if got := c.tree(t); got != j.tree {
		c.wrong("task-%d (%s) has the tree %s and should have %s", t.id, j.text(), got, j.tree)
	}
	if wrong := j.checkResult(t.state.String(), c.messages[t.result].body, t.failure); wrong != "" {
		c.wrong("task-%d (%s) %s", t.id, j.text(), wrong)
	}
}

// rescues counts the tasks that were given up because they were interrupted too
// often, and how often any task was taken over.
func (r *record) rescues() (spentTasks, rescues int) {
	for _, t := range r.tasks {
		if t.state == parley.TaskFailed && spent(t.failure) {
			spentTasks++
		}
	}
	for _, e := range r.events {
		if e.kind == parley.EventRescued {
			rescues++
		}
	}
	return spentTasks, rescues
}
