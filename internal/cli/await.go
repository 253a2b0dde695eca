package cli

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"parley/internal/api"
	"parley/internal/cli/view"
	"parley/internal/client"
)

// await waits until a task has ended, the time is over (0 is never) or the
// context is done, and returns the task as it is then. At a terminal it shows
// that it waits, and what the agent says on the way.
func (c *console) await(ctx context.Context, hub *client.Client, t api.Task, timeout time.Duration) (api.Task, error) {
	if _, watched := terminal(c.err); !watched || c.json {
		now, err := hub.WaitTask(ctx, t.ID, timeout)
		return now, c.stopped(t, err)
	}
	w := waiting{console: c, hub: hub, since: c.now(), said: t.ResultID}
	now, err := w.watch(ctx, t, timeout)
	w.clear()
	return now, c.stopped(t, err)
}

// interruptible ends the context with Ctrl-C, with the terminal, or when the
// program is told to end, for a command that has something to do then.
func interruptible(ctx context.Context) (context.Context, context.CancelFunc) {
	return signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
}

// waiting is a line at the bottom of the terminal that says so.
type waiting struct {
	*console
	hub   *client.Client
	since time.Time
	said  string // the last message that was shown
}

// often is how often the line is drawn anew.
const often = time.Second

func (w *waiting) watch(ctx context.Context, t api.Task, timeout time.Duration) (api.Task, error) {
	for {
		left := timeout - w.now().Sub(w.since)
		if view.Ended(t) || timeout > 0 && left <= 0 {
			return t, nil
		}
		w.draw(t)
		poll := often
		if timeout > 0 {
			poll = min(often, left)
		}
		now, err := w.hub.WaitTask(ctx, t.ID, poll)
		if err != nil {
			return t, err
		}
		t = now
		w.show(ctx, t)
	}
}

func (w *waiting) draw(t api.Task) {
	s := w.screen(w.err)
	text := fmt.Sprintf("waiting for %s%s %s", t.Agent, s.Ellipsis(), view.Seconds(w.now().Sub(w.since)))
	if t.Open > 0 {
		text += fmt.Sprintf(", which waits for %d more", t.Open)
	}
	w.clear()
	_, _ = fmt.Fprint(w.err, s.Paint(view.Dim, s.Fit(text)))
}

func (w *waiting) clear() { _, _ = fmt.Fprint(w.err, "\r\x1b[K") }

// show prints what the agent said while it is still at work. The last word is
// the caller's to print.
func (w *waiting) show(ctx context.Context, t api.Task) {
	if view.Ended(t) || t.ResultID == "" || t.ResultID == w.said {
		return
	}
	w.said = t.ResultID
	w.clear()
	s := w.screen(w.err)
	_, _ = fmt.Fprint(w.err, s.Paint(view.Cyan, t.Agent+":")+"\n"+s.Indent(t.Result, "  "))
	_ = w.hub.MarkSeen(ctx, t.ResultID)
}
