package watch

import (
	"fmt"
	"strings"

	"parley"
	"parley/internal/cli/view"
)

// Frame is a screen: its rows, and where the cursor is.
type Frame struct {
	Rows []string
	// X and Y are the place of the cursor; X is -1 if it is hidden.
	X, Y int
}

func (f Frame) Text() string { return strings.Join(f.Rows, "\n") }

// wide is the width from which the panes stand side by side.
const wide = 120

// Render draws the state in h rows of w columns.
func Render(s State, w, h int) Frame {
	w, h = max(1, w), max(1, h)
	f := Frame{X: -1}
	head := []string{s.header(w)}
	input, cursor := s.drawLine(w)
	foot := []string{input, s.hint(w)}
	// What matters most stays on a screen that is too low.
	switch {
	case h == 1 && s.line.open:
		return Frame{Rows: foot[:1], X: cursor}
	case h == 1:
		return Frame{Rows: head, X: -1}
	case h == 2:
		head = nil
	case h == 3 && !s.line.open:
		foot = foot[1:]
	}
	body := s.body(w, h-len(head)-len(foot))
	f.Rows = append(append(head, body...), foot...)
	if s.line.open && cursor >= 0 {
		f.X, f.Y = cursor, len(head)+len(body)
	}
	return f
}

// body draws the panes in exactly h rows.
func (s State) body(w, h int) []string {
	var rows []string
	switch {
	case h <= 0:
		return nil
	case s.help:
		rows = s.drawHelp(w, h)
	case s.reader.open:
		rows = s.drawReader(w, h)
	case w >= wide:
		rows = s.beside(w, h)
	default:
		rows = append([]string{s.tabs(w)}, s.pane(s.focus, w, h-1)...)
	}
	return fill(rows, w, h)
}

// fill makes exactly h rows.
func fill(rows []string, w, h int) []string {
	if len(rows) > h {
		rows = rows[:h]
	}
	for len(rows) < h {
		rows = append(rows, strings.Repeat(" ", w))
	}
	return rows
}

func (s State) pane(p pane, w, h int) []string {
	if h <= 0 {
		return nil
	}
	draw := [...]func(w, h int) []string{s.drawFeed, s.drawAgents, s.drawTasks, s.drawWaiting}[p]
	return fill(draw(w, h), w, h)
}

// tabs names the panes where only one is shown at a time.
func (s State) tabs(w int) string {
	var spans []span
	for p := range panes {
		st := dim
		switch {
		case p == s.focus:
			st = chosen
		case p == waitPane && len(s.waiting) > 0:
			st = yellow
		}
		spans = append(spans, span{" " + s.titleOf(p) + " ", st}, span{" ", plain})
	}
	return s.row(w, spans)
}

func (s State) titleOf(p pane) string {
	n := 0
	switch p {
	case agentPane:
		n = len(s.agents)
	case taskPane:
		for _, t := range s.tasks {
			n += 1 - ended(t.Task)
		}
	case waitPane:
		n = len(s.waiting)
	}
	if n == 0 {
		return p.title()
	}
	return fmt.Sprintf("%s %d", p.title(), n)
}

// beside draws all panes: agents and tasks at the left, what waits and the feed at
// the right.
func (s State) beside(w, h int) []string {
	left := min(64, w*2/5)
	right := w - left - 3
	agents := min(max(3, len(s.agents)+2), max(3, h/2))
	column := s.titled(agentPane, left, agents)
	column = append(column, s.titled(taskPane, left, h-len(column))...)
	var other []string
	if len(s.waiting) > 0 || s.focus == waitPane {
		need := len(s.drawWaiting(right, h)) + 2
		other = s.titled(waitPane, right, min(need, max(4, h*3/5)))
	}
	other = append(other, s.titled(feedPane, right, h-len(other))...)
	column, other = fill(column, left, h), fill(other, right, h)
	rows := make([]string, h)
	bar := s.paint(dim, s.sign(" │ ", " | "))
	for i := range rows {
		rows[i] = column[i] + bar + other[i]
	}
	return rows
}

// titled is a pane with its title, in exactly h rows.
func (s State) titled(p pane, w, h int) []string {
	if h <= 0 {
		return nil
	}
	st := bold
	switch {
	case p == s.focus:
		st = chosen
	case p == waitPane && len(s.waiting) > 0:
		st = yellow
	}
	return append([]string{s.rule(w, s.titleOf(p), st)}, s.pane(p, w, h-1)...)
}

// header says which team this is, what it costs, and what is wrong.
func (s State) header(w int) string {
	clock := span{s.now.In(s.zoneOr()).Format("15:04:05") + " ", dim}
	switch {
	case !s.began && s.lost == "":
		return s.row(w, []span{{" parley", bold}, {" looking for the hub" + s.ellipsis(), dim}}, clock)
	case s.lost != "":
		text := " The hub does not answer, trying again" + s.ellipsis()
		if s.began {
			text = " The connection is lost, trying again" + s.ellipsis() + " This is from " + s.asOf.In(s.zoneOr()).Format("15:04:05") + "."
		}
		return s.row(w, []span{{text, alarm}, {" " + s.lost, red}}, clock)
	}
	left := []span{{" parley ", bold}, {s.team, bold}}
	part := func(st style, text string) { left = append(left, span{s.dot(), dim}, span{text, st}) }
	if s.paused {
		part(yellow, "paused")
	}
	if n := s.working(); n > 0 {
		part(cyan, fmt.Sprintf("%d working", n))
	}
	if n := len(s.waiting); n == 1 {
		part(yellow, "1 waits for you (w)")
	} else if n > 1 {
		part(yellow, fmt.Sprintf("%d wait for you (w)", n))
	}
	part(plain, s.cost())
	return s.row(w, left, clock)
}

func (s State) working() int {
	n := 0
	for _, a := range s.agents {
		if a.Status == string(parley.StatusWorking) {
			n++
		}
	}
	return n
}

// cost says what today has cost.
func (s State) cost() string {
	if !s.known {
		return "cost not known"
	}
	text := "today " + view.Dollars(s.today.Money)
	if b := s.today.Budget; b != nil && b.Money > 0 {
		text += " of " + view.Dollars(b.Money)
	}
	if n := s.today.Input + s.today.Output; n > 0 {
		text += s.dot() + view.Thousands(n) + " tokens"
	}
	return text
}
