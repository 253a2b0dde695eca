package reading_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"parley"
	"parley/internal/reading"
	"parley/internal/store"
)

// step stores a reply of a task with a call.
func (w *team) step(task parley.TaskID, n int, text string) {
	w.t.Helper()
	err := w.store.Update(context.Background(), func(tx *store.Tx) error {
		tx.InsertStep(parley.Step{Task: task, Turn: 1, N: n, Kind: parley.StepReply,
			Content: fmt.Appendf(nil, `{"text": %q, "usage": {"input": 1, "output": 1}, "calls": [{"id": "c", "name": "shell", "args": {"command": "true"}}]}`, text)})
		return nil
	})
	if err != nil {
		w.t.Error(err)
	}
}

// People read the steps of their team, an agent those of its own turns. Whoever asked for a
// task, and who is of another team, is told what is told of a task that does not exist.
func TestWhoSeesSteps(t *testing.T) {
	w := newTeam(t)
	task := w.delegate("Other", "Joiner", "Find a rhyme.").Task.ID
	w.step(task, 1, "Rhyme.")
	_, none := w.read.TaskSteps(t.Context(), w.as("Ada"), task+100, reading.StepQuery{Limit: 10})
	for who, sees := range map[string]bool{"Ada": true, "Bob": true, "Joiner": true, "Other": false} {
		c := w.as(who)
		p, err := w.read.TaskSteps(t.Context(), c, task, reading.StepQuery{Limit: 10})
		if sees != (err == nil && len(p.Steps) == 2) {
			t.Errorf("%s: %+v, %v", who, p, err)
		}
		want := strings.ReplaceAll(fmt.Sprint(none), (task + 100).String(), task.String())
		if !sees && fmt.Sprint(err) != want {
			t.Errorf("%s is told %v instead of %s", who, err, want)
		}
		all, err := w.read.Steps(t.Context(), c, reading.StepQuery{Limit: 10})
		if err != nil || sees != (len(all.Steps) == 2) {
			t.Errorf("%s: %+v, %v", who, all, err)
		}
		err = w.read.FollowSteps(t.Context(), c, reading.StepQuery{Once: true}, func(reading.Step) error { return errEnough }, func(string) error { return nil })
		if sees != (err == errEnough) {
			t.Errorf("%s follows: %v", who, err)
		}
		stranger := c
		stranger.Team++
		if _, err := w.read.TaskSteps(t.Context(), stranger, task, reading.StepQuery{Limit: 10}); fmt.Sprint(err) != want {
			t.Errorf("%s of another team: %v", who, err)
		}
	}
}

// A place that the hub never gave out is refused, with how to find one.
func TestAPlaceAmongStepsThatIsNone(t *testing.T) {
	w := newTeam(t)
	task := w.delegate("Ada", "Joiner", "Find a rhyme.").Task.ID
	_, one := w.read.TaskSteps(t.Context(), w.as("Ada"), task, reading.StepQuery{Cursor: "x", Limit: 10})
	_, all := w.read.Steps(t.Context(), w.as("Ada"), reading.StepQuery{Cursor: "x", Limit: 10})
	for _, err := range []error{one, all} {
		if parley.KindOf(err) != parley.Invalid || !strings.Contains(err.Error(), "to begin with the first step.") {
			t.Errorf("refused with %v", err)
		}
	}
}

// Many follow at once, the whole team, an agent or a tree, while steps are stored by many.
// Nobody misses one or gets one twice.
func TestWhoFollowsStepsMissesNone(t *testing.T) {
	onEachStore(t, func(t *testing.T, w *team) {
		root := w.delegate("Ada", "Joiner", "One.").Task.ID
		other := w.delegate("Ada", "Other", "Two.").Task.ID
		const steps = 60
		queries := []reading.StepQuery{{}, {Agent: "Joiner"}, {Task: root, Tree: true}, {Task: other}}
		wants := []int{2 * steps, steps, steps, steps}
		var following, begun sync.WaitGroup
		begun.Add(len(queries))
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		for i, q := range queries {
			following.Go(func() {
				seen, ready := map[string]int{}, sync.OnceFunc(begun.Done)
				defer ready()
				err := w.read.FollowSteps(ctx, w.as("Bob"), q, func(s reading.Step) error {
					seen[s.ID()]++
					if len(seen) == 2*wants[i] { // each reply has a call
						return errEnough
					}
					return nil
				}, func(string) error { ready(); return nil })
				if err != errEnough {
					t.Errorf("%+v: %d steps, %v", q, len(seen), err)
				}
				for id, n := range seen {
					if n != 1 {
						t.Errorf("%+v: %s came %d times", q, id, n)
					}
				}
			})
		}
		begun.Wait()
		var storing sync.WaitGroup
		for _, id := range []parley.TaskID{root, other} {
			storing.Go(func() {
				for n := range steps {
					w.step(id, n+1, "Hm.")
				}
			})
		}
		storing.Wait()
		following.Wait()
	})
}

// Steps that were too old are said to be removed.
func TestRemovedStepsAreSaidToBe(t *testing.T) {
	w := newTeam(t)
	made := w.delegate("Ada", "Joiner", "Find a rhyme.")
	w.step(made.Task.ID, 1, "Rhyme.")
	err := w.store.Update(t.Context(), func(tx *store.Tx) error {
		task, err := tx.Task(made.Task.ID)
		task.State, task.EndedAt, task.Turns = parley.Completed, tx.Now, 1
		tx.UpdateTask(&task)
		tx.MarkSeen(made.Message, task.Agent)
		tx.RemoveMessages([]parley.MessageID{made.Message})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, read := range map[string]func() (reading.StepPage, error){
		"the task": func() (reading.StepPage, error) {
			return w.read.TaskSteps(t.Context(), w.as("Ada"), made.Task.ID, reading.StepQuery{Limit: 10})
		},
		"its tree": func() (reading.StepPage, error) {
			return w.read.Steps(t.Context(), w.as("Ada"), reading.StepQuery{Task: made.Task.ID, Tree: true, Limit: 10})
		},
		"the team": func() (reading.StepPage, error) {
			return w.read.Steps(t.Context(), w.as("Ada"), reading.StepQuery{Limit: 10})
		},
	} {
		if p, err := read(); err != nil || len(p.Steps) != 0 || !strings.Contains(p.Removed, "removed") {
			t.Errorf("%s: %+v, %v", name, p, err)
		}
	}
}
