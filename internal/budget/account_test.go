package budget_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/budget"
	"parley/internal/store"
	"parley/internal/store/memtest"
)

// ledger is a tree with a budget, in memory: its root and one child, both running.
type ledger struct {
	*testing.T
	store       *memtest.Store
	team        parley.TeamID
	root, child parley.Task
	daily       parley.Budget
}

func newLedger(t *testing.T, tree, daily parley.Budget) *ledger {
	t.Helper()
	l := &ledger{T: t, store: memtest.Open(t), daily: daily}
	pat, ann := parley.Agent{Name: "Pat", Kind: parley.Person}, parley.Agent{Name: "Ann", Kind: parley.Native}
	l.team = l.store.Team("main", &pat, &ann)
	l.store.Do(func(tx *store.Tx) error {
		dm, err := tx.EnsureDM(l.team, pat.ID, ann.ID)
		if err != nil {
			return err
		}
		task := parley.Task{ID: tx.NewTaskID(), Team: l.team, Pattern: parley.Delegate, Requester: pat.ID, Agent: ann.ID, Thread: dm.Main,
			State: parley.Running, Worker: 1, Token: 1}
		l.root, l.child = task, task
		l.root.Root, l.root.Budget = task.ID, task.ID
		l.child.ID, l.child.Parent, l.child.Root, l.child.Budget = tx.NewTaskID(), task.ID, task.ID, task.ID
		tx.InsertTask(&l.root)
		tx.InsertTask(&l.child)
		tx.InsertBudget(&parley.TreeBudget{Root: l.root.ID, Team: l.team, Limit: tree})
		return nil
	})
	return l
}

// with runs do with the account of the tree.
func (l *ledger) with(do func(tx *store.Tx, a *budget.Account)) {
	l.Helper()
	l.store.Do(func(tx *store.Tx) error {
		a, err := budget.Open(tx, l.root.Budget, l.team, l.daily)
		if err == nil {
			do(tx, &a)
		}
		return err
	})
}

// expect checks the verdict about what a task wants to spend.
func (l *ledger) expect(what string, task parley.TaskID, w budget.Want, want budget.Verdict) {
	l.Helper()
	if got := l.judge(task, w); got != want {
		l.Errorf("%s: %v, want %v", what, got, want)
	}
}

func (l *ledger) judge(task parley.TaskID, w budget.Want) (v budget.Verdict) {
	l.Helper()
	l.with(func(_ *store.Tx, a *budget.Account) {
		var err error
		if v, err = a.Judge(task, w); err != nil {
			l.Error(err)
		}
	})
	return v
}

// reserve stores what a call of a task may need, under its lease.
func (l *ledger) reserve(t parley.Task, tokens int64) {
	l.Helper()
	l.store.Do(func(tx *store.Tx) error {
		tx.Reserve(parley.Reservation{Task: t.ID, Root: l.root.Budget, Team: l.team, Token: t.Token, Turn: 1, Step: 1, Tokens: tokens})
		return nil
	})
}

func step(kind parley.StepKind, tokens int64) []parley.Step {
	return []parley.Step{{Kind: kind, Spent: parley.Spending{Input: tokens}}}
}

// A reservation ends with the reply of its call, whatever that has spent, and with
// the failure of its turn, but not with the result of a tool.
func TestAReservationEndsWithItsReply(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(a *budget.Account, task parley.TaskID)
		ends bool
	}{
		{"a reply", func(a *budget.Account, id parley.TaskID) { a.Settle(id, step(parley.StepReply, 10)) }, true},
		{"a reply that spent nothing", func(a *budget.Account, id parley.TaskID) { a.Settle(id, step(parley.StepReply, 0)) }, true},
		{"a result", func(a *budget.Account, id parley.TaskID) { a.Settle(id, step(parley.StepResult, 10)) }, false},
		{"a prompt", func(a *budget.Account, id parley.TaskID) { a.Settle(id, step(parley.StepPrompt, 0)) }, false},
		{"the last reply of a turn", func(a *budget.Account, id parley.TaskID) {
			a.Close(parley.TurnEnd{Lease: parley.Lease{Task: id}, Steps: step(parley.StepReply, 10)})
		}, true},
		{"a turn that fails", func(a *budget.Account, id parley.TaskID) {
			a.Close(parley.TurnEnd{Lease: parley.Lease{Task: id}, Reason: "No."})
		}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := newLedger(t, parley.Budget{Tokens: 100}, parley.Budget{})
			l.reserve(l.child, 90)
			l.expect("beside the reservation", l.root.ID, budget.Want{Tokens: 50}, budget.Crowded)
			l.with(func(_ *store.Tx, a *budget.Account) { c.do(a, l.child.ID) })
			want := budget.Crowded
			if c.ends {
				want = budget.Fits
			}
			l.expect("after it", l.root.ID, budget.Want{Tokens: 50}, want)
		})
	}
}

// Spending is added up and stays spent.
func TestSettledSpendingCounts(t *testing.T) {
	l := newLedger(t, parley.Budget{Tokens: 100}, parley.Budget{})
	for range 2 {
		l.with(func(_ *store.Tx, a *budget.Account) { a.Settle(l.child.ID, step(parley.StepReply, 40)) })
	}
	l.expect("up to the limit", l.root.ID, budget.Want{Tokens: 20}, budget.Fits)
	l.expect("beyond it", l.root.ID, budget.Want{Tokens: 21}, budget.TreeSpent)
}

func TestADayIsSpentApartFromTheTree(t *testing.T) {
	l := newLedger(t, parley.Budget{Tokens: 1000}, parley.Budget{Tokens: 100})
	l.with(func(_ *store.Tx, a *budget.Account) { a.Settle(l.child.ID, step(parley.StepReply, 80)) })
	l.expect("beyond the day", l.root.ID, budget.Want{Tokens: 30}, budget.DaySpent)
	l.reserve(l.child, 15)
	l.expect("beside a reservation", l.root.ID, budget.Want{Tokens: 10}, budget.Crowded)
	l.store.Do(func(tx *store.Tx) error {
		d, err := tx.LockToday(l.team)
		d.Extra.Tokens = 50
		tx.UpdateDay(&d)
		return err
	})
	l.expect("after it was raised", l.root.ID, budget.Want{Tokens: 30}, budget.Fits)
}

// A reservation counts only while its lease is valid, and never against the task
// itself.
func TestAReservationCountsUnderItsLeaseOnly(t *testing.T) {
	l := newLedger(t, parley.Budget{Tokens: 100}, parley.Budget{})
	l.reserve(l.child, 90)
	l.expect("its own", l.child.ID, budget.Want{Tokens: 95}, budget.Fits)
	l.expect("another's", l.root.ID, budget.Want{Tokens: 50}, budget.Crowded)
	for name, changed := range map[string]parley.Task{
		"another worker has the task": {State: parley.Running, Token: 2},
		"the task is queued":          {State: parley.Queued, Token: 1},
		"the task has ended":          {State: parley.Completed, Token: 1},
	} {
		l.store.Change(l.child.ID, func(t *parley.Task) { t.State, t.Token = changed.State, changed.Token })
		l.expect(name, l.root.ID, budget.Want{Tokens: 50}, budget.Fits)
	}
}

// TestPark is the table of how a task is parked and who is told.
func TestPark(t *testing.T) {
	for _, c := range []struct {
		name    string
		verdict budget.Verdict
		state   parley.State
		waits   parley.Wait
		due     func(now parley.Micros) parley.Micros
		event   parley.EventKind
		mail    int
	}{
		{"the tree is spent", budget.TreeSpent, parley.Waiting, parley.WaitTree, func(parley.Micros) parley.Micros { return 0 }, parley.EventBudgetSpent, 1},
		{"the day is spent", budget.DaySpent, parley.Queued, parley.WaitDay, parley.Micros.NextDay, parley.EventDaySpent, 0},
		{"it is crowded", budget.Crowded, parley.Queued, parley.WaitNone, func(now parley.Micros) parley.Micros { return now.Add(time.Second) }, "", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := newLedger(t, parley.Budget{Tokens: 100}, parley.Budget{Tokens: 100})
			var now parley.Micros
			for range 2 { // those concerned are told the first time
				parked := l.child
				l.with(func(tx *store.Tx, a *budget.Account) {
					now = tx.Now
					if err := a.Park(&parked, c.verdict); err != nil {
						t.Error(err)
					}
				})
			}
			l.store.See(func(tx *store.Tx) error {
				got, err := tx.Task(l.child.ID)
				if got.State != c.state || got.Waits != c.waits || got.Worker != 0 || got.Due != c.due(now) {
					t.Errorf("%s, waits %d, worker %d, due %d; want %d", got.State, got.Waits, got.Worker, got.Due, c.due(now))
				}
				mail, mailErr := tx.Mail(l.root.Requester, 10)
				if len(mail) != c.mail {
					t.Errorf("%d messages", len(mail))
				}
				return errors.Join(err, mailErr)
			})
			told := slices.DeleteFunc(l.store.Rows()["event"], func(row string) bool { return !strings.Contains(row, "kind="+string(c.event)+" ") })
			if c.event != "" && len(told) != 1 {
				t.Errorf("told %d times: %v", len(told), told)
			}
		})
	}
}

// A new task is counted in its tree, and one too many is refused.
func TestTasksAreCounted(t *testing.T) {
	l := newLedger(t, parley.Budget{Tasks: 2}, parley.Budget{})
	l.with(func(_ *store.Tx, a *budget.Account) { a.AddTask() })
	var stored parley.TreeBudget
	l.store.Do(func(tx *store.Tx) (err error) { stored, err = tx.Budget(l.root.ID); return err })
	if stored.Tasks != 2 {
		t.Errorf("%d tasks", stored.Tasks)
	}
	l.expect("one too many", l.root.ID, budget.Want{Tasks: 1}, budget.TreeSpent)
	l.expect("a call", l.root.ID, budget.Want{Tokens: 1}, budget.Fits)
}

// Room in the day's budget does not hide that the tree is crowded, and vice versa.
func TestTheTreeAndTheDayBothHaveToAllowIt(t *testing.T) {
	l := newLedger(t, parley.Budget{Tokens: 100}, parley.Budget{Tokens: 1000})
	l.reserve(l.child, 90)
	l.expect("a crowded tree in a free day", l.root.ID, budget.Want{Tokens: 50}, budget.Crowded)
	l.expect("a spent tree in a free day", l.root.ID, budget.Want{Tokens: 101}, budget.TreeSpent)
}
