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
	depth   map[string]int  // of the tasks so far
	aside   map[string]bool // tasks that are only for the page to show

	mu     sync.Mutex
	told   map[string]chan struct{}
	notify []string // whom notifications went to
}

func newNarrator(s *stage) *narrator {
	return &narrator{stage: s, began: time.Now(), depth: map[string]int{}, aside: map[string]bool{}, told: map[string]chan struct{}{}}
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

// heard is closed once something has been told: the end of a task, by its id, or an
// event of a kind.
func (n *narrator) heard(what string) <-chan struct{} { return n.telling(what) }

// notified lists whom notifications went to.
func (n *narrator) notified() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clone(n.notify)
}

func (n *narrator) telling(what string) chan struct{} {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.told[what] == nil {
		n.told[what] = make(chan struct{})
	}
	return n.told[what]
}

// has marks something as told. Only follow calls it.
func (n *narrator) has(what string) {
	select {
	case <-n.telling(what):
	default:
		close(n.telling(what))
	}
}

// tell prints what an event means, if it means anything to a reader.
func (n *narrator) tell(ctx context.Context, e api.Event) error {
	if n.JSON {
		if err := n.printEvent(e); err != nil {
			return err
		}
	}
	defer n.has(e.Kind)
	switch kind := parley.EventKind(e.Kind); kind {
	case parley.EventTask:
		return n.opened(ctx, e)
	case parley.EventMessage:
		return n.message(ctx, e)
	case parley.EventCompleted, parley.EventFailed, parley.EventCancelled:
		defer n.has(e.Task)
		return n.closed(ctx, e)
	case parley.EventApprovalRequested:
		return n.approval(ctx, e)
	case parley.EventApprovalApproved, parley.EventApprovalDenied:
		n.line(e, n.name(e.Actor), n.Screen.Paint(view.Green, strings.TrimPrefix(e.Kind, "approval.")), "")
	case parley.EventWaiting:
		return n.waits(ctx, e)
	case parley.EventTimeout:
		n.line(e, n.who(e), n.Screen.Paint(view.Yellow, "waits no longer"), "")
	case parley.EventRefused, parley.EventToolRefused:
		n.line(e, n.who(e), n.Screen.Paint(view.Red, "refused"), e.Detail)
	case parley.EventStatus:
		n.line(e, n.name(e.Target), n.Screen.Paint(view.Yellow, e.Detail), "")
	}
	return nil
}

// message tells of a notification, or of a post in a channel.
func (n *narrator) message(ctx context.Context, e api.Event) error {
	place, posted := strings.CutPrefix(e.Detail, "post in ")
	switch {
	case n.aside[e.Task]:
		return nil
	case posted:
		text, err := n.text(ctx, e.Message)
		n.line(e, n.name(e.Actor)+" "+n.Screen.Arrow()+" "+place, n.Screen.Paint(view.Blue, "post"), text)
		return err
	}
	n.note(e.Target)
	return n.say(ctx, e, n.Screen.Paint(view.Blue, "notify"))
}

// closed tells how a task ended.
func (n *narrator) closed(ctx context.Context, e api.Event) error {
	switch {
	case n.aside[e.Task]:
		return nil
	case e.Kind == string(parley.EventCompleted):
		return n.say(ctx, e, n.Screen.Paint(view.Green, "answer"))
	}
	n.line(e, n.who(e), n.Screen.Paint(view.Red, strings.TrimPrefix(e.Kind, "task.")), e.Detail)
	return nil
}

// approval tells what somebody wants to do. What becomes of it is told too.
func (n *narrator) approval(ctx context.Context, e api.Event) error {
	delete(n.aside, e.Task)
	id, _, _ := strings.Cut(e.Detail, ":")
	a, err := n.hub.Approval(ctx, id)
	if err == nil {
		n.line(e, n.name(e.Actor), n.Screen.Paint(view.Yellow, "waits for your approval"), "It wants to "+wish(a)+".")
	}
	return err
}

// waits tells that a task cannot go on by itself. That one waits for an approval has
// been told.
func (n *narrator) waits(ctx context.Context, e api.Event) error {
	if n.aside[e.Task] || e.Detail == "approval" {
		return nil
	}
	text, err := n.text(ctx, e.Message)
	if err == nil {
		n.line(e, n.name(e.Actor), n.Screen.Paint(view.Yellow, "waits for "+strings.TrimSuffix(e.Detail, " open")), text)
	}
	return err
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

// sideways are the ways in which agents contact each other beside the task that was asked
// for. The page shows what comes of them; here it would hide the story.
var sideways = []string{string(parley.Mention), string(parley.QuestionPattern), string(parley.AnswerPattern)}

// opened tells of a new task, indented one step more than its parent.
func (n *narrator) opened(ctx context.Context, e api.Event) error {
	t, err := n.hub.Task(ctx, e.Task)
	if err != nil {
		return err
	}
	if t.Parent != "" {
		n.depth[t.ID] = n.depth[t.Parent] + 1
	}
	if n.aside[t.Parent] || t.Requester != person && slices.Contains(sideways, t.Pattern) {
		n.aside[t.ID] = true
		return nil
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
