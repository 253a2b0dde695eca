package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"parley/api"
	"parley/client"
	"parley/internal/cli/view"
)

func approveCommand(c *console) *cobra.Command {
	return &cobra.Command{
		Use:   "approve APPROVAL",
		Short: "Approve what an agent wants to do",
		Long: `Approve what an agent wants to do. The call runs once, exactly as "parley
approvals APPROVAL" shows it. The letters at the end of its id may be left out. The
first decision counts.`,
		Example: `  parley approve approval-7
  parley approve approval-7 --json | jq -r .state`,
		GroupID:           groupTalk,
		Args:              naming(1, between(1, 1)),
		ValidArgsFunction: c.completeApproval,
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.atHub(cmd, func(ctx context.Context, hub *client.Client) error {
				a, err := hub.Approve(ctx, args[0], "")
				return c.decided("Approved", a, err)
			})
		},
	}
}

func denyCommand(c *console) *cobra.Command {
	return &cobra.Command{
		Use:   "deny APPROVAL [REASON...]",
		Short: "Deny what an agent wants to do",
		Long: `Deny what an agent wants to do. The agent goes on without it, and reads your reason
if you give one. The first decision counts.`,
		Example: `  parley deny approval-7
  parley deny approval-7 "Ask me first."`,
		GroupID:           groupTalk,
		Args:              naming(1, between(1, -1)),
		ValidArgsFunction: c.completeApproval,
		RunE: func(cmd *cobra.Command, args []string) error {
			reason := strings.Join(args[1:], " ")
			if err := checkText("The reason", reason); err != nil {
				return err
			}
			return c.atHub(cmd, func(ctx context.Context, hub *client.Client) error {
				a, err := hub.Deny(ctx, args[0], "", reason)
				return c.decided("Denied", a, err)
			})
		},
	}
}

func (c *console) decided(how string, a api.Approval, err error) error {
	if err != nil {
		return err
	}
	return c.show(a, func(s view.Screen) string { return how + " " + a.ID + " of " + a.Agent + ".\n" })
}
