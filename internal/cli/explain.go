package cli

import (
	"context"

	"github.com/spf13/cobra"

	"parley/client"
	"parley/internal/cli/view"
)

func explainCommand(c *console) *cobra.Command {
	return &cobra.Command{
		Use:   "explain FROM TO ACTION",
		Short: "Show whether somebody may do something, and which rule decides",
		Long: `Show whether somebody may do something, and why: every rule that is looked at, in
order, and the one that decides. Nothing is done.

ACTION is ask, delegate or notify, or what a tool does, in the form that profiles
match: tool:<category>:<detail>. TO is - for an action that contacts nobody.

Limits are left aside, and so is whether the target can be reached now.`,
		Example: `  parley explain planner writer ask
  parley explain writer - "tool:shell:make test"
  parley explain planner writer delegate --json | jq -r .rule`,
		GroupID:           groupLook,
		Args:              between(3, 3),
		ValidArgsFunction: c.completeExplain,
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.atHub(cmd, func(ctx context.Context, hub *client.Client) error {
				to := args[1]
				if to == "-" {
					to = ""
				}
				e, err := hub.Explain(ctx, args[0], to, args[2])
				if err != nil {
					return err
				}
				return c.show(e, func(s view.Screen) string { return s.Explanation(e) })
			})
		},
	}
}

// completeExplain offers two agents, then the actions that contact somebody.
func (c *console) completeExplain(cmd *cobra.Command, args []string, typed string) (completions, cobra.ShellCompDirective) {
	if len(args) == 2 {
		return completions{"ask", "delegate", "notify"}, cobra.ShellCompDirectiveNoFileComp
	}
	return c.completeAgents(cmd, args, typed)
}
