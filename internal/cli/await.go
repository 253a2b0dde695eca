package cli

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"sync"
	"syscall"
	"time"

	"parley/api"
	"parley/client"
	"parley/internal/cli/view"
)

// await waits until a task has ended, the timeout is over (0 is none) or the
// context is done. It returns the task as it is then. At a terminal it shows
// that it is waiting, and what the agent says meanwhile.
func (c *console) await(ctx context.Context, hub *client.Client, t api.Task, timeout time.Duration) (api.Task, error) {
	if _, watched := terminal(c.err); !watched || c.json {
		now, err := c.awaitUnwatched(ctx, hub, t, timeout)
		return now, c.stopped(t, err)
	}
	w := waiting{console: c, hub: hub, since: c.now(), said: t.ResultID, task: t, inquiry: c.newInquiry(hub)}
	stopLooking := w.look(ctx, t.ID)
	now, err := w.watch(ctx, t, timeout)
	stopLooking()
	w.clear()
	return now, c.stopped(t, err)
}

// awaitUnwatched waits without a terminal: what happens is told in plain lines, unless
// the output is for a program.
func (c *console) awaitUnwatched(ctx context.Context, hub *client.Client, t api.Task, timeout time.Duration) (api.Task, error) {
	if c.json {
		return hub.WaitTask(ctx, t.ID, timeout)
	}
	n := c.narrate(ctx, hub, t.ID)
	defer n.stop()
	now, err := hub.WaitTask(ctx, t.ID, timeout)
	if err == nil {
		n.finish(ctx)
	}
	return now, err
}

// interruptible returns a context that ends with Ctrl-C, when the terminal is
// closed or when the program is told to end. It is for commands that still have
// something to do then.
func interruptible(ctx context.Context) (context.Context, context.CancelFunc) {
	return signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
}

// waiting draws a line at the bottom of the terminal that says that the command
// is waiting. Above it is what the agent is saying.
type waiting struct {
	*console
	hub   *client.Client
	since time.Time
	said  string // the last message that was shown

	inquiry *inquiry

	mu      sync.Mutex // for drawing
	task    api.Task
	tree    api.TaskTree // with what is below it
	partial partialReply
	above   int  // lines above the last one
	asking  bool // the person is being asked: nothing else is drawn
}

// redrawEvery is how often the waiting line is redrawn.
const redrawEvery = time.Second

func (w *waiting) watch(ctx context.Context, t api.Task, timeout time.Duration) (api.Task, error) {
	for {
		left := timeout - w.now().Sub(w.since)
		if view.Ended(t) || timeout > 0 && left <= 0 {
			return t, nil
		}
		w.draw(t)
		poll := redrawEvery
		if timeout > 0 {
			poll = min(redrawEvery, left)
		}
		now, err := w.hub.WaitTask(ctx, t.ID, poll)
		if err != nil {
			return t, err
		}
		t = now
		w.show(ctx, t)
		if !view.Ended(t) {
			w.lookBelow(ctx, t)
		}
	}
}

// lookBelow finds out who works on what below the task, and asks the person what waits
// for them there.
func (w *waiting) lookBelow(ctx context.Context, t api.Task) {
	tree, err := w.hub.Tree(ctx, t.ID)
	if err != nil {
		return // only for display; if the hub is gone, the wait says so
	}
	w.mu.Lock()
	w.tree = tree
	w.mu.Unlock()
	approval, question := w.inquiry.next(ctx, tree)
	if approval == nil && question == nil {
		return
	}
	w.mu.Lock()
	w.wipe()
	w.asking = true
	w.mu.Unlock()
	if approval != nil {
		w.inquiry.decide(ctx, *approval)
	} else {
		w.inquiry.answer(ctx, *question)
	}
	w.mu.Lock()
	w.asking, w.tree = false, api.TaskTree{} // it has changed since
	w.mu.Unlock()
}

func (w *waiting) draw(t api.Task) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.task = t
	w.redraw()
}

func (w *waiting) redraw() {
	if w.asking {
		return
	}
	s, t := w.screen(w.err), w.task
	text := fmt.Sprintf("waiting for %s%s %s", t.Agent, s.Ellipsis(), view.Seconds(w.now().Sub(w.since)))
	if wait := cmp.Or(t.Waiting, w.partial.wait); wait != "" {
		text += ", which is " + view.Clean(wait)
	}
	text += busyWith(w.partial.tool, t.Open)
	if t.Spent != nil && t.Spent.Money > 0 {
		text += ", " + view.Dollars(t.Spent.Money)
	}
	lines := slices.Concat(w.partial.lines(s), below(s, w.tree))
	w.wipe()
	for _, line := range lines {
		_, _ = fmt.Fprintln(w.err, line)
	}
	w.above = len(lines)
	_, _ = fmt.Fprint(w.err, s.Paint(view.Dim, s.Fit(text)))
}

// busyWith says what an agent does: a tool that it uses, or tasks that it waits for.
func busyWith(tool string, open int) string {
	switch {
	case tool == "ask_user":
		return ", which waits for a person's answer"
	case tool != "":
		return ", which uses " + view.Clean(tool)
	case open > 0:
		return fmt.Sprintf(", which waits for %d more", open)
	}
	return ""
}

func (w *waiting) clear() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.wipe()
}

// wipe erases what was drawn.
func (w *waiting) wipe() {
	if w.above > 0 {
		_, _ = fmt.Fprintf(w.err, "\r\x1b[%dA\x1b[J", w.above)
		w.above = 0
		return
	}
	_, _ = fmt.Fprint(w.err, "\r\x1b[K")
}

// show prints the texts of an agent that is still working. The caller prints the
// last one.
func (w *waiting) show(ctx context.Context, t api.Task) {
	if view.Ended(t) || t.ResultID == "" || t.ResultID == w.said {
		return
	}
	w.said = t.ResultID
	w.mu.Lock()
	w.wipe()
	s := w.screen(w.err)
	_, _ = fmt.Fprint(w.err, s.Paint(view.Cyan, t.Agent+":")+"\n"+s.Indent(t.Result, "  "))
	w.mu.Unlock()
	_ = w.hub.MarkSeen(ctx, t.ResultID)
}
