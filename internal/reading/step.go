package reading

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"parley"
	"parley/internal/access"
	"parley/internal/step"
	"parley/internal/store"
)

// Step is a step of a turn.
type Step struct {
	step.Shown
	Agent  parley.AgentID
	Cursor string
}

// StepQuery says which steps to read.
type StepQuery struct {
	// Task is the task that they are of, with Tree also its descendants. Agent is whose
	// turns they are of, by name.
	Task  parley.TaskID
	Tree  bool
	Agent string
	// Cursor is where to go on: after it, or before it where pages go backwards.
	Cursor string
	Limit  int
	// Once ends with the last step that is stored.
	Once bool
}

// StepPage is a page of steps, oldest first.
type StepPage struct {
	Steps []Step
	// Next and Before are the cursors of the pages after and before; empty if there is
	// none.
	Next, Before string
	// Removed says that steps were removed that would belong here.
	Removed string
}

const removedSteps = "Steps were removed here, because they were older than the team keeps its messages (retention: in parley.yaml)."

// seesSteps reports whether the caller may read what the turns of a task did. Whoever has
// requested a task reads its result, not how it came about.
func (s *Service) seesSteps(c access.Caller, t parley.Task) bool {
	return t.Team == c.Team && (s.seesAll(c) || t.Agent == c.Agent)
}

// stepTask reads a task whose steps the caller may read.
func (s *Service) stepTask(ctx context.Context, c access.Caller, id parley.TaskID) (t parley.Task, err error) {
	err = s.store.View(ctx, func(tx *store.Tx) (err error) {
		t, err = tx.Task(id)
		return orMissing(err, s.seesSteps(c, t), id)
	})
	if err != nil {
		return t, err
	}
	return t, s.permitTask(ctx, c, t, "status")
}

// TaskSteps reads a page of a task's steps from the beginning on, or after a cursor.
func (s *Service) TaskSteps(ctx context.Context, c access.Caller, id parley.TaskID, q StepQuery) (p StepPage, err error) {
	t, err := s.stepTask(ctx, c, id)
	if err != nil {
		return p, err
	}
	turn, n := 0, 0
	if q.Cursor != "" {
		if _, err := fmt.Sscanf(q.Cursor, "%d.%d", &turn, &n); err != nil || fmt.Sprintf("%d.%d", turn, n) != q.Cursor {
			return p, parley.Errorf(parley.Invalid, "%q is not a place among the steps of a task.", parley.Clip(q.Cursor, 40)).
				WithHint("Give next of the page before as the cursor, or none to begin with the first step.")
		}
	}
	err = s.store.View(ctx, func(tx *store.Tx) error {
		p = StepPage{Removed: removedOf(t)}
		rows, err := tx.TaskSteps(id, turn, n, q.Limit+1)
		if err != nil {
			return err
		}
		more := len(rows) > q.Limit
		rows = rows[:min(len(rows), q.Limit)]
		shown, err := s.show(tx, rows)
		if err != nil {
			return err
		}
		last := 0
		for i, parts := range shown {
			if i > 0 && len(p.Steps)+len(parts) > q.Limit {
				more = true
				break
			}
			last, p.Steps = i, append(p.Steps, parts...)
		}
		if more {
			p.Next = fmt.Sprintf("%d.%d", rows[last].Turn, rows[last].N)
		}
		return nil
	})
	return p, err
}

func removedOf(t parley.Task) string {
	if t.Request == 0 && t.Turns > 0 {
		return removedSteps
	}
	return ""
}

// Steps reads the newest steps before a cursor.
func (s *Service) Steps(ctx context.Context, c access.Caller, q StepQuery) (p StepPage, err error) {
	f, err := s.stepFilter(ctx, c, q)
	if err != nil {
		return p, err
	}
	before, err := store.ParseStepCursor(q.Cursor)
	if err != nil {
		return p, err
	}
	err = s.store.View(ctx, func(tx *store.Tx) error {
		p = StepPage{}
		rows, err := tx.StepsBefore(f, before.At(0), q.Limit+1)
		if err != nil {
			return err
		}
		more := len(rows) > q.Limit
		rows = rows[max(0, len(rows)-q.Limit):]
		shown, err := s.show(tx, rows)
		if err != nil {
			return err
		}
		first := len(shown)
		for n := 0; first > 0; first-- { // whole rows, as many as fit, and at least one
			if n += len(shown[first-1]); n > q.Limit && first < len(shown) {
				break
			}
		}
		for _, parts := range shown[first:] {
			p.Steps = append(p.Steps, parts...)
		}
		if more || first > 0 {
			p.Before = rows[first].Cursor.String()
			return nil
		}
		p.Removed, err = s.removed(tx, f)
		return err
	})
	return p, err
}

// removed says whether steps that a filter picks were removed.
func (s *Service) removed(tx *store.Tx, f store.StepFilter) (string, error) {
	if f.Task != 0 && !f.Tree { // its tree may be large
		t, err := tx.Task(f.Task)
		return removedOf(t), err
	}
	if f.Task != 0 {
		tasks, err := tx.Subtree(f.Task)
		for _, t := range tasks {
			if (f.Sees == 0 || t.Agent == f.Sees) && removedOf(t) != "" {
				return removedSteps, err
			}
		}
		return "", err
	}
	gone, err := tx.StepsRemoved(f.Team)
	if gone {
		return removedSteps, err
	}
	return "", err
}

// stepFilter checks a request and turns it into a filter.
func (s *Service) stepFilter(ctx context.Context, c access.Caller, q StepQuery) (f store.StepFilter, err error) {
	f = store.StepFilter{Team: c.Team, Task: q.Task, Tree: q.Tree}
	if !s.seesAll(c) {
		f.Sees = c.Agent
	}
	if q.Task != 0 {
		if _, err := s.stepTask(ctx, c, q.Task); err != nil {
			return f, err
		}
	}
	if q.Agent == "" {
		return f, nil
	}
	err = s.store.View(ctx, func(tx *store.Tx) error {
		a, err := tx.AgentByName(c.Team, q.Agent) // even one that is gone from the files
		if errors.Is(err, store.ErrNotFound) {
			_, err = s.dir.Find(c.Team, q.Agent)
		}
		f.Agent = a.ID
		return err
	})
	return f, err
}

// show turns rows into what people read: for each row its steps. Rows of a task are in
// their order, and what comes before the first is read with them.
func (s *Service) show(tx *store.Tx, rows []store.StepRow) ([][]Step, error) {
	readers := map[parley.TaskID]*step.Reader{}
	var firsts []parley.Step
	for _, r := range rows {
		if readers[r.Task] == nil {
			readers[r.Task] = &step.Reader{}
			if r.N > 1 {
				firsts = append(firsts, r.Step)
			}
		}
	}
	earlier, err := tx.StepsLeadingTo(firsts)
	if err != nil {
		return nil, err
	}
	for id, list := range earlier {
		for _, e := range list {
			readers[id].Read(e)
		}
	}
	out := make([][]Step, len(rows))
	for i, r := range rows {
		parts := readers[r.Task].Read(r.Step)
		for k, shown := range parts {
			if err := s.quote(tx, &shown); err != nil {
				return nil, err
			}
			at := r.Cursor.At(k + 1)
			if k == len(parts)-1 {
				at = r.Cursor
			}
			out[i] = append(out[i], Step{Shown: shown, Agent: r.Agent, Cursor: at.String()})
		}
	}
	return out, nil
}

// quote adds the messages that a step was shown.
func (s *Service) quote(tx *store.Tx, shown *step.Shown) error {
	var lines []string
	for _, id := range shown.Messages {
		m, err := tx.Message(id)
		if errors.Is(err, store.ErrNotFound) {
			continue // it was removed
		}
		if err != nil {
			return err
		}
		name, err := s.nameIn(tx, m.Author)
		if err != nil {
			return err
		}
		lines = append(lines, name+": "+m.Body)
	}
	if len(lines) > 0 {
		shown.Line += ": " + parley.Clip(strings.Join(lines, " · "), 120)
		shown.Text = strings.TrimSpace(shown.Text + "\n" + strings.Join(lines, "\n"))
	}
	return nil
}
