package cli

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"parley/api"
	"parley/client"
	"parley/internal/cli/view"
)

// Trees is what "parley tasks --json" prints: tasks with everything below them,
// newest last.
type Trees struct {
	Tasks  []api.TaskTree `json:"tasks"`
	Paused bool           `json:"paused,omitempty"` // the team is paused
}

type tasksQuery struct {
	open, all bool
	agent     string
	limit     int
}

func tasksCommand(c *console) *cobra.Command {
	var q tasksQuery
	cmd := &cobra.Command{
		Use:   "tasks",
		Short: "Show tasks as trees, with their states",
		Long: `Show tasks as trees, with their states, newest last.

Without flags it shows the newest 10 trees. With --agent the trees begin with that
agent's tasks.`,
		Example: `  parley tasks
  parley tasks --open
  parley tasks --agent DataBot --limit 50
  parley tasks --all --json | jq '.tasks | length'`,
		GroupID: groupLook,
		Args:    between(0, 0),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkLimit(cmd, q.limit); err != nil {
				return err
			}
			if cmd.Flags().Changed("agent") {
				if err := checkName(cmd, "name after --agent", q.agent); err != nil {
					return err
				}
			}
			return c.atHub(cmd, func(ctx context.Context, hub *client.Client) error {
				return c.tasks(ctx, hub, q)
			})
		},
	}
	cmd.Flags().BoolVar(&q.open, "open", false, "only trees with open tasks")
	cmd.Flags().BoolVar(&q.all, "all", false, "as many as the hub returns at once")
	cmd.Flags().StringVar(&q.agent, "agent", "", "only what this `agent` works on")
	cmd.Flags().IntVar(&q.limit, "limit", 10, "how many trees")
	cmd.MarkFlagsMutuallyExclusive("all", "limit")
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc("agent", c.completeAgent))
	return cmd
}

func (c *console) tasks(ctx context.Context, hub *client.Client, q tasksQuery) error {
	trees, more, err := findTrees(ctx, hub, q)
	if err != nil {
		return err
	}
	about, err := hub.Hub(ctx)
	if err != nil {
		return err
	}
	return c.show(Trees{Tasks: trees, Paused: about.Paused}, func(s view.Screen) string {
		if len(trees) == 0 {
			return "There are no tasks" + q.describe() + ".\n"
		}
		if more != "" {
			c.advise("%s", more)
		}
		if about.Paused {
			return s.Tree(trees) + c.pausedNote()
		}
		return s.Tree(trees)
	})
}

func (q tasksQuery) describe() string {
	text := ""
	if q.agent != "" {
		text += " of " + q.agent
	}
	if q.open {
		text += " that are open"
	}
	return text
}

// findTrees reads the newest trees, newest last, and says if there are more.
func findTrees(ctx context.Context, hub *client.Client, q tasksQuery) (trees []api.TaskTree, more string, err error) {
	limit := q.limit
	if q.all {
		limit = longestList
	}
	// A root that has ended may still have open tasks below it. So open trees are
	// found by their open tasks, of which a tree may have many.
	filter := client.TaskFilter{Agent: q.agent, Open: q.open, Roots: !q.open && q.agent == "", Limit: min(limit+1, longestList)}
	if q.open {
		filter.Limit = longestList
	}
	list, err := hub.Tasks(ctx, filter)
	if err != nil {
		return nil, "", err
	}
	tops := tops(list, q)
	switch {
	case len(tops) > limit:
		tops = tops[:limit]
		more = "There are older ones; --all and --limit show more."
	case len(list) == longestList:
		more = fmt.Sprintf("There may be older ones; the hub lists %d tasks at once.", longestList)
	}
	trees = []api.TaskTree{}
	for _, id := range slices.Backward(tops) {
		tree, err := hub.Tree(ctx, id)
		if err != nil {
			return nil, "", err
		}
		trees = append(trees, tree)
	}
	return trees, more, nil
}

// tops returns the tasks at the top of the trees, newest first: an agent's own
// tasks, or else the roots.
func tops(list []api.Task, q tasksQuery) []string {
	var ids []string
	for _, t := range list {
		id := t.Root
		if q.agent != "" {
			id = t.ID
		}
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}
