package cli

import (
	"bufio"
	"context"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"parley"
	"parley/api"
	"parley/client"
	"parley/internal/cli/view"
)

// inquiry asks the person at the terminal what waits for them in the tree that a command
// waits for: approvals, and questions that agents have.
type inquiry struct {
	console *console
	hub     *client.Client
	from    io.Reader     // nil if nobody can type
	typed   <-chan string // lines, from the first question on
	putOff  map[string]bool
}

// newInquiry reads what is typed from standard input, or from the terminal itself if a
// message was piped in.
func (c *console) newInquiry(hub *client.Client) *inquiry {
	q := &inquiry{console: c, hub: hub, putOff: map[string]bool{}}
	if _, ok := terminal(c.in); ok {
		q.from = c.in
	} else if tty, err := os.OpenFile("/dev/tty", os.O_RDONLY, 0); err == nil {
		q.from = tty
	}
	return q
}

// lines reads in the background. A read from a terminal cannot be given up, so the
// goroutine ends only with the input or the program.
func lines(from io.Reader) <-chan string {
	typed := make(chan string)
	go func() {
		defer close(typed)
		scan := bufio.NewScanner(from)
		for scan.Scan() {
			typed <- scan.Text()
		}
	}()
	return typed
}

// next is the first thing in the tree that waits for the person and was not put off.
func (q *inquiry) next(ctx context.Context, tree api.TaskTree) (*api.Approval, *api.InboxItem) {
	if q.from == nil {
		return nil, nil
	}
	open := map[string]bool{}
	visit(tree, func(t api.Task) { open[t.ID] = true })
	inbox, err := q.hub.Inbox(ctx, inboxLimit)
	if err != nil {
		return nil, nil // the wait itself will say so
	}
	for _, a := range inbox.Approvals {
		if open[a.Task] && !q.putOff[a.ID] {
			return &a, nil
		}
	}
	i := slices.IndexFunc(inbox.Items, func(i api.InboxItem) bool { return i.Asks && open[i.Task] && !q.putOff[i.ID] })
	if i < 0 {
		return nil, nil
	}
	return nil, &inbox.Items[i]
}

// settle is how long a question stands before an answer to it counts. What was typed
// before it could be read answers something else, or nothing.
const settle = 400 * time.Millisecond

// line waits for the person to type a line, for as long as the matter is open.
func (q *inquiry) line(ctx context.Context, open func() bool) (string, bool) {
	if q.typed == nil {
		q.typed = lines(q.from)
	}
	q.forget(ctx)
	q.print("> ")
	look := time.NewTicker(redrawEvery)
	defer look.Stop()
	for {
		select {
		case text, ok := <-q.typed:
			if !ok {
				q.from = nil // the end of the input
			}
			return strings.TrimSpace(text), ok
		case <-look.C:
			if !open() {
				return "", false
			}
		case <-ctx.Done():
			return "", false
		}
	}
}

// forget drops what was typed before the question stood.
func (q *inquiry) forget(ctx context.Context) {
	timer := time.NewTimer(settle)
	defer timer.Stop()
	for {
		select {
		case text, ok := <-q.typed:
			if !ok {
				q.from = nil
				return
			}
			if strings.TrimSpace(text) != "" {
				q.print("  (What was typed before the question does not count.)\n")
			}
		case <-timer.C:
			return
		case <-ctx.Done():
			return
		}
	}
}

// decide asks about an approval.
func (q *inquiry) decide(ctx context.Context, a api.Approval) {
	s := q.console.screen(q.console.err)
	q.print(s.Paint(view.Bold, view.Line(a.Agent)+" wants to "+view.Line(a.Wants)) + "\n" +
		s.Indent(a.Why+" ("+a.ID+", "+a.Task+")", "  "))
	if a.Left > 0 { // nobody decides about what they have not seen
		q.print(s.Approval(a))
	}
	open := func() bool {
		now, err := q.hub.Approval(ctx, a.ID)
		if err == nil && now.State != "pending" {
			q.print("  " + a.ID + " was " + now.State + by(now) + " meanwhile.\n")
			return false
		}
		return true
	}
	for {
		q.print(s.Indent(q.offer(a), "  "))
		text, ok := q.line(ctx, open)
		if !ok {
			return
		}
		word, rest, _ := strings.Cut(text, " ")
		said, err := q.decision(ctx, a, strings.ToLower(word), strings.TrimSpace(rest), s)
		if err != nil {
			q.print("  " + explain(err) + "\n")
			if parley.KindOf(err) == parley.Conflict { // somebody else was first
				q.putOff[a.ID] = true
				return
			}
			continue
		}
		if said != "" {
			q.print("  " + said + "\n")
			q.putOff[a.ID] = true
			return
		}
	}
}

func by(a api.Approval) string {
	if a.DecidedBy == "" {
		return ""
	}
	return " by " + view.Line(a.DecidedBy)
}

// offer says what can be typed.
func (q *inquiry) offer(a api.Approval) string {
	text := "y: yes.  n REASON: no."
	if a.Always != nil {
		text += "  a: yes, and always: " + a.Agent + " gets the rule " + a.Always.Key + " " + a.Always.Value + view.Covers(a.Always) + "."
	} else if a.NotAlways != "" {
		text += "  (Always cannot be offered: " + a.NotAlways + ")"
	}
	return text + "  s: show everything.  Enter: later."
}

// decision does what was typed. It returns nothing to say if the question stands.
func (q *inquiry) decision(ctx context.Context, a api.Approval, word, rest string, s view.Screen) (string, error) {
	switch word {
	case "y", "yes":
		_, err := q.hub.Approve(ctx, a.ID, a.Digest)
		return "Approved.", err
	case "n", "no":
		_, err := q.hub.Deny(ctx, a.ID, a.Digest, rest)
		return "Denied.", err
	case "a", "always":
		if a.Always == nil {
			return "", nil
		}
		return "Approved, and " + view.Line(a.Agent) + " has the rule " + view.Line(a.Always.Key+" "+a.Always.Value) + ".", q.hub.ApproveAlways(ctx, a)
	case "s", "show":
		q.print(s.Approval(a))
		return "", nil
	case "":
		return "Later: " + q.console.command("approve %s", a.ID), nil
	}
	return "", nil
}

// answer asks a question of an agent.
func (q *inquiry) answer(ctx context.Context, item api.InboxItem) {
	s := q.console.screen(q.console.err)
	_, options := parley.Choices(item.Body)
	q.print(s.Paint(view.Bold, view.Line(item.Author)+" asks you") + " (" + item.Task + ")\n" + s.Indent(item.Body, "  "))
	hint := "Answer in your own words.  Enter: later."
	if len(options) > 0 {
		hint = "Choose by number, or answer in your own words.  Enter: later."
	}
	q.print(s.Indent(hint, "  "))
	text, ok := q.line(ctx, func() bool {
		t, err := q.hub.Task(ctx, item.Task)
		return err != nil || !view.Ended(t)
	})
	q.putOff[item.ID] = true
	switch {
	case !ok:
		return
	case text == "":
		q.print("  Later: " + q.console.replies(item)[0] + "\n")
		return
	}
	text = parley.Chosen(text, options)
	if err := q.hub.AnswerItem(ctx, item, text); err != nil {
		q.print("  " + explain(err) + "\n")
		return
	}
	_ = q.hub.MarkSeen(ctx, item.ID)
	q.print("  Answered: " + view.Line(text) + "\n")
}

// explain is an error in one line, with what to do.
func explain(err error) string {
	p := problem(err)
	return view.Line(strings.TrimSpace(p.Message + " " + p.Hint))
}

func (q *inquiry) print(text string) { _, _ = io.WriteString(q.console.err, text) }
