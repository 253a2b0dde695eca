// Package budget keeps the accounts of task trees and of teams: what they may spend,
// what their running model calls may need, and what they have spent.
//
// Everything here happens within somebody else's transaction, and nothing of it for a
// tree without a budget in a team without a cap. The rows are locked before
// everything else, the tree's before that of the team's day, so two turns never both
// take the last of a budget. A reservation counts only while the lease that made it
// is valid, so a crash releases it by itself.
package budget

import (
	"time"

	"parley"
	"parley/internal/store"
)

// Account is the locked budgets that a task's spending counts against.
type Account struct {
	tx    *store.Tx
	tree  parley.TreeBudget // without a root if there is none
	day   parley.DayBudget  // without a team if there is no cap
	daily parley.Budget     // the cap
	told  string            // usage as Judge or Allot last found it
	more  parley.Budget     // what the tree lacked then
}

// Bounded reports whether a task has an account at all.
func Bounded(root parley.TaskID, daily parley.Budget) bool { return root != 0 || daily.Set() }

// Open locks the account of a task: the budget of the tree with the given root, and
// that of the team's day if it has a cap.
func Open(tx *store.Tx, root parley.TaskID, team parley.TeamID, daily parley.Budget) (a Account, err error) {
	a.tx, a.daily = tx, daily
	if root != 0 {
		if a.tree, err = tx.LockBudget(root); err != nil {
			return a, err
		}
	}
	if daily.Set() {
		a.day, err = tx.LockToday(team)
	}
	return a, err
}

// Judge decides whether a task may spend more.
func (a *Account) Judge(task parley.TaskID, w Want) (Verdict, error) {
	tree, day, err := a.used(task)
	if err != nil {
		return Fits, err
	}
	verdict, what := judge(a.tree.Limit, tree, w)
	if verdict == TreeSpent || a.day.Team == 0 {
		a.told, a.more = what, lacks(a.tree.Limit, tree, w)
		return verdict, nil
	}
	today, what := judge(a.today(), day, w)
	if today == TreeSpent {
		a.told = what
		return DaySpent, nil
	}
	return max(verdict, today), nil
}

// today is the daily cap with what was added to it.
func (a *Account) today() parley.Budget {
	b := a.daily
	if b.Tokens > 0 {
		b.Tokens += a.day.Extra.Tokens
	}
	if b.Money > 0 {
		b.Money += a.day.Extra.Money
	}
	return b
}

// Spent is the refusal of new tasks after Judge has decided against them.
func (a *Account) Spent(tasks int64) error {
	return &parley.BudgetSpent{Root: a.tree.Root, What: a.told, More: a.more, Tasks: tasks}
}

// AddTask counts a new task of the tree.
func (a *Account) AddTask() {
	a.tree.Tasks++
	a.tx.UpdateBudget(&a.tree)
}

// Settle records what stored steps of a task have spent. If there is a reply among
// them, it releases what that model call had reserved.
func (a *Account) Settle(task parley.TaskID, steps []parley.Step) {
	spent, replied := Sum(steps)
	if replied {
		a.tx.Release(task)
	}
	if spent != (parley.Spending{}) {
		a.add(spent)
	}
}

// Close settles the end of a turn. Afterwards the task has nothing reserved.
func (a *Account) Close(e parley.TurnEnd) {
	a.Settle(e.Lease.Task, e.Steps)
	if e.Reason != "" {
		a.tx.Release(e.Lease.Task)
	}
}

// Sum adds up what steps have spent, and reports whether there is a reply among
// them.
func Sum(steps []parley.Step) (spent parley.Spending, replied bool) {
	for _, s := range steps {
		spent = spent.Plus(s.Spent)
		replied = replied || s.Kind == parley.StepReply
	}
	return spent, replied
}

func (a *Account) add(s parley.Spending) {
	if a.tree.Root != 0 {
		a.tree.Spent = a.tree.Spent.Plus(s)
		a.tx.UpdateBudget(&a.tree)
	}
	if a.day.Team != 0 {
		a.day.Spent = a.day.Spent.Plus(s)
		a.tx.UpdateDay(&a.day)
	}
}

// crowdPause is how long a turn waits if only the reservations of others are in its
// way. They settle as soon as their models have replied.
const crowdPause = time.Second

// Park gives a task back until it may spend more. The first time it also tells those
// concerned. The caller holds the task's lock.
func (a *Account) Park(t *parley.Task, v Verdict) error {
	t.State, t.Worker = parley.Queued, 0
	var err error
	switch v {
	case TreeSpent:
		t.State, t.Waits = parley.Waiting, parley.WaitTree
		a.tx.Record(parley.Event{Team: t.Team, Kind: parley.EventWaiting, Actor: t.Agent, Target: t.Requester, Task: t.ID,
			Detail: "budget: " + a.told})
		err = a.tellTree()
	case DaySpent:
		t.Waits, t.Due = parley.WaitDay, a.tx.Now.NextDay()
		a.tellDay()
	default:
		t.Due = a.tx.Now.Add(crowdPause)
	}
	a.tx.UpdateTask(t)
	return err
}

func (a *Account) tellDay() {
	if a.day.Told {
		return
	}
	a.day.Told = true
	a.tx.UpdateDay(&a.day)
	a.tx.Record(parley.Event{Team: a.day.Team, Kind: parley.EventDaySpent, Detail: a.told})
}

// tellTree tells the requester of the root, in the root's conversation.
func (a *Account) tellTree() error {
	if a.tree.Told {
		return nil
	}
	root, err := a.tx.Task(a.tree.Root)
	if err != nil {
		return err
	}
	requester, err := a.tx.Agent(root.Requester)
	if err != nil {
		return err
	}
	m := parley.Message{Team: root.Team, Thread: root.Thread, Author: root.Agent, Kind: parley.NotificationMessage,
		Body: parley.BudgetSpentText(root.ID, a.told, a.more)}
	if err := a.tx.Post(&m, store.Recipient{ID: requester.ID, Pulls: requester.Pulls(), Mail: !requester.Pulls()}); err != nil {
		return err
	}
	a.tree.Told = true
	a.tx.UpdateBudget(&a.tree)
	a.tx.Record(parley.Event{Team: root.Team, Kind: parley.EventBudgetSpent, Actor: root.Agent, Target: root.Requester, Task: root.ID,
		Message: m.ID, Detail: a.told})
	return nil
}
