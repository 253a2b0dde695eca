package cli

import (
	"context"

	"github.com/spf13/cobra"

	"parley"
	"parley/api"
	"parley/client"
	"parley/internal/cli/view"
)

// Examples of a budget: for a tree of tasks, and for a team's day.
const (
	budgetForm = "such as 2.50, 200k or tokens=50k,money=1.50,tasks=10,time=30m"
	dailyForm  = "such as tokens=500k,money=5"
)

func taskBudgetCommand(c *console) *cobra.Command {
	cmd := budgetCommand(c, budgetForm, (*client.Client).TaskBudget, (*client.Client).RaiseTaskBudget, (*client.Client).SetTaskBudget)
	cmd.Use = "budget TASK"
	cmd.Short = "Show what a task's tree has spent, or let it spend more"
	cmd.Long = `Show what the whole tree of a task has spent and what it may spend. --add lets it
spend more; what waited for this goes on. --set says what it may spend in all: a
running tree without a budget gets one, and what it has spent counts. Money is in US
dollars.`
	cmd.Example = `  parley task budget task-101
  parley task budget task-101 --add tokens=50k
  parley task budget task-101 --add money=1.50,time=30m
  parley task budget task-101 --set 2.50`
	cmd.Args = naming(1, between(1, 1))
	cmd.ValidArgsFunction = c.completeOpenTask
	return cmd
}

func teamBudgetCommand(c *console) *cobra.Command {
	cmd := budgetCommand(c, dailyForm,
		func(hub *client.Client, ctx context.Context, _ string) (api.Spending, error) {
			return hub.TeamBudget(ctx)
		},
		func(hub *client.Client, ctx context.Context, _ string, add api.Budget) (api.Spending, error) {
			return hub.RaiseTeamBudget(ctx, add)
		}, nil)
	cmd.Use = "budget"
	cmd.Short = "Show what the team has spent today, or let it spend more"
	cmd.Long = `Show what the team has spent today, and what it may spend if parley.yaml sets a cap
under limits: daily. A day begins at midnight UTC. --add lets it spend more today; what
was put off until tomorrow goes on. "parley cost" shows more.`
	cmd.Example = `  parley team budget
  parley team budget --add tokens=500k,money=5`
	cmd.Args = between(0, 0)
	return cmd
}

type changeBudget func(*client.Client, context.Context, string, api.Budget) (api.Spending, error)

// budgetCommand is the common part of the budget commands. What cannot be set has no
// flag for it.
func budgetCommand(c *console, form string, read func(*client.Client, context.Context, string) (api.Spending, error),
	raise, set changeBudget) *cobra.Command {
	var add, in string
	cmd := &cobra.Command{RunE: func(cmd *cobra.Command, args []string) error {
		more, err := parseBudget(cmd, "add", add)
		if err != nil {
			return err
		}
		change := raise
		if in != "" {
			if more != nil {
				return misused(cmd, "--add raises a budget and --set says what it is in all; give only one of them.")
			}
			if more, err = parseBudget(cmd, "set", in); err != nil {
				return err
			}
			change = set
		}
		id := append(args, "")[0]
		return c.atHub(cmd, func(ctx context.Context, hub *client.Client) error {
			var s api.Spending
			if more == nil {
				s, err = read(hub, ctx, id)
			} else {
				s, err = change(hub, ctx, id, *more)
			}
			if err != nil {
				return err
			}
			return c.show(s, func(screen view.Screen) string { return screen.Spending(s) })
		})
	}}
	cmd.Flags().StringVar(&add, "add", "", "how much more may be spent, "+form)
	if set != nil {
		cmd.Flags().StringVar(&in, "set", "", "what may be spent in all, "+form)
	}
	return cmd
}

// parseBudget reads a budget from a flag. It is nil if the flag was not given.
func parseBudget(cmd *cobra.Command, flag, text string) (*api.Budget, error) {
	if !cmd.Flags().Changed(flag) {
		return nil, nil
	}
	b, err := parley.ParseBudget(text)
	if err != nil {
		return nil, misused(cmd, "--%s: %s", flag, parley.Public(err))
	}
	return &api.Budget{Tokens: b.Tokens, Money: float64(b.Money) / float64(parley.Dollar), Tasks: b.Tasks, Seconds: b.Time.Seconds()}, nil
}
