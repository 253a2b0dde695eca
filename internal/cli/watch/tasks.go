package watch

import (
	"cmp"
	"slices"
	"strings"

	"parley"
	"parley/api"
	"parley/internal/cli/view"
)

// taskRow is a task in the order in which the tree is drawn.
type taskRow struct {
	api.Task
	trunk string // one letter a level: | for a line that goes on, space for none, + and ` for a branch
}

// treeRows lays out tasks as trees: the newest tree first, and below a task the
// oldest child first. A task whose parent is not in the list begins a tree.
func treeRows(tasks []api.Task) []taskRow {
	known := map[string]bool{}
	for _, t := range tasks {
		known[t.ID] = true
	}
	children := map[string][]api.Task{}
	for _, t := range tasks {
		parent := t.Parent
		if !known[parent] || parent == t.ID {
			parent = ""
		}
		children[parent] = append(children[parent], t)
	}
	roots := children[""]
	slices.SortStableFunc(roots, func(a, b api.Task) int {
		return cmp.Or(cmp.Compare(ended(a), ended(b)), b.Created.Compare(a.Created))
	})
	l := layout{children: children, drawn: map[string]bool{}}
	for _, t := range slices.Concat(roots, tasks) { // the second for those in a circle
		l.add(t, "", "")
	}
	return l.rows
}

func ended(t api.Task) int {
	if view.Ended(t) {
		return 1
	}
	return 0
}

// layout draws each task once, whatever the list says about parents.
type layout struct {
	children map[string][]api.Task
	drawn    map[string]bool
	rows     []taskRow
}

func (l *layout) add(t api.Task, trunk, below string) {
	if l.drawn[t.ID] {
		return
	}
	l.drawn[t.ID] = true
	l.rows = append(l.rows, taskRow{t, trunk})
	list := l.children[t.ID]
	slices.SortStableFunc(list, func(a, b api.Task) int { return a.Created.Compare(b.Created) })
	for i, child := range list {
		if i == len(list)-1 {
			l.add(child, below+"`", below+" ")
		} else {
			l.add(child, below+"+", below+"|")
		}
	}
}

// drawTasks draws the tree, a line for each task.
func (s State) drawTasks(w, h int) []string {
	at := slices.IndexFunc(s.tasks, func(t taskRow) bool { return t.ID == s.at[taskPane] })
	from := window(max(0, at), len(s.tasks), h)
	var rows []string
	for i := from; i < min(len(s.tasks), from+h); i++ {
		rows = append(rows, s.taskRow(s.tasks[i], w, i == at))
	}
	if len(s.tasks) == 0 && s.began {
		rows = append(rows, s.row(w, []span{{" No task yet. Press @ to hand work to somebody.", dim}}))
	}
	return rows
}

func (s State) taskRow(t taskRow, w int, here bool) string {
	agent := oneLine(t.Agent)
	left := []span{s.marker(here), {s.trunk(t.trunk, w/3), dim}, s.stateSign(t.State), {" ", plain}, {agent, nameStyle(agent)}, {" ", plain}}
	left = append(left, s.about(t.Task))
	right := []span{{view.Seconds(s.screen().Elapsed(t.Task)), dim}}
	if w >= 44 {
		right = append(right, span{" " + t.ID, dim})
	}
	return s.row(w, left, right...)
}

// about is what matters most about a task: why it waits or failed, what it does, or
// what was asked.
func (s State) about(t api.Task) span {
	switch {
	case t.State == parley.TaskFailed.String() && t.Error != "":
		return span{oneLine(t.Error), red}
	case view.Ended(t):
		return span{oneLine(t.Title), dim}
	case t.WaitsFor != "":
		return span{oneLine(view.WaitsFor(t)), yellow}
	case t.Now != "":
		return span{oneLine(t.Now), plain}
	}
	return span{oneLine(t.Title), plain}
}

// trunk draws the lines before a task. Of a deep tree only the end is drawn.
func (s State) trunk(levels string, room int) string {
	var b strings.Builder
	for i, level := range levels {
		last := i == len(levels)-1
		switch {
		case level == '+' && last:
			b.WriteString(s.sign("├─", "|-"))
		case level == '`' && last:
			b.WriteString(s.sign("└─", "`-"))
		case level == '|':
			b.WriteString(s.sign("│ ", "| "))
		default:
			b.WriteString("  ")
		}
	}
	text := []rune(b.String())
	if room = max(room, 2); len(text) > room {
		text = append([]rune(s.sign("…", "~")), text[len(text)-room+1:]...)
	}
	return string(text)
}
