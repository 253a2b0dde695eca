package budget_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/budget"
	"parley/internal/store"
	"parley/internal/store/sqlite"
)

// ledger is a tree with a budget, in memory: its root and one task below it, both
// running.
type ledger struct {
	*testing.T
	store       *sqlite.Store
	team        parley.TeamID
	root, child parley.Task
	daily       parley.Budget
}

func newLedger(t *testing.T, tree, daily parley.Budget) *ledger {
	t.Helper()
	s, err := sqlite.OpenMemory(strings.ReplaceAll(t.Name(), "/", "-"), sqlite.Options{Readers: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	l := &ledger{T: t, store: s, daily: daily}
	l.update(func(tx *store.Tx) error {
		team := parley.Team{Name: "main"}
		tx.InsertTeam(&team)
		l.team = team.ID
		pat, ann := parley.Agent{Team: team.ID, Name: "Pat", Kind: parley.Person}, parley.Agent{Team: team.ID, Name: "Ann", Kind: parley.Native}
		tx.InsertAgent(&pat)
		tx.InsertAgent(&ann)
		dm, err := tx.EnsureDM(team.ID, pat.ID, ann.ID)
		if err != nil {
			return err
		}
		for _, task := range []*parley.Task{&l.root, &l.child} {
			id := tx.NewTaskID()
			*task = parley.Task{ID: id, Team: team.ID, Root: l.root.ID, Parent: l.root.ID, Pattern: parley.Delegate, Requester: pat.ID,
				Agent: ann.ID, Thread: dm.Main, State: parley.Running, Worker: 1, Token: 1}
			if task == &l.root {
				task.Root, task.Parent = id, 0
			}
			if tree.Set() {
				task.Budget = l.root.ID
			}
			tx.InsertTask(task)
		}
		if tree.Set() {
			tx.InsertBudget(&parley.TreeBudget{Root: l.root.ID, Team: team.ID, Limit: tree})
		}
		return nil
	})
	return l
}

func (l *ledger) update(fn func(*store.Tx) error) {
	l.Helper()
	if err := l.store.Update(l.Context(), fn); err != nil {
		l.Fatal(err)
	}
}

// with does something with the account of the tree.
func (l *ledger) with(do func(tx *store.Tx, a *budget.Account)) {
	l.Helper()
	l.update(func(tx *store.Tx) error {
		a, err := budget.Open(tx, l.root.Budget, l.team, l.daily)
		if err == nil {
			do(tx, &a)
		}
		return err
	})
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

// reserve holds what a call of a task may need, under its lease.
func (l *ledger) reserve(t parley.Task, tokens int64) {
	l.Helper()
	l.update(func(tx *store.Tx) error {
		tx.Reserve(parley.Reservation{Task: t.ID, Root: l.root.Budget, Team: l.team, Token: t.Token, Turn: 1, Step: 1, Tokens: tokens})
		return nil
	})
}

func step(kind parley.StepKind, tokens int64) []parley.Step {
	return []parley.Step{{Kind: kind, Spent: parley.Spending{Input: tokens}}}
}

// A reservation ends with the reply of its call, whatever that has spent; with the
// result of a tool it does not; with the failure of its turn it does.
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
			if v := l.judge(l.root.ID, budget.Want{Tokens: 50}); v != budget.Crowded {
				t.Fatalf("beside the reservation: %v", v)
			}
			l.with(func(_ *store.Tx, a *budget.Account) { c.do(a, l.child.ID) })
			want := budget.Crowded
			if c.ends {
				want = budget.Fits
			}
			if v := l.judge(l.root.ID, budget.Want{Tokens: 50}); v != want {
				t.Errorf("after it: %v, want %v", v, want)
			}
		})
	}
}

// What was spent stays spent and is added up.
func TestSettledSpendingCounts(t *testing.T) {
	l := newLedger(t, parley.Budget{Tokens: 100}, parley.Budget{})
	for range 2 {
		l.with(func(_ *store.Tx, a *budget.Account) { a.Settle(l.child.ID, step(parley.StepReply, 40)) })
	}
	if v := l.judge(l.root.ID, budget.Want{Tokens: 20}); v != budget.Fits {
		t.Errorf("up to the limit: %v", v)
	}
	if v := l.judge(l.root.ID, budget.Want{Tokens: 21}); v != budget.TreeSpent {
		t.Errorf("beyond it: %v", v)
	}
}

func TestADayIsSpentApartFromTheTree(t *testing.T) {
	l := newLedger(t, parley.Budget{Tokens: 1000}, parley.Budget{Tokens: 100})
	l.with(func(_ *store.Tx, a *budget.Account) { a.Settle(l.child.ID, step(parley.StepReply, 80)) })
	if v := l.judge(l.root.ID, budget.Want{Tokens: 30}); v != budget.DaySpent {
		t.Errorf("beyond the day: %v", v)
	}
	l.reserve(l.child, 15)
	if v := l.judge(l.root.ID, budget.Want{Tokens: 10}); v != budget.Crowded {
		t.Errorf("beside a reservation: %v", v)
	}
	l.update(func(tx *store.Tx) error {
		d, err := tx.LockToday(l.team)
		d.Extra.Tokens = 50
		tx.UpdateDay(&d)
		return err
	})
	if v := l.judge(l.root.ID, budget.Want{Tokens: 30}); v != budget.Fits {
		t.Errorf("after it was raised: %v", v)
	}
}

// What a lease has reserved counts only as long as the lease holds, and never
// against the task itself.
func TestAReservationCountsUnderItsLeaseOnly(t *testing.T) {
	l := newLedger(t, parley.Budget{Tokens: 100}, parley.Budget{})
	l.reserve(l.child, 90)
	if v := l.judge(l.child.ID, budget.Want{Tokens: 95}); v != budget.Fits {
		t.Errorf("its own: %v", v)
	}
	if v := l.judge(l.root.ID, budget.Want{Tokens: 50}); v != budget.Crowded {
		t.Errorf("another's: %v", v)
	}
	for name, change := range map[string]func(*parley.Task){
		"another worker has the task": func(t *parley.Task) { t.Token++ },
		"the task is queued":          func(t *parley.Task) { t.State = parley.Queued },
		"the task has ended":          func(t *parley.Task) { t.State = parley.Completed },
	} {
		l.update(func(tx *store.Tx) error {
			changed := l.child
			change(&changed)
			tx.UpdateTask(&changed)
			return nil
		})
		if v := l.judge(l.root.ID, budget.Want{Tokens: 50}); v != budget.Fits {
			t.Errorf("%s: %v", name, v)
		}
	}
}

// TestPark is the table of how a task stands back, and who is told.
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
			for range 2 { // whoever has to do with it is told the first time
				parked := l.child
				l.with(func(tx *store.Tx, a *budget.Account) {
					now = tx.Now
					if err := a.Park(&parked, c.verdict); err != nil {
						t.Error(err)
					}
				})
			}
			told, mail := 0, 0
			if err := l.store.View(t.Context(), func(tx *store.Tx) error {
				got, err := tx.Task(l.child.ID)
				if got.State != c.state || got.Waits != c.waits || got.Worker != 0 || got.Due != c.due(now) {
					t.Errorf("%s, waits %d, worker %d, due %d; want %d", got.State, got.Waits, got.Worker, got.Due, c.due(now))
				}
				events, _, err2 := tx.Events(l.team, "", 100)
				for _, e := range events {
					if c.event != "" && e.Kind == c.event {
						told++
					}
				}
				list, err3 := tx.Mail(l.root.Requester, 10)
				mail = len(list)
				return errors.Join(err, err2, err3)
			}); err != nil {
				t.Fatal(err)
			}
			if want := min(1, len(c.event)); told != want || mail != c.mail {
				t.Errorf("told %d times, %d messages", told, mail)
			}
		})
	}
}

// A new task is counted in its tree, and one too many is refused.
func TestTasksAreCounted(t *testing.T) {
	l := newLedger(t, parley.Budget{Tasks: 2}, parley.Budget{})
	l.with(func(_ *store.Tx, a *budget.Account) { a.AddTask() })
	var stored parley.TreeBudget
	l.update(func(tx *store.Tx) (err error) { stored, err = tx.Budget(l.root.ID); return err })
	if stored.Tasks != 2 {
		t.Errorf("%d tasks", stored.Tasks)
	}
	if v := l.judge(l.root.ID, budget.Want{Tasks: 1}); v != budget.TreeSpent {
		t.Errorf("one too many: %v", v)
	}
	if v := l.judge(l.root.ID, budget.Want{Tokens: 1}); v != budget.Fits {
		t.Errorf("a call: %v", v)
	}
}

// What the day allows does not hide that the tree has no room beside what others
// have reserved, and the other way round.
func TestTheTreeAndTheDayBothHaveToAllowIt(t *testing.T) {
	l := newLedger(t, parley.Budget{Tokens: 100}, parley.Budget{Tokens: 1000})
	l.reserve(l.child, 90)
	if v := l.judge(l.root.ID, budget.Want{Tokens: 50}); v != budget.Crowded {
		t.Errorf("a crowded tree in a free day: %v", v)
	}
	if v := l.judge(l.root.ID, budget.Want{Tokens: 101}); v != budget.TreeSpent {
		t.Errorf("a spent tree in a free day: %v", v)
	}
}
