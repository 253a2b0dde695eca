package cli

import (
	"context"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"parley/api"
	"parley/client"
	"parley/internal/hubfile"
)

// completionTime bounds a completion, which asks the running hub. If the hub is
// slow or does not run, nothing is offered: a shell that hangs is worse than one
// that does not help.
const completionTime = 2 * time.Second

type completions = []cobra.Completion

// completeAgent offers the names of agents for the first argument.
func (c *console) completeAgent(cmd *cobra.Command, args []string, _ string) (completions, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return c.offer(cmd, agentNames(nil))
}

// completeOther offers everyone but the caller.
func (c *console) completeOther(cmd *cobra.Command, args []string, _ string) (completions, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return c.offer(cmd, func(ctx context.Context, hub *client.Client) (completions, error) {
		about, err := hub.Hub(ctx)
		if err != nil {
			return nil, err
		}
		return agentNames([]string{about.You})(ctx, hub)
	})
}

// completeAgents offers agents for two arguments, never the same one twice.
func (c *console) completeAgents(cmd *cobra.Command, args []string, _ string) (completions, cobra.ShellCompDirective) {
	if len(args) > 1 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return c.offer(cmd, agentNames(args))
}

func agentNames(without []string) source {
	return func(ctx context.Context, hub *client.Client) (completions, error) {
		agents, err := hub.Agents(ctx)
		var names completions
		for _, a := range agents {
			if !slices.Contains(without, a.Name) {
				names = append(names, cobra.CompletionWithDesc(a.Name, a.Status))
			}
		}
		return names, err
	}
}

// completeTask offers the newest tasks.
func (c *console) completeTask(cmd *cobra.Command, args []string, _ string) (completions, cobra.ShellCompDirective) {
	return c.offerTasks(cmd, args, client.TaskFilter{Limit: 50})
}

// completeOpenTask offers the tasks that have not ended.
func (c *console) completeOpenTask(cmd *cobra.Command, args []string, _ string) (completions, cobra.ShellCompDirective) {
	return c.offerTasks(cmd, args, client.TaskFilter{Open: true, Limit: 50})
}

// completeAsked offers the open tasks of the caller.
func (c *console) completeAsked(cmd *cobra.Command, args []string, _ string) (completions, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return c.offer(cmd, func(ctx context.Context, hub *client.Client) (completions, error) {
		about, err := hub.Hub(ctx)
		if err != nil {
			return nil, err
		}
		tasks, err := hub.Tasks(ctx, client.TaskFilter{Agent: about.You, Open: true, Limit: 50})
		return describeTasks(tasks, func(t api.Task) string { return t.Requester + ": " + t.Title }), err
	})
}

func (c *console) offerTasks(cmd *cobra.Command, args []string, f client.TaskFilter) (completions, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return c.offer(cmd, func(ctx context.Context, hub *client.Client) (completions, error) {
		tasks, err := hub.Tasks(ctx, f)
		return describeTasks(tasks, func(t api.Task) string { return t.State + ", " + t.Agent + ": " + t.Title }), err
	})
}

func describeTasks(tasks []api.Task, text func(api.Task) string) completions {
	var list completions
	for _, t := range tasks {
		list = append(list, cobra.CompletionWithDesc(t.ID, text(t)))
	}
	return list
}

// source finds the possible values of an argument.
type source func(context.Context, *client.Client) (completions, error)

// offer keeps the order, since the newest task is the likeliest. cobra runs
// completion in a command of its own, so it needs its own context.
func (c *console) offer(cmd *cobra.Command, find source) (completions, cobra.ShellCompDirective) {
	const nothing = cobra.ShellCompDirectiveNoFileComp
	hub, err := c.connect()
	if err != nil {
		return nil, nothing
	}
	defer hub.Close()
	ctx := cmd.Context()
	if ctx == nil {
		ctx = context.Background()
	}
	ctx, cancel := context.WithTimeout(ctx, completionTime)
	defer cancel()
	list, err := find(ctx, hub)
	if err != nil {
		return nil, nothing
	}
	return list, nothing | cobra.ShellCompDirectiveKeepOrder
}

// completeTeam offers the further teams of the hub, and its own.
func (c *console) completeTeam(*cobra.Command, []string, string) (completions, cobra.ShellCompDirective) {
	const nothing = cobra.ShellCompDirectiveNoFileComp
	c.team = "" // it is just being typed
	p, err := c.nearest()
	if err != nil {
		return nil, nothing
	}
	var names completions
	if own := c.ownName(p); own != "" {
		names = append(names, own)
	}
	further, err := hubfile.Teams(p.data)
	if err != nil {
		return nil, nothing
	}
	for _, t := range further {
		names = append(names, cobra.CompletionWithDesc(t.Name, t.Folder))
	}
	return names, nothing
}

// completeFlag offers these values for a flag.
func completeFlag(cmd *cobra.Command, name string, values ...string) {
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)))
}
