package storetest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"parley"
	"parley/internal/store"
)

// stepsOutOfOrder has writers that store steps while the clock stands still, the later
// ones to tasks with lower numbers, and where transactions run side by side commit them in
// another order than they began. A reader follows and looks again after each commit.
func stepsOutOfOrder(t *testing.T, open Open) {
	w := newWorldAt(t, open, newClock().now)
	const rounds, writers = 3, 16
	var tasks []parley.TaskID
	for range writers {
		tasks = append(tasks, w.task(parley.Task{Agent: w.bob.ID, State: parley.Running}).ID)
	}
	f := &stepFollower{w: w, seen: map[string]int{}}
	for round := range rounds {
		if w.Shared() {
			w.stepsInDisorder(f, tasks, round+1)
			continue
		}
		for i := len(tasks) - 1; i >= 0; i-- {
			w.update(func(tx *store.Tx) error { tx.InsertStep(stepOf(tasks[i], round+1)); return nil })
			f.read()
		}
	}
	w.awaitSteps(rounds * writers)
	f.read()
	if len(f.seen) != rounds*writers {
		t.Errorf("the reader saw %d of %d steps", len(f.seen), rounds*writers)
	}
	for id, n := range f.seen {
		if n != 1 {
			t.Errorf("step %s was seen %d times", id, n)
		}
	}
}

func stepOf(task parley.TaskID, n int) parley.Step {
	return parley.Step{Task: task, Turn: 1, N: n, Kind: parley.StepReply, Content: []byte(`{"text": "Hm."}`)}
}

// stepsInDisorder opens all transactions, lets each send its step, and commits them one by
// one in random order.
func (w *world) stepsInDisorder(f *stepFollower, tasks []parley.TaskID, n int) {
	var sent, committed sync.WaitGroup
	gates, ended := make([]chan struct{}, len(tasks)), make([]chan struct{}, len(tasks))
	sent.Add(len(tasks))
	for i, id := range tasks {
		gates[i], ended[i] = make(chan struct{}), make(chan struct{})
		committed.Go(func() {
			defer close(ended[i])
			err := w.Update(context.Background(), func(tx *store.Tx) error {
				tx.InsertStep(stepOf(id, n))
				_, err := tx.Agent(w.ann.ID) // sends it
				sent.Done()
				<-gates[i]
				return err
			})
			if err != nil {
				w.t.Error(err)
			}
		})
	}
	sent.Wait()
	for _, i := range rand.Perm(len(tasks)) {
		close(gates[i])
		<-ended[i]
		f.read()
	}
	committed.Wait()
}

// stepFollower continues reading where it stopped, a few at a time.
type stepFollower struct {
	w      *world
	cursor store.StepCursor
	seen   map[string]int
}

func (f *stepFollower) read() {
	for more := true; more; {
		err := f.w.View(context.Background(), func(tx *store.Tx) error {
			list, err := tx.StepsAfter(store.StepFilter{Team: f.w.team.ID}, f.cursor, 5)
			for _, s := range list {
				f.seen[fmt.Sprint(s.Task, s.Turn, s.N)]++
				f.cursor = s.Cursor
			}
			more = len(list) == 5
			return err
		})
		if err != nil {
			f.w.t.Error(err)
			return
		}
	}
}

// awaitSteps waits until so many steps of the team can be read, as awaitEvents does.
func (w *world) awaitSteps(n int) {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(time.Minute)
	for there := 0; there < n; {
		w.view(func(tx *store.Tx) error {
			list, err := tx.StepsAfter(store.StepFilter{Team: w.team.ID}, store.StepCursor{}, n)
			there = len(list)
			return err
		})
		select {
		case <-tick.C:
		case <-deadline:
			w.t.Fatalf("%d of %d steps can be read", there, n)
		}
	}
}

// stepFilters reads the steps of a team, an agent, a task and a tree, forwards and
// backwards.
func stepFilters(t *testing.T, open Open) {
	w := newWorld(t, open)
	root := w.task(parley.Task{Agent: w.bob.ID, State: parley.Running})
	child := w.task(parley.Task{Agent: w.ann.ID, Parent: root.ID, Root: root.ID, State: parley.Running})
	other := w.task(parley.Task{Agent: w.bob.ID})
	foreign := w.task(parley.Task{Agent: w.bob.ID, Team: w.team.ID + 1})
	for _, id := range []parley.TaskID{root.ID, child.ID, other.ID, foreign.ID, root.ID} {
		w.update(func(tx *store.Tx) error {
			steps, err := tx.Steps(id)
			tx.InsertStep(stepOf(id, len(steps)+1))
			return err
		})
	}
	w.awaitSteps(4)
	team := store.StepFilter{Team: w.team.ID}
	name := map[parley.TaskID]string{root.ID: "root", child.ID: "child", other.ID: "other", foreign.ID: "foreign"}
	for _, c := range []struct {
		filter store.StepFilter
		want   string
	}{
		{team, "root1 child1 other1 root2 "},
		{store.StepFilter{Team: w.team.ID, Agent: w.ann.ID}, "child1 "},
		{store.StepFilter{Team: w.team.ID, Sees: w.bob.ID}, "root1 other1 root2 "},
		{store.StepFilter{Team: w.team.ID, Task: root.ID}, "root1 root2 "},
		{store.StepFilter{Team: w.team.ID, Task: root.ID, Tree: true}, "root1 child1 root2 "},
		{store.StepFilter{Team: w.team.ID, Task: foreign.ID}, ""},
	} {
		w.view(func(tx *store.Tx) error {
			after, err := tx.StepsAfter(c.filter, store.StepCursor{}, 10)
			if err != nil {
				return err
			}
			before, err := tx.StepsBefore(c.filter, store.StepCursor{}, 10)
			for _, list := range [][]store.StepRow{after, before} {
				got := ""
				for _, s := range list {
					got += fmt.Sprint(name[s.Task], s.N, " ")
				}
				if got != c.want {
					t.Errorf("%+v: %q, want %q", c.filter, got, c.want)
				}
			}
			return err
		})
	}
	w.view(func(tx *store.Tx) error {
		all, err := tx.StepsAfter(team, store.StepCursor{}, 10)
		if err != nil {
			return err
		}
		if len(all) != 4 {
			t.Fatalf("%d steps", len(all))
		}
		older, err := tx.StepsBefore(team, all[2].Cursor, 1)
		if len(older) != 1 || older[0].Task != child.ID {
			t.Errorf("before the third: %+v", older)
		}
		again, err2 := tx.StepsAfter(team, all[3].Cursor.At(1), 10)
		if len(again) != 1 || again[0].Task != root.ID || again[0].N != 2 {
			t.Errorf("within the last row: %+v", again)
		}
		cursor, err3 := store.ParseStepCursor(all[1].Cursor.At(2).String())
		if !cursor.SameRow(all[1].Cursor) || cursor.Part != 2 || !all[0].Cursor.RowBefore(cursor) {
			t.Errorf("a cursor is read as %v", cursor)
		}
		_, bad := store.ParseStepCursor("1.2.3")
		if parley.KindOf(bad) != parley.Invalid {
			t.Errorf("a broken cursor: %v", bad)
		}
		return errors.Join(err, err2, err3)
	})
}

// stepsWithTheirCalls reads what leads to a row: the last reply of its turn, and what came
// after it.
func stepsWithTheirCalls(t *testing.T, open Open) {
	w := newWorld(t, open)
	task := w.task(parley.Task{State: parley.Running})
	kinds := []parley.StepKind{parley.StepReply, parley.StepResult, parley.StepReply, parley.StepCall, parley.StepResult}
	for turn := 1; turn <= 2; turn++ {
		w.update(func(tx *store.Tx) error {
			for i, kind := range kinds {
				tx.InsertStep(parley.Step{Task: task.ID, Turn: turn, N: i + 1, Kind: kind, Content: []byte(`{}`)})
			}
			return nil
		})
	}
	w.view(func(tx *store.Tx) error {
		of, err := tx.StepsLeadingTo([]parley.Step{{Task: task.ID, Turn: 1, N: 5}})
		if err != nil {
			return err
		}
		if got := places(of[task.ID]); got != "1/3 1/4 " {
			t.Errorf("the fifth is read with %s", got)
		}
		newest, err := tx.NewestSteps([]parley.TaskID{task.ID, task.ID + 1})
		if got := places(newest[task.ID]); got != "2/3 2/4 2/5 " || len(newest) != 1 {
			t.Errorf("the newest are %s", got)
		}
		rest, err2 := tx.TaskSteps(task.ID, 1, 4, 3)
		got := ""
		for _, s := range rest {
			got += fmt.Sprintf("%d/%d ", s.Turn, s.N)
		}
		if got != "1/5 2/1 2/2 " {
			t.Errorf("the page is %s", got)
		}
		return errors.Join(err, err2)
	})
}

func places(list []parley.Step) (text string) {
	for _, s := range list {
		text += fmt.Sprintf("%d/%d ", s.Turn, s.N)
	}
	return text
}
