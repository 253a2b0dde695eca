package demo

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"parley"
	"parley/api"
	"parley/internal/cli/view"
)

// narrator follows the hub's record from its beginning and tells what happens.
type narrator struct {
	*stage
	began   time.Time
	palette view.Palette
	depth   map[string]int // of the tasks so far

	mu     sync.Mutex
	ends   map[string]chan struct{}
	notify []string // whom notifications went to
}

func newNarrator(s *stage) *narrator {
	return &narrator{stage: s, began: time.Now(), depth: map[string]int{}, ends: map[string]chan struct{}{}}
}

// follow tells until the context is done.
func (n *narrator) follow(ctx context.Context) error {
	for e, err := range n.hub.Events(ctx, "", true) {
		if err == nil {
			err = n.tell(ctx, e)
		}
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// heard is closed once the end of the task has been told.
func (n *narrator) heard(task string) <-chan struct{} { return n.end(task) }

// notified lists whom notifications went to.
func (n *narrator) notified() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clone(n.notify)
}

func (n *narrator) end(task string) chan struct{} {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.ends[task] == nil {
		n.ends[task] = make(chan struct{})
	}
	return n.ends[task]
}

// tell prints what an event means, if it means anything to a reader.
func (n *narrator) tell(ctx context.Context, e api.Event) error {
	if n.JSON {
		if err := n.printEvent(e); err != nil {
			return err
		}
	}
	paint := n.Screen.Paint
	switch parley.EventKind(e.Kind) {
	case parley.EventTask:
		return n.opened(ctx, e)
	case parley.EventMessage:
		n.note(e.Target)
		return n.say(ctx, e, paint(view.Blue, "notify"))
	case parley.EventCompleted:
		defer n.ended(e.Task)
		return n.say(ctx, e, paint(view.Green, "answer"))
	case parley.EventFailed:
		defer n.ended(e.Task)
		n.line(e, n.who(e), paint(view.Red, "failed"), e.Detail)
	case parley.EventCancelled:
		defer n.ended(e.Task)
		n.line(e, n.who(e), paint(view.Red, "cancelled"), e.Detail)
	case parley.EventWaiting:
		text, err := n.text(ctx, e.Message)
		if err != nil {
			return err
		}
		n.line(e, n.name(e.Actor), paint(view.Yellow, "waits for "+strings.TrimSuffix(e.Detail, " open")), text)
	case parley.EventTimeout:
		n.line(e, n.who(e), paint(view.Yellow, "waits no longer"), "")
	case parley.EventRefused, parley.EventToolRefused:
		n.line(e, n.who(e), paint(view.Red, "refused"), e.Detail)
	case parley.EventStatus:
		n.line(e, n.name(e.Target), paint(view.Yellow, e.Detail), "")
	}
	return nil
}

func (n *narrator) printEvent(e api.Event) error {
	line, err := json.Marshal(e)
	if err == nil {
		n.print(string(line) + "\n")
	}
	return err
}

func (n *narrator) note(notified string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.notify = append(n.notify, notified)
}

func (n *narrator) ended(task string) { close(n.end(task)) }

// opened tells of a new task, indented one step more than its parent.
func (n *narrator) opened(ctx context.Context, e api.Event) error {
	t, err := n.hub.Task(ctx, e.Task)
	if err != nil {
		return err
	}
	if t.Parent != "" {
		n.depth[t.ID] = n.depth[t.Parent] + 1
	}
	what := t.Pattern
	if t.RetryOf != "" {
		what = "retry of " + t.RetryOf
		if t.Resumes != "" {
			what = "goes on with " + t.Resumes
		}
	}
	return n.say(ctx, e, n.Screen.Paint(view.Cyan, what))
}

// say tells who said what to whom.
func (n *narrator) say(ctx context.Context, e api.Event, what string) error {
	text, err := n.text(ctx, e.Message)
	if err == nil {
		n.line(e, n.who(e), what, text)
	}
	return err
}

func (n *narrator) who(e api.Event) string {
	return n.name(e.Actor) + " " + n.Screen.Arrow() + " " + n.name(e.Target)
}

func (n *narrator) text(ctx context.Context, message string) (string, error) {
	if message == "" {
		return "", nil
	}
	m, err := n.hub.Message(ctx, message)
	return m.Body, err
}

func (n *narrator) name(name string) string { return n.Screen.Paint(n.palette.Of(name), name) }

// quoted is how many lines of a text are shown. The end of the story shows the whole
// answer.
const quoted = 2

// line prints who does what, with the time, and the text below it.
func (n *narrator) line(e api.Event, who, what, text string) {
	if n.JSON {
		return
	}
	indent := strings.Repeat("    ", n.depthOf(e))
	at := fmt.Sprintf("%6.1fs  ", max(0, e.At.Sub(n.began).Seconds()))
	if e.Task != "" {
		what += n.Screen.Paint(view.Dim, n.Screen.Dot()+e.Task)
	}
	out := n.Screen.Paint(view.Dim, at) + indent + who + "  " + what + "\n"
	margin := strings.Repeat(" ", len(at)) + indent + "  "
	lines := slices.Collect(strings.Lines(n.Screen.Indent(text, margin)))
	lines = slices.DeleteFunc(lines, func(line string) bool { return strings.TrimSpace(line) == "" })
	if len(lines) > quoted {
		lines = append(lines[:quoted], margin+n.Screen.Ellipsis()+"\n")
	}
	n.print(out + strings.Join(lines, ""))
}

// depthOf is how far an event is indented. An event without a task of its own, such
// as a notification, belongs to the task that made it.
func (n *narrator) depthOf(e api.Event) int {
	if e.Task == "" && e.Kind != string(parley.EventStatus) {
		return 1
	}
	return n.depth[e.Task]
}
