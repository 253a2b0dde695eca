package page

import (
	"slices"
	"strings"

	"parley"
	"parley/internal/change"
)

// DiffView is what a task changed in files.
type DiffView struct {
	Task  parley.Task
	Only  bool
	Notes []string
	Cut   bool
	Files []FileDiff
	Below bool // the task has others below it
}

func (d DiffView) Titled() (title, here string) {
	return "What " + d.Task.ID.String() + " changed", "/tasks"
}

// FileDiff is what was changed in one file.
type FileDiff struct {
	change.FileDiff
	Lines        []DiffLine
	Added, Taken int
	Left         int // lines that are left out
}

// DiffLine is a line of a diff. Kind is add, del, at (where a piece begins) or empty.
type DiffLine struct{ Kind, Text string }

// diffLines is how many lines of one file the page shows.
const diffLines = 2000

func (v *visit) diff() (d DiffView, err error) {
	id, err := v.taskID()
	if err != nil {
		return d, err
	}
	t, err := v.Reading.Task(v.ctx, v.Caller, id)
	if err != nil {
		return d, err
	}
	d.Task, d.Only = t.Task, v.r.FormValue("only") != ""
	all, err := v.Changes.Diff(v.ctx, v.Caller, id, d.Only)
	if err != nil {
		return d, err
	}
	d.Notes, d.Cut = all.Notes, all.Cut
	for _, f := range all.Files {
		d.Files = append(d.Files, fileDiff(f))
	}
	return d, nil
}

func fileDiff(f change.FileDiff) FileDiff {
	out := FileDiff{FileDiff: f}
	out.Added, out.Taken = countLines(f.Text)
	lines := strings.Split(strings.TrimSuffix(f.Text, "\n"), "\n")
	if f.Text == "" {
		lines = nil
	}
	if len(lines) > diffLines {
		out.Left, lines = len(lines)-diffLines, lines[:diffLines]
	}
	within := false
	for _, line := range lines {
		one := DiffLine{Text: line}
		switch {
		case strings.HasPrefix(line, "@@"):
			one.Kind, within = "at", true
		case !within:
			if strings.HasPrefix(line, "diff --git ") || strings.HasPrefix(line, "--- ") || strings.HasPrefix(line, "+++ ") {
				continue // the heading says it
			}
			one.Kind = "at"
		case strings.HasPrefix(line, "+"):
			one.Kind = "add"
		case strings.HasPrefix(line, "-"):
			one.Kind = "del"
		}
		out.Lines = append(out.Lines, one)
	}
	return out
}

// countLines counts the lines that a diff adds and takes away.
func countLines(diff string) (added, taken int) {
	within := false
	for line := range strings.Lines(diff) {
		switch {
		case strings.HasPrefix(line, "@@"):
			within = true
		case !within:
		case line[0] == '+':
			added++
		case line[0] == '-':
			taken++
		}
	}
	return added, taken
}

// UndoView asks whether to take back what a task changed.
type UndoView struct {
	Task    parley.Task
	Plan    change.Undone
	Problem string // why nothing can be taken back
	Hint    string
	// Commands says that what commands changed is taken back too, Ask that there is such.
	Commands, Ask bool
}

func (u UndoView) Titled() (title, here string) { return "Undo " + u.Task.ID.String(), "/tasks" }

func (v *visit) undoing() (u UndoView, err error) {
	id, err := v.taskID()
	if err != nil {
		return u, err
	}
	t, err := v.Reading.Task(v.ctx, v.Caller, id)
	if err != nil {
		return u, err
	}
	u.Task, u.Commands = t.Task, v.r.FormValue("commands") != ""
	u.Plan, err = v.Changes.Plan(v.ctx, v.Caller, id, change.Options{Commands: u.Commands})
	u.Ask = slices.ContainsFunc(u.Plan.Refused, func(r change.Refusal) bool { return r.Command })
	if kind := parley.KindOf(err); kind == parley.Conflict || kind == parley.Denied {
		p := v.problem(v.r, err)
		u.Problem, u.Hint, err = p.Error, p.Hint, nil
	}
	return u, err
}

func (v *visit) undo() (Done, error) {
	id, err := v.taskID()
	if err != nil {
		return Done{}, err
	}
	u, err := v.Changes.Undo(v.ctx, v.Caller, id, change.Options{Partial: v.r.PostFormValue("partial") != "", Commands: v.r.PostFormValue("commands") != ""})
	if err != nil {
		return Done{}, err
	}
	said := "Took back " + plural(len(u.Files), "file", "files") + " of " + id.String() + "."
	switch {
	case len(u.Files) == 0:
		said = "There was nothing left to take back."
	case len(u.Refused) > 0:
		said += " " + plural(len(u.Refused), "path", "paths") + " stayed as they are."
	}
	return Done{Go: "/tasks/" + id.String(), Said: said}, nil
}
