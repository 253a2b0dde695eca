package crash

import "parley"

// checkTasks: the columns of a task agree with each other and with the tasks
// around it.
func (c *check) checkTasks() {
	for _, t := range c.tasks {
		c.checkState(t)
		c.checkFamily(t)
		if m, ok := c.messages[t.request]; !ok || m.task != t.id && !t.mentioned() || m.thread != t.thread {
			c.wrong("task-%d was asked for by message %d, which is not its request", t.id, t.request)
		}
		if m := c.messages[t.result]; t.result != 0 && (m.task != t.id || m.kind != string(parley.ReplyMessage)) {
			c.wrong("task-%d has message %d as its result, which is not one of its replies", t.id, t.result)
		}
	}
}

func (c *check) checkState(t *task) {
	if held := t.state == parley.Running && !c.outside[t.agent]; held != (t.worker != 0) {
		c.wrong("task-%d is %s and held by worker %d", t.id, t.state, t.worker)
	}
	if t.state.Open() != (t.ended == 0) {
		c.wrong("task-%d is %s and ended at %d", t.id, t.state, t.ended)
	}
	if t.state == parley.TaskFailed && t.failure == "" {
		c.wrong("task-%d failed and does not say why", t.id)
	}
	open := int64(0)
	for _, child := range t.children {
		if child.state.Open() && (child.callback == parley.CallbackResult || child.callback == parley.CallbackCall) {
			open++
		}
	}
	if t.state.Open() && t.open != open {
		c.wrong("task-%d counts %d open children and has %d", t.id, t.open, open)
	}
	if t.state == parley.Waiting && open == 0 && t.approvals == 0 && t.waits == 0 {
		c.wrong("task-%d waits for nothing", t.id)
	}
	if t.approvals != 0 && !t.state.Open() {
		c.wrong("task-%d is %s with %d approvals pending", t.id, t.state, t.approvals)
	}
	unread := t.inboxRead != t.inboxCount && !c.outside[t.agent] // who fetches its results has them as messages
	if t.state == parley.Completed && (t.open != 0 || open != 0 || unread) {
		c.wrong("task-%d is completed with %d children open (it counts %d) and %d of %d read", t.id, open, t.open, t.inboxRead, t.inboxCount)
	}
	if t.state == parley.Completed {
		for _, d := range c.deliveries[t.request] {
			if d.recipient == t.agent && (d.seen == 0 || d.answered == 0) {
				c.wrong("task-%d is completed, and its request counts as neither seen nor answered", t.id)
			}
		}
	}
}

func (c *check) checkFamily(t *task) {
	if t.parent == 0 {
		if t.root != t.id {
			c.wrong("task-%d has no parent and the root task-%d", t.id, t.root)
		}
		return
	}
	p := c.tasks[t.parent]
	switch {
	case p == nil:
		c.wrong("task-%d has the parent task-%d, which does not exist", t.id, t.parent)
	case p.root != t.root:
		c.wrong("task-%d has the root task-%d, its parent task-%d", t.id, t.root, p.root)
	case t.state.Open() && (p.state == parley.TaskFailed || p.state == parley.Cancelled):
		c.wrong("task-%d is %s below task-%d, which is %s", t.id, t.state, p.id, p.state)
	}
}

// checkInboxes: what came back to a task is numbered without a gap, comes from
// a child that has ended, and from each child once.
func (c *check) checkInboxes() {
	for id, items := range c.inbox {
		t := c.tasks[id]
		if t == nil {
			c.wrong("there is an inbox of task-%d, which does not exist", id)
			continue
		}
		from := map[int64]bool{}
		for i, item := range items {
			if item.n != int64(i+1) {
				c.wrong("number %d of the inbox of task-%d is missing", i+1, id)
			}
			m := c.messages[item.message]
			child := c.tasks[m.task]
			ended := child != nil && (!child.state.Open() || m.kind == string(parley.AnswerMessage)) // the child may go on after an answer
			if child == nil || child.parent != id || !ended || m.thread != t.thread {
				c.wrong("message %d in the inbox of task-%d is not the end of one of its children", item.message, id)
				continue
			}
			if from[child.id] {
				c.wrong("task-%d came back to task-%d twice", child.id, id)
			}
			from[child.id] = true
			if item.n <= t.inboxRead && !c.seen(item.message) && !c.unasked(id) {
				c.wrong("task-%d has read number %d of its inbox, which does not count as seen", id, item.n)
			}
		}
	}
	for _, t := range c.tasks {
		if n := int64(len(c.inbox[t.id])); n != t.inboxCount || t.inboxRead > n {
			c.wrong("task-%d counts %d in its inbox, %d of them read, and has %d", t.id, t.inboxCount, t.inboxRead, n)
		}
	}
}

func (c *check) seen(message int64) bool {
	for _, d := range c.deliveries[message] {
		if d.seen == 0 {
			return false
		}
	}
	return true
}

// checkCallbacks: the end of every task reached whoever asked for it, exactly
// once.
func (c *check) checkCallbacks() {
	posted := map[int64][]message{} // by task
	for _, m := range c.messages {
		if m.kind == string(parley.ResultMessage) || m.kind == string(parley.FailureMessage) {
			posted[m.task] = append(posted[m.task], m)
		}
	}
	for _, t := range c.tasks {
		want, thread := c.wantedCallback(t)
		if len(posted[t.id]) != want {
			c.wrong("the end of task-%d (%s, callback %d, parent task-%d) was posted %d times and should be %d times",
				t.id, t.state, t.callback, t.parent, len(posted[t.id]), want)
			continue
		}
		for _, m := range posted[t.id] {
			failed := m.kind == string(parley.FailureMessage)
			if failed != (t.state != parley.Completed) || m.thread != thread {
				c.wrong("the end of task-%d (%s) was posted as %s in thread %d; it belongs in %d", t.id, t.state, m.kind, m.thread, thread)
			}
			if t.callback == parley.CallbackResult && !c.inInbox(t.parent, m.id) {
				c.wrong("the end of task-%d is not in the inbox of task-%d", t.id, t.parent)
			}
		}
	}
}

// wantedCallback is how often the end of a task must have been posted, and in which
// thread. The reply of a root is already in its conversation, and an ask is answered
// to its waiting asker. Nobody is told about a subtree that was ended from above.
func (c *check) wantedCallback(t *task) (times int, thread int64) {
	if t.state.Open() {
		return 0, 0
	}
	p := c.tasks[t.parent]
	fromAbove := p != nil && t.state == parley.Cancelled && (p.state == parley.TaskFailed || p.state == parley.Cancelled)
	switch {
	case fromAbove || t.callback == parley.CallbackReply || t.callback == parley.CallbackCall || t.callback == parley.CallbackAnswer:
		return 0, 0
	case t.callback == parley.CallbackNone && t.state == parley.Completed || t.pattern == string(parley.AnswerPattern):
		return 0, 0
	case t.callback == parley.CallbackNone || p == nil:
		return 1, t.thread
	default:
		return 1, p.thread
	}
}

func (c *check) inInbox(task, message int64) bool {
	for _, item := range c.inbox[task] {
		if item.message == message {
			return true
		}
	}
	return false
}

// unasked reports whether a task has taken something in since its model was last
// asked: it counts as seen only with the next step.
func (c *check) unasked(task int64) bool {
	steps := c.steps[task]
	return len(steps) > 0 && steps[len(steps)-1].kind == parley.StepInbox
}
