package cli

import (
	"context"

	"github.com/spf13/cobra"

	"parley"
	"parley/api"
	"parley/client"
	"parley/internal/cli/view"
)

func delegateCommand(c *console) *cobra.Command {
	var about, priority, limit string
	var wait bool
	cmd := &cobra.Command{
		Use:   "delegate AGENT [MESSAGE...]",
		Short: "Delegate work to an agent without waiting for it",
		Long: `Delegate work to an agent without waiting for it. The result comes to your inbox.

` + longInputHelp,
		Example: `  parley delegate WriterBot "Write the summary of Q3."
  parley delegate WriterBot --priority high --context "Two pages at most." < notes.md
  parley delegate WriterBot "Write the summary of Q3." --wait
  parley delegate WriterBot "Write the book." --budget tokens=2M,money=20`,
		GroupID:           groupTalk,
		Args:              naming(1, between(1, -1)),
		ValidArgsFunction: c.completeOther,
		RunE: func(cmd *cobra.Command, args []string) error {
			urgency, err := parley.ParsePriority(priority)
			if err != nil {
				return misused(cmd, "%s", parley.Public(err))
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
				return c.delegate(ctx, hub, api.ContactRequest{Action: string(parley.Delegate), Agent: args[0],
					Message: message, Context: about, Attach: true, Priority: urgency.String(), Budget: budget}, wait)
			})
		},
	}
	cmd.Flags().StringVar(&about, "context", "", "background that the agent needs")
	cmd.Flags().StringVar(&priority, "priority", "normal", "low, normal, high or urgent")
	cmd.Flags().StringVar(&limit, "budget", "", "what the task may spend, including all tasks below it, "+budgetForm)
	cmd.Flags().BoolVar(&wait, "wait", false, "wait for the result")
	completeFlag(cmd, "priority", "low", "normal", "high", "urgent")
	return c.takesInput(cmd)
}

func (c *console) delegate(ctx context.Context, hub *client.Client, r api.ContactRequest, wait bool) error {
	if wait {
		return c.delegateAndWait(ctx, hub, r)
	}
	c.adviseCost(ctx, hub, r)
	contact, err := openContact(ctx, hub, r)
	if err != nil {
		return err
	}
	absent := c.notConnected(ctx, hub, contact.Agent)
	return c.show(contact, func(s view.Screen) string { return c.delegated(s, contact, absent) })
}

func (c *console) delegateAndWait(ctx context.Context, hub *client.Client, r api.ContactRequest) error {
	ctx, stop := interruptible(ctx)
	defer stop()
	t, err := c.openTask(ctx, hub, r)
	if err != nil {
		return err
	}
	c.advise("Delegated to %s as %s.", t.Agent, t.ID)
	c.adviseAbsent(ctx, hub, t.Agent)
	if sleeps := putOff(c.screen(c.err), t); sleeps != "" {
		c.advise("%s", sleeps)
	}
	return c.awaitResult(ctx, hub, t)
}

// delegated tells a person what was done. Agents read another text of the same.
func (c *console) delegated(s view.Screen, contact api.Contact, absent string) string {
	text := "Delegated to " + contact.Agent + " as " + contact.Task.ID + ". The result comes to your inbox.\n"
	if absent != "" {
		text += absent + "\n"
	}
	if sleeps := putOff(s, *contact.Task); sleeps != "" {
		text += sleeps + "\n"
	}
	return text + "See it with: " + c.command("inbox") + "\n" +
		"Wait for it with: " + c.command("task wait %s", contact.Task.ID) + "\n"
}

// putOff says until when the agent sleeps if the task waits for that.
func putOff(s view.Screen, t api.Task) string {
	if t.Due == nil || !t.Due.After(s.Now) {
		return ""
	}
	return t.Agent + " sleeps until " + s.When(*t.Due) + " and starts then."
}

// awaitResult waits for a delegation, however long it takes, and shows the
// result.
func (c *console) awaitResult(ctx context.Context, hub *client.Client, t api.Task) error {
	t, err := c.await(ctx, hub, t, 0)
	if err != nil {
		return err
	}
	return c.answer(ctx, hub, t, taskFailed)
}

func taskFailed(agent, reason string) *parley.Error {
	return parley.Errorf(parley.Failed, "%s failed to complete the task: %s", agent, parley.Quote(reason))
}
