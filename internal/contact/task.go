package contact

import (
	"time"

	"parley"
	"parley/internal/policy"
	"parley/internal/store"
)

// order is what every new task is made from.
type order struct {
	pattern   parley.Pattern
	requester parley.AgentID
	agent     parley.Agent // whose task it is
	thread    parley.ThreadID
	title     string        // as titleOf makes it
	lifetime  time.Duration // from when it is due until its deadline
}

// newTask makes a task, which is not stored yet. It is a queued root of normal
// priority that is due when its agent begins with such work; whoever makes it adds
// what else it is.
func newTask(tx *store.Tx, o order) parley.Task {
	t := parley.Task{
		ID: tx.NewTaskID(), Team: o.agent.Team, Pattern: o.pattern, Requester: o.requester, Agent: o.agent.ID, Thread: o.thread,
		Title: o.title, Priority: parley.Normal, State: parley.Queued, Due: policy.Due(o.agent, o.pattern, tx.Now),
	}
	t.Root, t.Chain = t.ID, t.ID
	t.Deadline = max(tx.Now, t.Due).Add(o.lifetime)
	return t
}

// titleOf is the title of a task with such a request.
func titleOf(request string) string { return parley.Clip(request, titleRunes) }

// titleRunes is how much of a request the title of its task shows.
const titleRunes = 80

// putBelow makes a new task a child, which draws on the budget of its parent and is of
// its chain.
func putBelow(t *parley.Task, parent parley.Task) {
	if parent.ID != 0 {
		t.Parent, t.Root, t.Chain, t.Budget = parent.ID, parent.Root, parent.Chain, parent.Budget
	}
}

// waitForDependencies puts a new task off until what it depends on is completed.
func waitForDependencies(t *parley.Task) {
	t.State, t.Waits, t.Due = parley.Waiting, parley.WaitDependency, 0
}

// requeue makes a task claimable, that of a sleeping agent when it wakes, and
// stores it.
func requeue(tx *store.Tx, t *parley.Task) error {
	a, err := tx.Agent(t.Agent)
	if err != nil {
		return err
	}
	t.State, t.Worker, t.Waits, t.Due = parley.Queued, 0, parley.WaitNone, policy.Due(a, t.Pattern, tx.Now)
	tx.UpdateTask(t)
	return nil
}

// wakeTask stores a task that something has come for, and queues it if it waits
// for that. A task that waits for a decision has a turn that is not over, and stays.
func wakeTask(tx *store.Tx, t *parley.Task) error {
	if t.State != parley.Waiting || t.Blocked() {
		tx.UpdateProgress(t)
		return nil
	}
	return requeue(tx, t)
}
