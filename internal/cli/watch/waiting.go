package watch

import (
	"fmt"
	"time"

	"parley"
	"parley/api"
	"parley/internal/cli/view"
)

// item is something that waits for the person who looks: an approval to decide, or a
// question to answer.
type item struct {
	id       string
	approval *api.Approval
	question *Question
	text     string
	options  []string
	busy     bool // it is being decided
}

// items lists approvals and questions. Those of before that are being decided stay so.
func items(approvals []api.Approval, questions []Question, before []item) []item {
	var list []item
	busy := map[string]bool{}
	for _, i := range before {
		busy[i.id] = i.busy
	}
	for _, a := range approvals {
		list = append(list, item{id: a.ID, approval: &a, text: oneLine(a.Wants), busy: busy[a.ID]})
	}
	for _, q := range questions {
		text, options := parley.Choices(q.Text)
		if text == "" {
			text = q.Title
		}
		list = append(list, item{id: q.ID, question: &q, text: oneLine(text), options: options, busy: busy[q.ID]})
	}
	return list
}

func (i item) who() string {
	if i.approval != nil {
		return oneLine(i.approval.Agent)
	}
	return oneLine(i.question.Requester)
}

func (i item) verb() string {
	if i.approval == nil {
		return "asks:"
	}
	return "wants to"
}

// drawWaiting draws what waits: the chosen one with what can be done about it, the
// others with a line each.
func (s State) drawWaiting(w, h int) []string {
	if len(s.waiting) == 0 {
		return []string{s.row(w, []span{{" Nothing waits for you.", dim}})}
	}
	var rows []string
	end := 0 // the last row of what is chosen
	for _, i := range s.waiting {
		here := i.id == s.at[waitPane]
		rows = append(rows, s.itemRow(i, w, here))
		if here {
			rows = append(rows, s.itemBelow(i, w)...)
			end = len(rows)
		}
	}
	if from := min(max(0, end-h), max(0, len(rows)-h)); from > 0 {
		rows = rows[from:]
	}
	return rows
}

func (s State) itemRow(i item, w int, here bool) string {
	left := []span{s.marker(here), {i.who(), nameStyle(i.who())}, {" " + i.verb() + " ", yellow}, {i.text, plain}}
	return s.row(w, left, span{s.untilText(i), dim})
}

// untilText says how long somebody can decide.
func (s State) untilText(i item) string {
	if i.approval == nil {
		return i.question.ID
	}
	return view.Seconds(max(0, i.approval.Expires.Sub(s.now)).Round(time.Second)) + " left"
}

// mostShown is how many lines of a request the list shows. The reader shows all.
const mostShown = 4

// itemBelow is what the list shows of the chosen item below its line.
func (s State) itemBelow(i item, w int) []string {
	var rows []string
	add := func(st style, text string) {
		for _, line := range wrap(text, max(1, w-3)) {
			rows = append(rows, s.row(w, []span{{"   ", plain}, {line, st}}))
		}
	}
	first := columns(" "+i.who()+" "+i.verb()+" ") + columns(s.untilText(i)) + 2
	if lines := wrap(i.text, max(1, w-3)); columns(i.text)+first > w && w > 10 {
		if len(lines) > mostShown {
			lines = append(lines[:mostShown], s.ellipsis()+" s shows all")
		}
		for _, line := range lines {
			add(plain, line)
		}
	}
	if i.approval != nil {
		if i.approval.Left > 0 {
			add(yellow, fmt.Sprintf("%d characters are not shown here: s shows all.", i.approval.Left))
		}
		add(dim, oneLine(i.approval.Why))
		if i.approval.Always == nil && i.approval.NotAlways != "" {
			add(dim, "Not always: "+oneLine(i.approval.NotAlways))
		}
	}
	for n, option := range i.options {
		rows = append(rows, s.row(w, []span{{fmt.Sprintf("   %d ", n+1), bold}, {oneLine(option), plain}}))
	}
	add(bold, s.keysOf(i))
	return rows
}

// keysOf lists what can be done about an item.
func (s State) keysOf(i item) string {
	switch {
	case i.busy:
		return "sending" + s.ellipsis()
	case i.approval == nil && i.question.Routed != "":
		return "r answer  d pass  s show"
	case i.approval == nil && len(i.options) > 0:
		return "1-" + fmt.Sprint(min(9, len(i.options))) + " choose  r answer  d decline  s show"
	case i.approval == nil:
		return "r answer  d decline  s show"
	case i.approval.Always != nil:
		return "a approve  d deny  s show  A always (" + oneLine(i.approval.Always.Value+view.Covers(i.approval.Always)) + ")"
	}
	return "a approve  d deny  s show"
}
