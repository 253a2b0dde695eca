package cli

import (
	"context"

	"github.com/spf13/cobra"

	"parley/api"
	"parley/client"
	"parley/internal/cli/view"
)

func approvalsCommand(c *console) *cobra.Command {
	var all bool
	var limit int
	cmd := &cobra.Command{
		Use:   "approvals [APPROVAL]",
		Short: "List what waits for your approval",
		Long: `List the calls of agents that wait for your approval, oldest first. With the id
of an approval, show the exact call that runs if you approve.

An agent waits when its rules require an approval; "parley explain" shows them. A
person or the agent's manager decides. If nobody decides in time, the call is
denied.`,
		Example: `  parley approvals
  parley approvals approval-7
  parley approvals --all
  parley approvals --json | jq -r '.approvals[].id'`,
		GroupID:           groupLook,
		Args:              naming(1, between(0, 1)),
		ValidArgsFunction: c.completeApproval,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkLimit(cmd, limit); err != nil {
				return err
			}
			return c.atHub(cmd, func(ctx context.Context, hub *client.Client) error {
				if len(args) == 1 {
					return c.approvalShow(ctx, hub, args[0])
				}
				return c.approvals(ctx, hub, all, limit)
			})
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "include those that are decided, newest first")
	cmd.Flags().IntVar(&limit, "limit", 100, "how many")
	return cmd
}

func (c *console) approvals(ctx context.Context, hub *client.Client, all bool, limit int) error {
	list, err := hub.Approvals(ctx, all, limit)
	if err != nil {
		return err
	}
	return c.show(api.ApprovalList{Approvals: list}, func(s view.Screen) string {
		if len(list) == 0 {
			return "Nothing waits for a decision.\n"
		}
		return s.Approvals(list, c.wholeApproval)
	})
}

// wholeApproval is the command that shows everything about an approval.
func (c *console) wholeApproval(id string) string { return c.command("approvals %s", id) }

func (c *console) approvalShow(ctx context.Context, hub *client.Client, id string) error {
	a, err := hub.Approval(ctx, id)
	if err != nil {
		return err
	}
	return c.show(a, func(s view.Screen) string { return s.Approval(a) })
}

// completeApproval offers the pending approvals.
func (c *console) completeApproval(cmd *cobra.Command, args []string, _ string) (completions, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return c.offer(cmd, func(ctx context.Context, hub *client.Client) (completions, error) {
		list, err := hub.Approvals(ctx, false, 50)
		var ids completions
		for _, a := range list {
			ids = append(ids, cobra.CompletionWithDesc(a.ID, a.Agent+": "+a.Wants))
		}
		return ids, err
	})
}
