package cli

import (
	"context"

	"github.com/spf13/cobra"

	"parley/api"
	"parley/client"
	"parley/internal/cli/view"
)

func sessionCommand(c *console) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "session",
		Short: "See who is signed in to the page, and sign browsers out",
		Long: `See in which browsers people have signed in to the hub's page, and sign them out. A
session ends when it is ended here or on the page, when it was not used for 30 days,
and with the token that it comes from.`,
		Example: `  parley session list
  parley session end session-7
  parley session end --all
  parley session link`,
		GroupID: groupCare,
		Args:    noSuchCommand,
		RunE:    func(cmd *cobra.Command, args []string) error { return cmd.Help() },
	}
	cmd.AddCommand(sessionListCommand(c), sessionEndCommand(c), sessionLinkCommand(c))
	return cmd
}

func sessionListCommand(c *console) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the browsers in which people of the team are signed in",
		Example: `  parley session list
  parley session list --json | jq -r '.sessions[].id'`,
		Args: between(0, 0),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.atHub(cmd, func(ctx context.Context, hub *client.Client) error {
				list, err := hub.Sessions(ctx)
				if err != nil {
					return err
				}
				return c.show(api.SessionList{Sessions: list}, func(s view.Screen) string { return s.Sessions(list) })
			})
		},
	}
}

func sessionEndCommand(c *console) *cobra.Command {
	all := false
	cmd := &cobra.Command{
		Use:   "end [ID...]",
		Short: "Sign browsers out",
		Long:  `Sign browsers out by the ids of their sessions, or all of your own with --all.`,
		Example: `  parley session end session-7
  parley session end --all`,
		Args: between(0, 100),
		RunE: func(cmd *cobra.Command, args []string) error {
			if all == (len(args) > 0) {
				return misused(cmd, "Give the ids of sessions, or --all.")
			}
			return c.atHub(cmd, func(ctx context.Context, hub *client.Client) error {
				list, err := endSessions(ctx, hub, args)
				if err != nil {
					return err
				}
				return c.show(api.SessionList{Sessions: list}, func(view.Screen) string {
					text := ""
					for _, s := range list {
						text += s.ID + " has ended.\n"
					}
					if text == "" {
						return "You are signed in nowhere.\n"
					}
					return text
				})
			})
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "all of yours")
	return cmd
}

// endSessions ends those with the ids, or all of the caller's if there are none.
func endSessions(ctx context.Context, hub *client.Client, ids []string) ([]api.Session, error) {
	if len(ids) == 0 {
		return hub.EndSessions(ctx)
	}
	list := make([]api.Session, 0, len(ids))
	for _, id := range ids {
		s, err := hub.EndSession(ctx, id)
		if err != nil {
			return list, err
		}
		list = append(list, s)
	}
	return list, nil
}

func sessionLinkCommand(c *console) *cobra.Command {
	return &cobra.Command{
		Use:   "link",
		Short: "Print a link that signs you in to the page, once",
		Long: `Print a link that signs you in to the hub's page, once, within ten minutes. It is for
a browser on another machine, or where "parley up --open" finds none. Whoever opens
it acts as you.`,
		Example: "  parley session link",
		Args:    between(0, 0),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.atHub(cmd, func(ctx context.Context, hub *client.Client) error {
				p, err := newPage(ctx, hub)
				if err != nil {
					return err
				}
				return c.show(p, func(view.Screen) string { return p.Link + "\n" })
			})
		},
	}
}
