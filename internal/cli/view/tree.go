package view

import (
	"parley"
	"parley/api"
)

// Tree draws tasks with everything below them. Each task has one line, and another
// one if there is something to explain, such as an error.
func (s Screen) Tree(roots []api.TaskTree) string { return s.trees(roots, "") }

// Subtree draws what is below a task.
func (s Screen) Subtree(t api.TaskTree) string { return s.trees(t.Children, t.Agent) }

func (s Screen) trees(tops []api.TaskTree, parent string) string {
	d := treeDrawing{Screen: s, step: s.indent(depth(tops))}
	for _, top := range tops {
		d.draw(top, "", "", parent)
	}
	return table{elastic: 1, least: d.leastTitle(), rows: d.rows}.text(s)
}

// treeDrawing collects the rows from top to bottom.
type treeDrawing struct {
	Screen
	step int // columns for each level
	rows [][]cell
}

// draw adds a task. trunk is drawn before it and below before its children. parent
// is the agent of the task above.
func (d *treeDrawing) draw(t api.TaskTree, trunk, below, parent string) {
	g := signOf(t.State)
	d.rows = append(d.rows, d.row(
		cell{trunk: trunk, sign: d.glyph(g.unicode, g.ascii) + " ", signColor: g.color, text: d.who(t.Task, parent)},
		cell{text: title(t.Task)},
		cell{text: t.State, color: g.color},
		cell{text: Duration(d.Elapsed(t.Task)), color: Dim, right: true},
	))
	if note := d.note(t.Task); note != "" {
		stem := "  "
		if len(t.Children) > 0 {
			stem = pad(d.glyph("│", "|"), 2)
		}
		d.rows = append(d.rows, []cell{{trunk: d.shorten(below) + stem, text: note, color: g.color}})
	}
	for i, child := range t.Children {
		branch, further := d.glyph("├", "|"), d.glyph("│", "|")
		if i == len(t.Children)-1 {
			branch, further = d.glyph("└", "`"), " "
		}
		d.draw(child, d.shorten(below+d.branch(branch)), below+pad(further, d.step), t.Agent)
	}
}

// row leaves out what does not fit on a narrow screen: first the word for the
// state, which the sign shows too, then the time.
func (d *treeDrawing) row(who, title, state, elapsed cell) []cell {
	switch {
	case d.Width > 0 && d.Width < 50:
		return []cell{who, title}
	case d.Width > 0 && d.Width < 64:
		return []cell{who, title, elapsed}
	}
	return []cell{who, title, state, elapsed}
}

func (d *treeDrawing) leastTitle() int {
	if d.Width > 0 && d.Width < 50 {
		return 6
	}
	return 12
}

// who names the task and its agent. It also names the requester if that is not the
// agent of the task above, as for a root.
func (d *treeDrawing) who(t api.Task, parent string) string {
	name := t.Agent
	if t.Requester != parent {
		name = t.Requester + " " + d.Arrow() + " " + t.Agent
	}
	room := 0
	if d.Width > 0 {
		room = max(8, d.Width/3)
	}
	return t.ID + " " + d.fit(name, room)
}

func title(t api.Task) string {
	text := Line(t.Title)
	if t.Resumes != "" {
		return "resumes " + t.Resumes + ": " + text
	}
	if t.RetryOf != "" {
		return "retry of " + t.RetryOf + ": " + text
	}
	if t.Cause != "" {
		return t.Pattern + " by " + t.Cause + ": " + text
	}
	return t.Pattern + ": " + text
}

// note explains a state that is not clear by itself.
func (d *treeDrawing) note(t api.Task) string {
	switch {
	case t.Error != "":
		return Line(t.Error)
	case t.WaitsFor != "":
		return WaitsFor(t)
	case t.State == parley.Queued.String() && t.Due != nil && t.Due.After(d.Now):
		return "starts " + d.When(*t.Due)
	}
	return ""
}

func (d *treeDrawing) branch(sign string) string {
	line := d.glyph("─", "-")
	switch d.step {
	case 1:
		return sign
	case 2:
		return sign + line
	}
	return sign + line + " "
}

// shorten keeps only the end of a trunk that would fill the screen.
func (d *treeDrawing) shorten(trunk string) string {
	room := d.Width / 3
	if r := []rune(trunk); d.Width > 0 && len(r) > room {
		return d.glyph("…", ".") + string(r[len(r)-room+1:])
	}
	return trunk
}

// indent is how many columns each level gets. A deep tree gets fewer, to leave room
// for the text.
func (s Screen) indent(depth int) int {
	for step := 3; step > 1; step-- {
		if s.Width == 0 || depth*step <= s.Width/4 {
			return step
		}
	}
	return 1
}

func depth(trees []api.TaskTree) int {
	deepest := 0
	for _, t := range trees {
		deepest = max(deepest, 1+depth(t.Children))
	}
	return deepest
}
