package page

import (
	"time"

	"parley"
	"parley/internal/reading"
)

// Tree is a tree of tasks, or the piece of it that is shown.
type Tree struct {
	Top         []*Row
	Count, Open int
	More        int // tasks that are left out
	Axis        Axis
	// Prev and Next are the pages beside this one; -1 if there is none.
	Prev, Next, First, Last int
	OpenOnly                bool
}

// Flat are the rows one below the other.
func (t Tree) Flat() (list []*Row) {
	var add func([]*Row)
	add = func(rows []*Row) {
		for _, r := range rows {
			list = append(list, r)
			add(r.Below)
		}
	}
	add(t.Top)
	return list
}

// Row is one task of a tree.
type Row struct {
	parley.Task
	Below   []*Row
	Depth   int
	Root    bool
	Current bool // the one whose page this is
	Mark    Mark
	Now     string // what it does at this moment, or waits for
	Note    string // why it failed
	// Ask is what the visitor can do about it, at AskURL.
	Ask, AskURL string
	Lane        []Stretch
	Words       string // the lane in words
	WordsMark   string // their colour
	Cost        parley.Money
}

// rows says which rows of a tree are wanted.
type rows struct {
	current  parley.TaskID
	from     int // the first row; -1 for where the current one is
	most     int
	openOnly bool
}

// deepest is how far rows are moved to the right; what is deeper stands below each other.
const deepest = 8

// placed is a task at its place, in the order in which a tree is read.
type placed struct {
	task  *parley.Task
	depth int
	up    int // the place of its parent; -1 for the first
}

// preorder puts tasks, of which parents come before their children, in the order of a
// tree.
func preorder(list []parley.Task) []placed {
	below := make(map[parley.TaskID][]int, len(list))
	for i := range list[1:] {
		below[list[i+1].Parent] = append(below[list[i+1].Parent], i+1)
	}
	out := make([]placed, 0, len(list))
	var add func(i, depth, up int)
	add = func(i, depth, up int) {
		at := len(out)
		out = append(out, placed{task: &list[i], depth: depth, up: up})
		for _, child := range below[list[i].ID] {
			add(child, depth+1, at)
		}
	}
	add(0, 0, -1)
	return out
}

// openOnly leaves out what has ended, unless something below it is open.
func openOnly(all []placed) []placed {
	keep := make([]bool, len(all))
	for i := len(all) - 1; i >= 0; i-- {
		keep[i] = keep[i] || all[i].task.State.Open()
		if keep[i] && all[i].up >= 0 {
			keep[all[i].up] = true
		}
	}
	keep[0] = true
	moved := make([]int, len(all))
	var out []placed
	for i, p := range all {
		if !keep[i] {
			continue
		}
		moved[i] = len(out)
		if p.up >= 0 {
			p.up = moved[p.up]
		}
		out = append(out, p)
	}
	return out
}

// tree lays out a piece of a tree.
func (v *visit) tree(list []parley.Task, want rows) (t Tree, err error) {
	all := preorder(list)
	t = Tree{Count: len(all), Prev: -1, Next: -1, OpenOnly: want.openOnly, Axis: axisOf(list, v.now)}
	for _, p := range all {
		if p.task.State.Open() {
			t.Open++
		}
	}
	if want.openOnly {
		all = openOnly(all)
	}
	from := want.from
	if from < 0 || from >= len(all) {
		from = 0
		for i, p := range all {
			if p.task.ID == want.current {
				from = i / want.most * want.most
			}
		}
	}
	to := min(len(all), from+want.most)
	t.First, t.Last, t.More = from+1, to, len(all)-(to-from)
	if from > 0 {
		t.Prev = max(0, from-want.most)
	}
	if to < len(all) {
		t.Next = to
	}
	return t, v.fillRows(&t, list, window(all, from, to), want)
}

// window is a piece of a tree, with what stands above its first row.
func window(all []placed, from, to int) []placed {
	var above []placed
	for at := all[from].up; at >= 0; at = all[at].up {
		above = append([]placed{all[at]}, above...)
	}
	return append(above, all[from:to]...)
}

func (v *visit) fillRows(t *Tree, list []parley.Task, shown []placed, want rows) error {
	some := make([]parley.Task, len(shown))
	for i, p := range shown {
		some[i] = *p.task
	}
	doing, err := v.Reading.Doing(v.ctx, v.Caller, some)
	if err != nil {
		return err
	}
	lanes, err := v.Reading.Lanes(v.ctx, v.Caller, list, some)
	if err != nil {
		return err
	}
	asks, err := v.asksOf(some)
	if err != nil {
		return err
	}
	rows := make(map[parley.TaskID]*Row, len(shown))
	path := make([]*Row, 0, deepest+1)
	for _, p := range shown {
		r := v.row(*p.task, doing[p.task.ID].Line, asks[p.task.ID])
		r.Root, r.Depth, r.Current = p.depth == 0, min(p.depth, deepest), p.task.ID == want.current
		r.draw(lanes[p.task.ID], t.Axis, v.now)
		rows[r.ID] = r
		path = append(path[:min(len(path), r.Depth)], r)
		if r.Depth == 0 || len(path) < 2 {
			t.Top = append(t.Top, r)
			continue
		}
		up := path[len(path)-2]
		up.Below = append(up.Below, r)
	}
	return nil
}

func (v *visit) row(t parley.Task, doing string, ask Need) *Row {
	r := &Row{Task: t, Mark: stateOf(t.State), Now: nowOf(t, doing, v.now), Note: t.Error}
	switch {
	case ask.Kind == "approval":
		r.Mark, r.Ask, r.AskURL = Mark{"you", "waits for you"}, "Decide: "+ask.What, ask.URL
	case t.Agent == v.Agent && t.State.Open():
		r.Mark, r.Ask, r.AskURL = Mark{"you", "waits for you"}, "Answer", "/dm/"+pathEscape(v.whois(t.Requester).Name)
	}
	return r
}

// asksOf are the approvals that tasks wait for and the visitor may decide.
func (v *visit) asksOf(tasks []parley.Task) (map[parley.TaskID]Need, error) {
	waiting := false
	for _, t := range tasks {
		waiting = waiting || t.Approvals > 0
	}
	if !waiting {
		return nil, nil
	}
	list, err := v.decides()
	of := make(map[parley.TaskID]Need, len(list))
	for _, a := range list {
		of[a.Approval.Task] = Need{Kind: "approval", What: wants(a), URL: "/approvals/" + pathEscape(a.Name)}
	}
	return of, err
}

// nowOf says what a task does at this moment.
func nowOf(t parley.Task, doing string, now time.Time) string {
	if doing != "" {
		return doing
	}
	switch {
	case t.State == parley.Waiting && t.Approvals > 0:
		return "waits for a decision"
	case t.State == parley.Waiting && t.Waits == parley.WaitNone && t.OpenChildren > 0:
		return "waits for " + plural(t.OpenChildren, "task", "tasks")
	}
	return t.WaitText(parley.Micros(now.UnixMicro()))
}

const treeRows = 24

// openTrees is how many open trees home counts.
const openTrees = 200

// fillTrees are the open trees on home.
func (v *visit) fillTrees(h *Home) error {
	roots, err := v.Reading.Tasks(v.ctx, v.Caller, reading.TaskFilter{Roots: true, Open: true, Limit: openTrees + 1})
	if err != nil {
		return err
	}
	if h.Beyond = len(roots) > openTrees; h.Beyond {
		roots = roots[:openTrees]
	}
	if len(roots) > homeTrees {
		h.More, roots = len(roots)-homeTrees, roots[:homeTrees]
	}
	for _, root := range roots {
		list, err := v.Reading.Tree(v.ctx, v.Caller, root.ID)
		if err != nil {
			return err
		}
		t, err := v.tree(list, rows{most: treeRows})
		if err != nil {
			return err
		}
		h.Trees = append(h.Trees, t)
	}
	return nil
}
