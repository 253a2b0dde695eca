package cli

import (
	"context"

	"github.com/spf13/cobra"

	"parley/api"
	"parley/client"
	"parley/internal/cli/view"
)

func tokenCommand(c *console) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "token",
		Short: "Make, list and revoke tokens",
		Long: `Make, list and revoke the tokens by which people and agent programs use the hub. A
token is shown once, when it is made; the hub only has its fingerprint. Each is
revoked by itself, and is of no use from that moment on.`,
		Example: `  parley token create reviewer --label "CI" --expires 30d
  parley token list
  parley token revoke token-7`,
		GroupID: groupCare,
		Args:    noSuchCommand,
		RunE:    func(cmd *cobra.Command, args []string) error { return cmd.Help() },
	}
	cmd.AddCommand(tokenCreateCommand(c), tokenListCommand(c), tokenRevokeCommand(c))
	return cmd
}

func tokenCreateCommand(c *console) *cobra.Command {
	var label, expires string
	cmd := &cobra.Command{
		Use:   "create NAME",
		Short: "Make a token for a client agent or a person",
		Long: `Make a token for a client agent (kind: client in its file) or a person of the team,
and print it. Nobody can read it again. Whoever has it acts as NAME.`,
		Example: `  parley token create reviewer
  parley token create reviewer --label "CI" --expires 30d
  export PARLEY_TOKEN=$(parley token create reviewer --json | jq -r .token)`,
		Args:              naming(1, between(1, 1)),
		ValidArgsFunction: c.completeAgent,
		RunE: func(cmd *cobra.Command, args []string) error {
			r := api.TokenRequest{For: args[0], Label: label}
			if expires != "" {
				d, ok := parseDuration(expires)
				if !ok || d <= 0 {
					return misused(cmd, "%q is not a duration like 30d or 12h.", expires)
				}
				r.ExpiresIn = d.Seconds()
			}
			return c.atHub(cmd, func(ctx context.Context, hub *client.Client) error {
				t, err := hub.CreateToken(ctx, r)
				if err != nil {
					return err
				}
				return c.showToken(t, hub.Address())
			})
		},
	}
	cmd.Flags().StringVar(&label, "label", "", "what it is for, for people")
	cmd.Flags().StringVar(&expires, "expires", "", "after what `time` it ends, such as 30d; never if left out")
	return cmd
}

// showToken prints a new token. In a pipe there is only the token on standard output,
// and the rest is advice.
func (c *console) showToken(t api.NewToken, address string) error {
	return c.show(t, func(s view.Screen) string { return s.NewToken(t, address) })
}

func tokenListCommand(c *console) *cobra.Command {
	all := false
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the tokens of the team",
		Example: `  parley token list
  parley token list --all --json | jq -r '.tokens[] | select(.state == "expired") | .id'`,
		Args: between(0, 0),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.atHub(cmd, func(ctx context.Context, hub *client.Client) error {
				list, err := hub.Tokens(ctx, all)
				if err != nil {
					return err
				}
				return c.show(api.TokenList{Tokens: list}, func(s view.Screen) string { return s.Tokens(list) })
			})
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "also those that have ended")
	return cmd
}

func tokenRevokeCommand(c *console) *cobra.Command {
	return &cobra.Command{
		Use:   "revoke ID...",
		Short: "Revoke tokens",
		Long: `Revoke tokens by their ids. Each is of no use from that moment on, and what waits
with it ends.`,
		Example: "  parley token revoke token-7",
		Args:    between(1, 100),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.atHub(cmd, func(ctx context.Context, hub *client.Client) error {
				list := make([]api.Token, 0, len(args))
				for _, id := range args {
					t, err := hub.RevokeToken(ctx, id)
					if err != nil {
						return err
					}
					list = append(list, t)
				}
				return c.show(api.TokenList{Tokens: list}, func(s view.Screen) string {
					text := ""
					for _, t := range list {
						text += t.ID + " of " + t.For + " is revoked.\n"
					}
					return text
				})
			})
		},
	}
}

func personCommand(c *console) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "person",
		Short: "Add people to the team, and link their chat accounts",
		Example: `  parley person add Ada
  parley person link Ada`,
		GroupID: groupCare,
		Args:    noSuchCommand,
		RunE:    func(cmd *cobra.Command, args []string) error { return cmd.Help() },
	}
	cmd.AddCommand(&cobra.Command{
		Use:   "add NAME",
		Short: "Add a person and make a token for them",
		Long: `Add a person to people: in parley.yaml, and print a token for them. Comments and
everything else in the file stay as they are. A person may do whatever you may.`,
		Example: `  parley person add Ada
  parley person add "Grace Hopper" --json | jq -r .token`,
		Args: between(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.atHub(cmd, func(ctx context.Context, hub *client.Client) error {
				t, err := hub.AddPerson(ctx, args[0])
				if err != nil {
					return err
				}
				return c.showToken(t, hub.Address())
			})
		},
	}, personLinkCommand(c), personUnlinkCommand(c), personAccountsCommand(c))
	return cmd
}
