package cli

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"parley"
	"parley/api"
	"parley/client"
	"parley/internal/cli/view"
)

func askCommand(c *console) *cobra.Command {
	var about, limit string
	var timeout time.Duration
	cmd := &cobra.Command{
		Use:   "ask AGENT [MESSAGE...]",
		Short: "Ask an agent something and wait for its answer",
		Long: `Ask an agent something and wait for its answer.

` + longInputHelp + `

Ctrl-C or the end of the timeout stops the waiting, but not the agent: its work goes
on, and "parley task wait" waits for it again.

At a terminal you see the answer as the agent writes it, who works on it below,
what they do and what it has cost, and you are asked there what waits for you in
it: approvals, and questions of agents. Elsewhere each call is a plain line on
standard error. The answer is printed when it is complete.`,
		Example: `  parley ask DataBot "What was the revenue in Q3?"
  parley ask DataBot --timeout 10m --context "We mean the fiscal year." "And in Q4?"
  git diff | parley ask ReviewBot "Review this."
  parley ask ReviewBot "Compare these." @old.md @new.md
  parley ask DataBot "Revenue in Q3?" --json | jq -r .result`,
		GroupID:           groupTalk,
		Args:              naming(1, between(1, -1)),
		ValidArgsFunction: c.completeOther,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkTimeout(cmd, timeout, longestAsk); err != nil {
				return err
			}
			if err := checkText("--context", about); err != nil {
				return err
			}
			budget, err := parseBudget(cmd, "budget", limit)
			if err != nil {
				return err
			}
			message, err := c.compose(cmd, args[1:])
			if err != nil {
				return err
			}
			return c.atHub(cmd, func(ctx context.Context, hub *client.Client) error {
				return c.ask(ctx, hub, api.ContactRequest{Action: string(parley.Ask), Agent: args[0],
					Message: message, Context: about, Attach: true, Timeout: timeout.Seconds(), Budget: budget})
			})
		},
	}
	cmd.Flags().StringVar(&about, "context", "", "background that the agent needs")
	cmd.Flags().StringVar(&limit, "budget", "", "what the task may spend, including all tasks below it, "+budgetForm)
	cmd.Flags().DurationVar(&timeout, "timeout", 0, "how long to wait (the team's limit, normally 2m)")
	return c.takesInput(cmd)
}

// longestAsk is the longest timeout that the hub accepts; the API documents it.
const longestAsk = 7 * 24 * time.Hour

func (c *console) ask(ctx context.Context, hub *client.Client, r api.ContactRequest) error {
	ctx, stop := interruptible(ctx)
	defer stop()
	t, asked, err := c.askOnce(ctx, hub, r)
	if err != nil {
		return err
	}
	if !view.Ended(t) {
		if c.json {
			if err := c.writeJSON(c.out, t); err != nil {
				return err
			}
		}
		hint := c.waitHint(t)
		if t.Late != "" {
			hint = t.Late + "\n" + hint
		}
		return parley.Errorf(parley.Timeout, "%s.", parley.NoAnswerText(t.Agent, waitTime(asked))).WithHint("%s", hint)
	}
	return c.answer(ctx, hub, t, parley.ErrAskFailed)
}

// askOnce asks and waits for the answer. It returns the task as it is then, and as it was
// when it was asked for. Where nobody looks on meanwhile, one request does both.
func (c *console) askOnce(ctx context.Context, hub *client.Client, r api.ContactRequest) (t, asked api.Task, err error) {
	if !c.json {
		if asked, err = c.openTask(ctx, hub, r); err != nil {
			return t, asked, err
		}
		c.adviseAbsent(ctx, hub, asked.Agent)
		t, err = c.await(ctx, hub, asked, waitTime(asked))
		return t, asked, err
	}
	begun := time.Now()
	if asked, err = c.askWaiting(ctx, hub, r); err != nil || view.Ended(asked) {
		return asked, asked, err
	}
	left := waitTime(asked)
	if left > 0 { // 0 would be without end
		left = max(left-time.Since(begun), time.Millisecond)
	}
	t, err = c.await(ctx, hub, asked, left)
	return t, asked, err
}

// waitInRequest is how long the hub is asked to hold the request that asks.
const waitInRequest = 30 * time.Second

// askWaiting asks, and waits in the same request. Ctrl-C interrupts the waiting, and the
// key then finds the task.
func (c *console) askWaiting(ctx context.Context, hub *client.Client, r api.ContactRequest) (api.Task, error) {
	if ctx.Err() != nil { // while there is no task
		return api.Task{}, silent{exitInterrupted}
	}
	ctx = client.WithKey(ctx, rand.Text())
	r.Wait = waitInRequest.Seconds()
	contact, err := openContact(ctx, hub, r)
	if ctx.Err() != nil {
		r.Wait = 0
		contact, err = openContact(context.WithoutCancel(ctx), hub, r)
	}
	if err != nil {
		return api.Task{}, err
	}
	return *contact.Task, nil
}

// openTask makes a contact. Ctrl-C does not interrupt it, because nobody would
// know then whether there is a task, and which.
func (c *console) openTask(ctx context.Context, hub *client.Client, r api.ContactRequest) (api.Task, error) {
	c.adviseCost(ctx, hub, r)
	if ctx.Err() != nil { // while there is no task
		return api.Task{}, silent{exitInterrupted}
	}
	contact, err := openContact(context.WithoutCancel(ctx), hub, r)
	if err != nil {
		return api.Task{}, err
	}
	return *contact.Task, nil
}

// openContact makes a contact. If it has to wait for approval there is nothing
// to show yet, so this is an error.
func openContact(ctx context.Context, hub *client.Client, r api.ContactRequest) (api.Contact, error) {
	contact, err := hub.Contact(ctx, r)
	if err == nil && contact.Approval != nil {
		err = parley.Errorf(parley.Denied, "%s", contact.Notice).
			WithHint("It is %s. The contact is made when a person or your manager approves it.", contact.Approval.ID)
	}
	return contact, err
}

// waitTime is how long the hub waits for the answer to an ask.
func waitTime(t api.Task) time.Duration {
	if t.WaitUntil == nil {
		return 0
	}
	return t.WaitUntil.Sub(t.Created)
}

// answer shows the result of a task that has ended, and tells the hub that it
// was seen. If the task failed, it returns the error that failed makes of it.
func (c *console) answer(ctx context.Context, hub *client.Client, t api.Task, failed func(agent, reason string) *parley.Error) error {
	if c.json {
		if err := c.writeJSON(c.out, t); err != nil {
			return err
		}
	}
	defer c.seen(ctx, hub, t)
	if t.State != parley.Completed.String() {
		return failed(t.Agent, t.Error).WithHint("%s", c.againHint(t))
	}
	if c.json {
		return nil
	}
	if t.Result == "" {
		c.say("%s ended without an answer.", t.Agent)
		return nil
	}
	return c.show(t, func(s view.Screen) string { return s.Text(t.Result) })
}

// seen marks what a task has answered as displayed, so that the inbox does not show it
// again: its result, that it failed, and of an ask what its agent said on the way there.
// Anything else that came meanwhile stays, and so does what was said on the way of work
// that was handed over: nobody may have looked then. The command does not fail if this
// fails.
func (c *console) seen(ctx context.Context, hub *client.Client, t api.Task) {
	var ids []string
	if t.ResultID != "" {
		ids = append(ids, t.ResultID)
	}
	inbox, err := hub.Inbox(ctx, inboxLimit)
	if err == nil {
		for _, item := range inbox.Items {
			if item.Task == t.ID && !item.Asks && answers(t, parley.MessageKind(item.Kind)) {
				ids = append(ids, item.ID)
			}
		}
	}
	_ = hub.MarkSeen(ctx, ids...)
}

func answers(t api.Task, kind parley.MessageKind) bool {
	return kind == parley.FailureMessage || kind == parley.ReplyMessage && t.Pattern == string(parley.Ask)
}

// waitHint says how to wait for a task again.
func (c *console) waitHint(t api.Task) string {
	return t.Agent + "'s work goes on as " + t.ID + ".\nWait for it with: " + c.command("task wait %s", t.ID)
}

// stopped says that only the waiting has ended, because of Ctrl-C or because the
// hub is gone. It names the task, so that the reader can find it again.
func (c *console) stopped(t api.Task, err error) error {
	interrupted := errors.Is(err, context.Canceled)
	if !interrupted && !isNoHub(err) {
		return err
	}
	if c.json {
		if failed := c.line(t); failed != nil {
			return failed
		}
	}
	if interrupted {
		c.advise("Not waiting any longer. %s", c.waitHint(t))
		return silent{exitInterrupted}
	}
	p := problem(err)
	return parley.Errorf(parley.Unavailable, "%s", p.Message).WithCause(err).
		WithHint("%s is stored and goes on when a hub runs again.\nThen wait for it with: %s", t.ID, c.command("task wait %s", t.ID))
}
