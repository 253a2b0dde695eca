// Package access says who calls the hub and what the rules let them do. Every
// use case takes a Caller and asks the Control; what is refused goes on record
// here, in one place.
package access

import (
	"errors"
	"fmt"
	"slices"

	"parley"
	"parley/internal/policy"
	"parley/internal/store"
)

// Caller is who calls. A door makes it from a token, and the hub from the lease
// of a turn. Identity never comes from a parameter of the call. A caller from
// outside may say which of its own tasks it speaks for; that is checked.
type Caller struct {
	Team  parley.TeamID
	Agent parley.AgentID
	// Task is the task that the caller works on; 0 if none.
	Task parley.TaskID
	// Token is the lease under which a turn acts; 0 for a caller from outside.
	Token int64
	// Budget is the root whose budget the turn's task draws on; 0 if none, and for
	// a caller from outside.
	Budget parley.TaskID
	// Slot is the turn's place among the workers, given back while it waits; nil
	// for a caller from outside.
	Slot parley.Slot
	// Approved says that somebody has approved the very call that the turn makes.
	// It replaces an approval that the rules want, and nothing else.
	Approved bool
	// From is the earlier task whose turn decided on the call, if the turn's task goes
	// on where that one failed: what was made there under the call's key is found. 0
	// for all other calls.
	From parley.TaskID
	// Key makes a request from outside idempotent: the same key finds what was done
	// before. Empty for none.
	Key string
	// Chat says that a bridge acts for a person. What was said in a chat program has keys of
	// its own, which nobody else may use.
	Chat bool
}

// ForTurn is the caller of a turn, which acts under its lease.
func ForTurn(l parley.Lease, slot parley.Slot, approved bool) Caller {
	return Caller{Team: l.Team, Agent: l.Agent, Task: l.Task, Token: l.Token, Budget: l.Budget, Slot: slot, Approved: approved}
}

// Outside reports whether the caller is somebody else than a turn of this hub.
func (c Caller) Outside() bool { return c.Token == 0 }

// Keyed are the tasks in which the caller's call may have been made under its key: its
// own, and those before it back to the one that decided on the call.
func (c Caller) Keyed(tx *store.Tx) ([]parley.TaskID, error) {
	list := []parley.TaskID{c.Task}
	for id := c.Task; c.From != 0 && id != c.From; {
		t, err := tx.Task(id)
		if err != nil || t.Resumes == 0 {
			return list, err
		}
		id = t.Resumes
		list = append(list, id)
	}
	return list, nil
}

// MadeIn reports whether what was made in a task under the key of the caller's call was
// made by this call.
func (c Caller) MadeIn(tx *store.Tx, t parley.TaskID) (bool, error) {
	if t == c.Task || c.From == 0 {
		return t == c.Task, nil
	}
	list, err := c.Keyed(tx)
	return slices.Contains(list, t), err
}

// MadeBefore finds the message that the caller's call has made under its key in an
// earlier task; zero if there is none.
func (c Caller) MadeBefore(tx *store.Tx, key string) (parley.Message, error) {
	if c.From == 0 || key == "" {
		return parley.Message{}, nil
	}
	list, err := c.Keyed(tx)
	if err != nil {
		return parley.Message{}, err
	}
	return tx.MadeBefore(list[1:], c.Agent, key)
}

// LockLease makes sure that a turn still holds the task it acts for. Its lock comes
// before those of the tasks below it.
func (c Caller) LockLease(tx *store.Tx) error {
	if c.Token == 0 {
		return nil
	}
	tasks, err := tx.LockTasks(c.Task)
	if err != nil {
		return err
	}
	return c.CheckLease(tasks[0])
}

// CheckLease makes sure that a turn still holds its task, which is locked. A
// caller from outside holds no lease.
func (c Caller) CheckLease(t parley.Task) error {
	if c.Token != 0 && !t.LeasedTo(c.Token) {
		return parley.ErrLost
	}
	return nil
}

// LockOwnTask makes sure that the caller works on the task it speaks for, and locks
// that task so that it cannot end meanwhile. This lock comes before the others
// that a use case takes.
func (c Caller) LockOwnTask(tx *store.Tx) error {
	if c.Task == 0 {
		return nil
	}
	tasks, err := tx.LockTasks(c.Task)
	if err != nil {
		return NotFound(err, "%s", c.Task)
	}
	return c.CheckOwnTask(tasks[0])
}

// CheckOwnTask makes sure that the caller still works on the task it speaks for.
func (c Caller) CheckOwnTask(t parley.Task) error {
	if c.Task == 0 {
		return nil
	}
	if t.Team != c.Team {
		return parley.Errorf(parley.NotFound, "%s not found.", c.Task)
	}
	if t.Agent != c.Agent {
		return parley.Errorf(parley.Denied, "%s is not your task.", t.ID).WithRule(RuleOwnTask)
	}
	if err := c.CheckLease(t); err != nil {
		return err
	}
	if !t.State.Open() {
		return parley.Errorf(parley.Conflict, "%s has ended (%s).", t.ID, t.State)
	}
	return nil
}

// Judge says what a ruling means to the caller. One who has the approval that it
// wants needs no second one; what the rules deny by now is denied.
func (c Caller) Judge(r policy.Ruling, target parley.AgentID) error {
	if r.Verdict == policy.NeedsApproval && c.Approved {
		return nil
	}
	err := r.Err()
	if need, ok := parley.AsNeedsApproval(err); ok {
		need.Target = target
	}
	return err
}

// Waits reports whether the caller is going to wait for the approval or the
// budget that the error asks for: then nothing was refused.
func (c Caller) Waits(err error) bool {
	need, wanted := parley.AsNeedsApproval(err)
	if c.Token != 0 {
		return wanted || parley.IsBudgetSpent(err)
	}
	return wanted && need.Approval != 0
}

// NotFound turns the store's answer into one that names the thing.
func NotFound(err error, format string, args ...any) error {
	if errors.Is(err, store.ErrNotFound) {
		return parley.Errorf(parley.NotFound, "%s not found.", fmt.Sprintf(format, args...))
	}
	return err
}
