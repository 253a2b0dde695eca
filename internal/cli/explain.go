package cli

import (
	"context"

	"github.com/spf13/cobra"

	"parley/internal/cli/view"
	"parley/internal/client"
)

func explainCommand(c *console) *cobra.Command {
	return &cobra.Command{
		Use:   "explain FROM TO ACTION",
		Short: "Show whether somebody may do something, and by which rule",
		Long: `Show whether somebody may do something, and by which rule: every rule that is
looked at, in order, and the one that decides. Nothing is done.

ACTION is ask, delegate or notify, or what a tool does, as profiles match it:
tool:<category>:<detail>. TO is - for what contacts nobody.

Limits, and whether the other can be reached now, are not looked at.`,
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

// completeExplain offers two agents and then the actions that are contacts.
func (c *console) completeExplain(cmd *cobra.Command, args []string, typed string) (completions, cobra.ShellCompDirective) {
	if len(args) == 2 {
		return completions{"ask", "delegate", "notify"}, cobra.ShellCompDirectiveNoFileComp
	}
	return c.completeAgents(cmd, args, typed)
}
