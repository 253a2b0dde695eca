package storetest

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/internal/store"
)

// budget gives a new root a budget.
func (w *world) budget(limit parley.Budget) parley.Task {
	w.t.Helper()
	t := w.task(parley.Task{State: parley.Running})
	w.update(func(tx *store.Tx) error {
		tx.InsertBudget(&parley.TreeBudget{Root: t.ID, Team: t.Team, Limit: limit})
		return nil
	})
	return t
}

func (w *world) readBudget(root parley.TaskID) (b parley.TreeBudget) {
	w.t.Helper()
	w.view(func(tx *store.Tx) (err error) { b, err = tx.Budget(root); return err })
	return b
}

func budgetRoundTrip(t *testing.T, open Open) {
	w := newWorld(t, open)
	limit := parley.Budget{Tokens: 1, Money: 2, Tasks: 3, Time: 4 * time.Microsecond}
	root := w.budget(limit)
	if d := cmp.Diff(parley.TreeBudget{Root: root.ID, Team: root.Team, Limit: limit, Tasks: 1}, w.readBudget(root.ID)); d != "" {
		t.Error(d)
	}
	want := parley.TreeBudget{Root: root.ID, Team: root.Team, Told: true, Tasks: 9,
		Limit: parley.Budget{Tokens: 5, Money: 6, Tasks: 7, Time: 8 * time.Microsecond},
		Spent: parley.Spending{Input: 10, Output: 11, Money: 12, Active: 13 * time.Microsecond}}
	w.update(func(tx *store.Tx) error {
		if _, err := tx.LockBudget(root.ID + 1); err != store.ErrNotFound {
			t.Errorf("one that is not there: %v", err)
		}
		tx.UpdateBudget(&want)
		return nil
	})
	if d := cmp.Diff(want, w.readBudget(root.ID)); d != "" {
		t.Error(d)
	}
}

func daysRoundTrip(t *testing.T, open Open) {
	clock := newClock()
	w := newWorldAt(t, open, clock.now)
	today := func() (d parley.DayBudget) {
		w.view(func(tx *store.Tx) (err error) { d, err = tx.Today(w.team.ID); return err })
		return d
	}
	day := today()
	if d := cmp.Diff(parley.DayBudget{Team: w.team.ID, Day: day.Day}, day); d != "" || day.Day == 0 {
		t.Errorf("day %d: %s", day.Day, d)
	}
	day.Extra, day.Told = parley.Budget{Tokens: 1, Money: 2}, true
	day.Spent = parley.Spending{Input: 3, Output: 4, Money: 5, Active: 6 * time.Microsecond}
	w.update(func(tx *store.Tx) error {
		if _, err := tx.LockToday(w.team.ID); err != nil {
			return err
		}
		tx.UpdateDay(&day)
		return nil
	})
	if d := cmp.Diff(day, today()); d != "" {
		t.Error(d)
	}
	clock.move(12 * time.Hour) // it is noon
	if d := cmp.Diff(parley.DayBudget{Team: w.team.ID, Day: day.Day + 1}, today()); d != "" {
		t.Errorf("tomorrow: %s", d)
	}
}

// A reservation counts only under the lease that made it, and one task has one.
func reservationsFollowTheLease(t *testing.T, open Open) {
	w := newWorld(t, open)
	root := w.budget(parley.Budget{Tokens: 100})
	child := w.task(parley.Task{State: parley.Running, Token: 5})
	reserve := func(t parley.Task, token, tokens int64) {
		w.update(func(tx *store.Tx) error {
			tx.Reserve(parley.Reservation{Task: t.ID, Root: root.ID, Team: root.Team, Token: token, Turn: 1, Step: 1, Tokens: tokens, Money: 1})
			return nil
		})
	}
	sums := func(what string, tree, team int64) {
		t.Helper()
		w.view(func(tx *store.Tx) error {
			a, err := tx.Reserved(root.ID, root.ID)
			b, _ := tx.ReservedToday(root.Team, 0)
			if a.Tokens != tree || b.Tokens != team {
				t.Errorf("%s: %d of the tree, %d of the team", what, a.Tokens, b.Tokens)
			}
			return err
		})
	}
	reserve(root, 0, 7)
	reserve(child, 5, 10)
	reserve(child, 5, 20)
	sums("two tasks", 20, 27)
	w.update(func(tx *store.Tx) error {
		child.Token = 6
		tx.UpdateTask(&child)
		return nil
	})
	sums("another lease", 0, 7)
	reserve(child, 6, 30)
	sums("again", 30, 37)
	w.update(func(tx *store.Tx) error {
		child.State = parley.Queued
		tx.UpdateTask(&child)
		return nil
	})
	sums("given back", 0, 7)
	w.update(func(tx *store.Tx) error { tx.Release(root.ID); return nil })
	sums("released", 0, 0)
}

func waitingForBudgets(t *testing.T, open Open) {
	w := newWorld(t, open)
	root := w.budget(parley.Budget{Tokens: 1})
	tree := w.task(parley.Task{State: parley.Waiting, Budget: root.ID})
	tomorrow := w.task(parley.Task{Budget: root.ID})
	w.update(func(tx *store.Tx) error {
		tree.Waits = parley.WaitTree
		tx.UpdateTask(&tree)
		tomorrow.Waits, tomorrow.Due = parley.WaitDay, tx.Now.NextDay()
		tx.UpdateTask(&tomorrow)
		return nil
	})
	if got := w.readTask(tree.ID); got.Budget != root.ID || got.Waits != parley.WaitTree || !got.Blocked() {
		t.Errorf("stored as %+v", got)
	}
	w.update(func(tx *store.Tx) error {
		a, err := tx.WaitingForBudget(root.ID)
		b, _ := tx.WaitingForTomorrow(root.Team)
		n, _ := tx.CountWaiting(root.ID)
		m, _ := tx.CountWaitingForTomorrow(root.Team)
		if len(a) != 1 || len(b) != 1 || a[0].ID != tree.ID || b[0].ID != tomorrow.ID || n != 1 || m != 1 {
			t.Errorf("waiting: %v, %v, %d, %d", a, b, n, m)
		}
		none, _ := tx.WaitingForTomorrow(root.Team + 1)
		if len(none) > 0 {
			t.Errorf("another team's: %v", none)
		}
		return err
	})
}

func spentIsAddedUp(t *testing.T, open Open) {
	w := newWorld(t, open)
	root := w.task(parley.Task{})
	child := w.task(parley.Task{Parent: root.ID, Root: root.ID})
	w.task(parley.Task{})
	one := parley.Spending{Input: 1, Output: 2, Money: 3, Active: 4 * time.Microsecond}
	w.update(func(tx *store.Tx) error {
		for _, id := range []parley.TaskID{root.ID, child.ID} {
			for n := 1; n <= 2; n++ {
				tx.InsertStep(parley.Step{Task: id, Turn: 1, N: n, Kind: parley.StepReply, Content: []byte("{}"), Spent: one})
			}
		}
		return nil
	})
	w.view(func(tx *store.Tx) error {
		all, tasks, err := tx.SpentBelow(root.ID)
		if want := one.Plus(one).Plus(one).Plus(one); all != want || tasks != 2 {
			t.Errorf("the tree: %+v, %d tasks", all, tasks)
		}
		part, tasks, _ := tx.SpentBelow(child.ID)
		if part != one.Plus(one) || tasks != 1 {
			t.Errorf("the child: %+v, %d tasks", part, tasks)
		}
		steps, _ := tx.Steps(child.ID)
		if len(steps) != 2 || steps[0].Spent != one {
			t.Errorf("steps: %+v", steps)
		}
		return err
	})
}

// pausedTeams: queued tasks of a paused team are not claimable.
func pausedTeams(t *testing.T, open Open) {
	w := newWorld(t, open)
	w.task(parley.Task{})
	claimable := func() (n int) {
		w.update(func(tx *store.Tx) error {
			list, err := tx.Claimable(w.bob.ID, 10)
			n = len(list)
			return err
		})
		return n
	}
	for _, paused := range []bool{true, false} {
		w.update(func(tx *store.Tx) error {
			_, err := tx.LockTeam(w.team.ID)
			tx.SetPaused(w.team.ID, paused)
			return err
		})
		w.view(func(tx *store.Tx) error {
			team, err := tx.Team(w.team.ID)
			named, _ := tx.TeamByName("main")
			all, _ := tx.PausedTeams()
			if team.Paused != paused || named.Paused != paused || (len(all) == 1) != paused {
				t.Errorf("paused %v: %+v, %+v, %v", paused, team, named, all)
			}
			return err
		})
		if got := claimable() == 0; got != paused {
			t.Errorf("paused %v, nothing to claim %v", paused, got)
		}
	}
}

// reserveAtOnce: the row's lock keeps two turns from both taking the last of a
// budget.
func reserveAtOnce(t *testing.T, open Open) {
	w := newWorld(t, open)
	for range lockRounds / 4 {
		root := w.budget(parley.Budget{Tokens: 10})
		var turns [4]parley.Task
		for i := range turns {
			turns[i] = w.task(parley.Task{State: parley.Running, Parent: root.ID, Root: root.ID, Budget: root.ID, Token: 1})
		}
		var winners atomic.Int32
		atOnce(t, len(turns), func(i int) error {
			won := false
			err := w.counted(func(tx *store.Tx) error {
				won = false
				b, err := tx.LockBudget(root.ID)
				if err != nil {
					return err
				}
				if _, err := tx.LockTasks(turns[i].ID); err != nil {
					return err
				}
				held, err := tx.Reserved(root.ID, turns[i].ID)
				if won = held.Tokens+10 <= b.Limit.Tokens; won {
					tx.Reserve(parley.Reservation{Task: turns[i].ID, Root: root.ID, Team: root.Team, Token: 1, Tokens: 10})
				}
				return err
			})
			if won {
				winners.Add(1)
			}
			return err
		})
		if n := winners.Load(); n != 1 {
			t.Fatalf("%d have reserved the last of it", n)
		}
	}
}

// settleAgainstContact: one turn settles, another one of the same tree opens a task
// that counts, and somebody raises the budget. All of them lock the budget's row
// first.
func settleAgainstContact(t *testing.T, open Open) {
	w := newWorld(t, open)
	w.dm()
	root := w.budget(parley.Budget{Tokens: 1})
	child := w.task(parley.Task{Agent: w.ann.ID, State: parley.Running, Parent: root.ID, Root: root.ID, Budget: root.ID})
	const rounds = 40
	change := func(do func(*store.Tx, *parley.TreeBudget) error) error {
		return w.counted(func(tx *store.Tx) error {
			b, err := tx.LockBudget(root.ID)
			if err != nil {
				return err
			}
			if err := do(tx, &b); err != nil {
				return err
			}
			tx.UpdateBudget(&b)
			return nil
		})
	}
	atOnce(t, 3, func(i int) error {
		for range rounds {
			err := change(func(tx *store.Tx, b *parley.TreeBudget) error {
				switch i {
				case 0:
					b.Spent.Input++
					_, err := tx.LockTasks(root.ID, child.ID)
					return err
				case 1:
					b.Tasks++
					return w.contact(tx, w.ann.ID, w.bob.ID, child.ID)
				default:
					b.Limit.Tokens++
					_, err := tx.LockTasks(child.ID)
					return err
				}
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	b := w.readBudget(root.ID)
	if b.Spent.Input != rounds || b.Tasks != 1+rounds || b.Limit.Tokens != 1+rounds {
		t.Errorf("something was lost: %+v", b)
	}
}

// daysAtOnce: the first two spenders of a day create one row.
func daysAtOnce(t *testing.T, open Open) {
	w := newWorld(t, open)
	atOnce(t, 8, func(int) error {
		return w.counted(func(tx *store.Tx) error {
			d, err := tx.LockToday(w.team.ID)
			d.Spent.Input++
			tx.UpdateDay(&d)
			return err
		})
	})
	w.view(func(tx *store.Tx) error {
		d, err := tx.Today(w.team.ID)
		if d.Spent.Input != 8 {
			t.Errorf("%d of 8", d.Spent.Input)
		}
		return err
	})
}
