package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"parley/api"
	"parley/client"
	"parley/internal/cli/view"
)

func personLinkCommand(c *console) *cobra.Command {
	return &cobra.Command{
		Use:   "link NAME",
		Short: "Print a code by which a person links a chat account",
		Long: `Print a code that links an account of a chat program to a person of the team. The
person sends it to the team's bot there, once, within ten minutes; the bot then knows
the account, and hears nobody else. Whoever sends the code acts as NAME. You make codes
for yourself; whoever runs the hub makes them for anyone.`,
		Example: `  parley person link Ada
  parley person link Ada --json | jq -r .code`,
		Args:              naming(1, between(1, 1)),
		ValidArgsFunction: c.completeAgent,
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.atHub(cmd, func(ctx context.Context, hub *client.Client) error {
				code, err := hub.LinkAccount(ctx, args[0])
				if err != nil {
					return err
				}
				return c.show(code, func(view.Screen) string {
					return fmt.Sprintf("%s\n\nSend this to the team's bot as %s, within ten minutes. It works once.\n", code.Code, code.For)
				})
			})
		},
	}
}

func personUnlinkCommand(c *console) *cobra.Command {
	program := ""
	cmd := &cobra.Command{
		Use:   "unlink NAME",
		Short: "Unlink the chat accounts of a person",
		Long: `Unlink the accounts that a person has in chat programs, at once: the bot hears them no
more, and posts nothing more to them.`,
		Example: `  parley person unlink Ada
  parley person unlink Ada --program telegram`,
		Args:              naming(1, between(1, 1)),
		ValidArgsFunction: c.completeAgent,
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.atHub(cmd, func(ctx context.Context, hub *client.Client) error {
				list, err := hub.UnlinkAccounts(ctx, args[0], program)
				if err != nil {
					return err
				}
				return c.showAccounts(list, func(api.ChatAccount) string { return "is unlinked." }, args[0]+" has no linked account.")
			})
		},
	}
	cmd.Flags().StringVar(&program, "program", "", "only those in this chat `program`, such as telegram")
	return cmd
}

func personAccountsCommand(c *console) *cobra.Command {
	return &cobra.Command{
		Use:   "accounts",
		Short: "List the chat accounts of the team's people",
		Long: `List the accounts of chat programs that are linked to people of the team, and since when.
Whoever writes from one of them acts as that person; nobody else is heard there.`,
		Example: `  parley person accounts
  parley person accounts --json | jq -r '.accounts[].for'`,
		Args: between(0, 0),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.atHub(cmd, func(ctx context.Context, hub *client.Client) error {
				list, err := hub.Accounts(ctx)
				if err != nil {
					return err
				}
				return c.showAccounts(list, since, "Nobody has linked a chat account. See: parley person link --help")
			})
		},
	}
}

// since says since when an account is linked.
func since(a api.ChatAccount) string { return "since " + a.Linked.Local().Format("2006-01-02 15:04") }

// showAccounts shows accounts, each on a line that ends with what is to be said of it.
func (c *console) showAccounts(list []api.ChatAccount, say func(api.ChatAccount) string, none string) error {
	return c.show(api.ChatAccountList{Accounts: list}, func(s view.Screen) string {
		text := ""
		for _, a := range list {
			text += fmt.Sprintf("%s: %s account %s", a.For, a.Program, a.Account)
			if a.Name != "" {
				text += " (" + a.Name + ")"
			}
			text += " " + say(a) + "\n"
		}
		if text == "" {
			return none + "\n"
		}
		return text
	})
}
