package page

import (
	"slices"

	"parley"
	"parley/internal/reading"
)

// TaskView is the page of a task.
type TaskView struct {
	reading.Task
	Mark      Mark
	Now       string
	Since     parley.Micros
	Requester Who
	Worker    Who
	Tree      Tree
	Root      parley.Task
	Below     int // open tasks below this one
	OpenTree  int // open tasks of the whole tree
	Spent     reading.Spending
	Share     int // of the budget, in per cent
	Request   string
	Steps     Steps
	Seq       Sequence
	Files     []ChangedFile
	Changed   bool // something can be taken back
	Depends   []parley.Task
	ResumedBy parley.TaskID
}

func (t TaskView) Titled() (title, here string) { return t.ID.String(), "/tasks" }

// Asked says who wants what of whom.
func (t TaskView) Asked() string {
	switch t.Pattern {
	case parley.Ask:
		return "asked"
	case parley.Mention:
		return "mentioned"
	case parley.QuestionPattern:
		return "put a question to"
	case parley.AnswerPattern:
		return "answered"
	}
	return "delegated to"
}

// Ended reports whether nothing of the task goes on.
func (t TaskView) Ended() bool { return !t.State.Open() && t.Below == 0 }

// May say which actions apply.
func (t TaskView) MayRetry() bool {
	return (t.State == parley.TaskFailed || t.State == parley.Cancelled) && t.Task.Request != 0 && t.Pattern != parley.QuestionPattern && t.Pattern != parley.AnswerPattern
}

func (t TaskView) MayResume() bool {
	return t.MayRetry() && t.State == parley.TaskFailed && t.ResumedBy == 0 && t.Turns > 0
}

// taskRows is how many rows of a tree are shown at once.
const taskRows = 200

func (d *Door) registerTasks() {
	d.show("/tasks", "tasks", func(v *visit) (any, error) { return v.tasks() })
	d.show("/tasks/{id}", "task", func(v *visit) (any, error) { return v.task() })
	d.show("/tasks/{id}/steps/{step}", "step", func(v *visit) (any, error) { return v.wholeStep() })
	d.show("/tasks/{id}/diff", "diff", func(v *visit) (any, error) { return v.diff() })
	d.show("/tasks/{id}/undo", "undo", func(v *visit) (any, error) { return v.undoing() })
	d.act("/tasks/{id}/undo", (*visit).undo)
	d.act("/tasks/{id}/cancel", (*visit).cancelTask)
	d.act("/tasks/{id}/retry", (*visit).retryTask)
	d.act("/tasks/{id}/resume", (*visit).resumeTask)
	d.act("/tasks/{id}/budget", (*visit).addBudget)
}

func (v *visit) taskID() (parley.TaskID, error) { return parley.ParseTaskID(v.r.PathValue("id")) }

func (v *visit) task() (t TaskView, err error) {
	id, err := v.taskID()
	if err != nil {
		return t, err
	}
	if t.Task, err = v.Reading.Task(v.ctx, v.Caller, id); err != nil {
		return t, err
	}
	t.Requester, t.Worker = v.whois(t.Task.Requester), v.whois(t.Agent)
	list, err := v.Reading.Tree(v.ctx, v.Caller, t.Task.Root)
	if err != nil {
		return t, err
	}
	t.Root = list[0]
	mine := subtree(list, id)
	t.Below, t.OpenTree = countOpen(mine[1:]), countOpen(list)
	for _, fill := range []func(*TaskView, []parley.Task, []parley.Task) error{v.fillHead, v.fillTaskTree, v.fillSpent, v.fillSteps, v.fillSequence, v.fillFiles} {
		if err := fill(&t, list, mine); err != nil {
			return t, err
		}
	}
	return t, nil
}

func countOpen(list []parley.Task) (n int) {
	for _, t := range list {
		if t.State.Open() {
			n++
		}
	}
	return n
}

// subtree is a task of a tree with what is below it, parents before children.
func subtree(list []parley.Task, top parley.TaskID) (out []parley.Task) {
	in := map[parley.TaskID]bool{}
	for _, t := range list {
		if t.ID == top || in[t.Parent] {
			in[t.ID] = true
			out = append(out, t)
		}
	}
	return out
}

func (v *visit) fillHead(t *TaskView, _, mine []parley.Task) error {
	doing, err := v.Reading.Doing(v.ctx, v.Caller, mine[:1])
	if err != nil {
		return err
	}
	asks, err := v.asksOf(mine[:1])
	if err != nil {
		return err
	}
	row := v.row(mine[0], doing[t.ID].Line, asks[t.ID])
	t.Mark, t.Now, t.Since = row.Mark, row.Now, doing[t.ID].Since
	if t.State == parley.TaskFailed {
		if t.ResumedBy, err = v.Reading.ResumedBy(v.ctx, v.Caller, t.ID); err != nil {
			return err
		}
	}
	if t.Depends, err = v.Reading.Dependencies(v.ctx, v.Caller, t.ID); err != nil || t.Task.Request == 0 || !v.wants("task-asked") {
		return err
	}
	m, err := v.Reading.Message(v.ctx, v.Caller, t.Task.Request)
	if t.Request = m.Whole; t.Request == "" {
		t.Request = m.Body
	}
	if parley.KindOf(err) == parley.NotFound {
		err = nil // it was removed
	}
	return err
}

func (v *visit) fillTaskTree(t *TaskView, list, _ []parley.Task) (err error) {
	if !v.wants("task-tree", "task-lanes") {
		return nil
	}
	t.Tree, err = v.tree(list, rows{current: t.ID, from: v.rowOf("row", -1), most: taskRows, openOnly: v.r.FormValue("show") == "open"})
	return err
}

func (v *visit) fillSpent(t *TaskView, _, _ []parley.Task) (err error) {
	if !v.wants("task-cost", "task-head") {
		return nil
	}
	if t.Spent, err = v.Reading.Spent(v.ctx, v.Caller, t.ID); err == nil && t.Spent.Limit.Money > 0 {
		t.Share = int(min(100, 100*t.Spent.Spent.Money/t.Spent.Limit.Money))
	}
	return err
}

// ChangedFile is a file that a task has changed.
type ChangedFile struct {
	Path, What   string
	Added, Taken int
	Undone       bool
	Doubt        string
	Tasks        []parley.TaskID
}

// fillFiles lists what was changed. In a large tree nobody looks for it at once.
func (v *visit) fillFiles(t *TaskView, _, mine []parley.Task) error {
	if !v.wants("task-files", "task-head") || len(mine) > taskRows {
		return nil
	}
	d, err := v.Changes.Diff(v.ctx, v.Caller, t.ID, false)
	if err != nil {
		return err
	}
	for _, f := range d.Files {
		one := ChangedFile{Path: f.Path, What: f.What, Undone: f.Undone, Doubt: f.Doubt, Tasks: f.Tasks}
		one.Added, one.Taken = countLines(f.Text)
		t.Files = append(t.Files, one)
	}
	t.Changed = slices.ContainsFunc(t.Files, func(f ChangedFile) bool { return !f.Undone })
	return nil
}
