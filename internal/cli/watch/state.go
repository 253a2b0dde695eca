package watch

import (
	"errors"
	"slices"
	"strings"
	"time"

	"parley"
	"parley/api"
	"parley/internal/cli/view"
)

// pane is a part of the screen that can have the keys.
type pane int

const (
	feedPane pane = iota
	agentPane
	taskPane
	waitPane
	panes
)

func (p pane) title() string {
	return [...]string{"Feed", "Agents", "Tasks", "For you"}[p]
}

// State is everything that the screen shows. Update makes the next one, and Render
// draws it; neither does anything else.
type State struct {
	zone *time.Location
	brush

	team, you string
	now       time.Time
	began     bool   // the hub has answered at least once
	lost      string // why the hub does not answer; empty if it does
	asOf      time.Time

	agents   []api.Agent
	paused   bool
	tasks    []taskRow
	channels []string
	waiting  []item
	decided  []string // here, which a reading that began before may still list
	today    api.Spending
	known    bool
	feed     feed

	w, h   int // for the keys that scroll; Render is given them
	focus  pane
	at     [panes]string // what is chosen in each pane, by its id
	line   line
	reader reader
	help   bool
	note   note
}

// note is one line about what has just happened.
type note struct {
	text string
	bad  bool
	at   time.Time
}

// noteTime is how long a note is shown if no key is pressed.
const noteTime = 15 * time.Second

// New is a screen before the hub has said anything.
func New(now time.Time, zone *time.Location, color, ascii bool) State {
	return State{now: now, zone: zone, brush: brush{color: color, ascii: ascii}}
}

func (s State) screen() view.Screen { return view.Screen{Zone: s.zone, Now: s.now, ASCII: s.ascii} }

// Update is the state after an event, and what has to be done at the hub.
func Update(s State, e Event) (State, Action) {
	switch e := e.(type) {
	case Snapshot:
		return s.snapshot(e), nil
	case Said:
		s.feed = s.feed.add(said(e))
	case Stepped:
		s.feed = s.feed.add(stepped(e.Step))
	case Missed:
		s.feed = s.feed.missed(e.N, s.now)
	case Lost:
		s.lost = oneLine(e.Why)
	case Back:
		s.lost = ""
	case Tick:
		if s.now = e.Now; s.now.Sub(s.note.at) > noteTime {
			s.note = note{}
		}
	case Size:
		s.w, s.h = e.W, e.H
	case Opened:
		s.reader = reader{open: true, title: oneLine(e.Title), text: manyLines(e.Text)}
	case Done:
		return s.done(e), nil
	case Paste:
		s.line = s.line.typed(e.Text)
	case Key:
		return s.key(e)
	}
	return s, nil
}

func (s State) snapshot(e Snapshot) State {
	s.team, s.you, s.began, s.asOf, s.lost = oneLine(e.Team), e.You, true, e.At, ""
	s.paused, s.today, s.known = e.Paused, e.Today, e.Known
	s.agents = slices.Clone(e.Agents)
	slices.SortStableFunc(s.agents, func(a, b api.Agent) int {
		if d := rank(a) - rank(b); d != 0 {
			return d
		}
		return strings.Compare(a.Name, b.Name)
	})
	s.tasks = treeRows(e.Tasks)
	s.channels = nil
	for _, c := range e.Channels {
		s.channels = append(s.channels, c.Name)
	}
	listed := items(e.Approvals, e.Questions, s.waiting)
	s.waiting = slices.DeleteFunc(slices.Clone(listed), func(i item) bool { return slices.Contains(s.decided, i.id) })
	s.decided = slices.DeleteFunc(slices.Clone(s.decided), func(id string) bool {
		return !slices.ContainsFunc(listed, func(i item) bool { return i.id == id })
	})
	// What was chosen may have been decided elsewhere. The next key must not decide
	// about something else, so nothing is chosen then. Only the person chooses.
	if s.chosenItem() == nil {
		s.at[waitPane] = ""
	}
	return s
}

// rank puts those who do something first, and people last.
func rank(a api.Agent) int {
	if a.Kind == string(parley.Person) {
		return 4
	}
	switch parley.Status(a.Status) {
	case parley.StatusWorking:
		return 0
	case parley.StatusAwaitingApproval:
		return 1
	case parley.StatusAwaitingDelegation:
		return 2
	}
	return 3
}

// done takes the end of what the person did. What was typed comes back if it could
// not be sent, unless something else is being typed.
func (s State) done(e Done) State {
	if e.Err != nil {
		s = s.say(oneLine(explain(e.Err)), true)
		s = s.free(aboutOf(e.Action))
		if text := typedFor(e.Action); text != "" && s.line.text() == "" {
			s.line = line{purpose: s.line.purpose, about: s.line.about, open: true}.typed(text)
		}
		return s
	}
	s = s.say(oneLine(e.Text), false)
	return s.without(aboutOf(e.Action))
}

// aboutOf is the item that an action decides; empty if it decides none.
func aboutOf(a Action) string {
	switch a := a.(type) {
	case Approve:
		return a.ID
	case Deny:
		return a.ID
	case Always:
		return a.ID
	case Answer:
		return a.Task
	case Decline:
		return a.Task
	}
	return ""
}

// free lets an item be decided again after a failure.
func (s State) free(id string) State {
	s.waiting = slices.Clone(s.waiting)
	for i := range s.waiting {
		if s.waiting[i].id == id {
			s.waiting[i].busy = false
		}
	}
	return s
}

// say shows a note.
func (s State) say(text string, bad bool) State {
	s.note = note{text: text, bad: bad, at: s.now}
	return s
}

func explain(err error) string {
	if e := (*parley.Error)(nil); errors.As(err, &e) {
		return e.Error()
	}
	return err.Error()
}

// typedFor is what was typed for a message.
func typedFor(a Action) string {
	switch a := a.(type) {
	case Delegate:
		return a.Line
	case Post:
		return a.Line
	}
	return ""
}

// without takes an item away that was decided here. Nothing is chosen then: a key that
// is pressed twice must not decide what moved up.
func (s State) without(id string) State {
	if id == "" {
		return s
	}
	s.decided = append(slices.Clone(s.decided), id)
	s.waiting = slices.DeleteFunc(slices.Clone(s.waiting), func(w item) bool { return w.id == id })
	if s.chosenItem() == nil {
		s.at[waitPane] = ""
	}
	return s
}

func (s State) chosenItem() *item {
	for i := range s.waiting {
		if s.waiting[i].id == s.at[waitPane] {
			return &s.waiting[i]
		}
	}
	return nil
}
