package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"parley/internal/api"
	"parley/internal/cli/view"
	"parley/internal/client"
)

func keepersCommand(c *console) *cobra.Command {
	var limit int
	cmd := &cobra.Command{
		Use:   "keepers",
		Short: "List what agents have put away, show, share and prune it",
		Long: `List the keepers, the newest first: chunks of conversations that agents have put
away, or the hub for them when a conversation no longer fitted their model. Search
in them with "parley search --kind keepers".`,
		Example: `  parley keepers
  parley keepers show keeper-7
  parley keepers share keeper-7
  parley keepers prune --older 30d --dry-run
  parley search --kind keepers rollback`,
		GroupID: groupLook,
		Args:    between(0, 0),
		RunE: func(cmd *cobra.Command, args []string) error {
			if limit < 1 || limit > 1000 {
				return misused(cmd, "--limit is %d; it is a number from 1 to 1000.", limit)
			}
			return c.atHub(cmd, func(ctx context.Context, hub *client.Client) error {
				list, err := hub.Keepers(ctx, limit)
				if err != nil {
					return err
				}
				return c.show(list, func(s view.Screen) string {
					if len(list.Keepers) == 0 {
						return "There are no keepers. Agents with the toolset loom make them with context_offload.\n"
					}
					return s.Keepers(list.Keepers)
				})
			})
		},
	}
	cmd.Flags().IntVar(&limit, "limit", 50, "how many at most")
	cmd.AddCommand(keeperShowCommand(c), keeperShareCommand(c), keeperPruneCommand(c))
	return cmd
}

func keeperShowCommand(c *console) *cobra.Command {
	return &cobra.Command{
		Use:               "show KEEPER",
		Short:             "Show what a keeper holds, the oldest first",
		Example:           "  parley keepers show keeper-7",
		Args:              between(1, 1),
		ValidArgsFunction: c.completeKeeper,
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.atHub(cmd, func(ctx context.Context, hub *client.Client) error {
				k, err := hub.Keeper(ctx, args[0])
				if err != nil {
					return err
				}
				return c.show(k, func(s view.Screen) string { return s.Keeper(k) })
			})
		},
	}
}

func keeperShareCommand(c *console) *cobra.Command {
	return &cobra.Command{
		Use:   "share KEEPER",
		Short: "Let the whole team read a keeper",
		Long: `Let the whole team read a keeper: all that it holds, also what tools returned to its
owner. It cannot be taken back, since others may have read it.`,
		Example:           "  parley keepers share keeper-7",
		Args:              between(1, 1),
		ValidArgsFunction: c.completeKeeper,
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.atHub(cmd, func(ctx context.Context, hub *client.Client) error {
				k, err := hub.ShareKeeper(ctx, args[0])
				if err != nil {
					return err
				}
				return c.show(k, func(view.Screen) string { return "The team may read " + k.ID + " now.\n" })
			})
		},
	}
}

func keeperPruneCommand(c *console) *cobra.Command {
	var older string
	var dry bool
	cmd := &cobra.Command{
		Use:   "prune --older TIME",
		Short: "Remove keepers that nothing was found in for long",
		Long: `Remove the keepers that nothing was found in for the given time, since they were made
or last used. With --dry-run they are only listed.`,
		Example: `  parley keepers prune --older 30d --dry-run
  parley keepers prune --older 30d`,
		Args: between(0, 0),
		RunE: func(cmd *cobra.Command, args []string) error {
			unused, ok := parseDuration(older)
			if !ok || unused <= 0 {
				return misused(cmd, "--older %q is not a time such as 30d or 12h.", older)
			}
			return c.atHub(cmd, func(ctx context.Context, hub *client.Client) error {
				list, err := hub.PruneKeepers(ctx, unused, dry)
				if err != nil {
					return err
				}
				return c.show(list, func(s view.Screen) string { return pruned(s, list, dry) })
			})
		},
	}
	cmd.Flags().StringVar(&older, "older", "", "how `long` nothing was found in them")
	cmd.Flags().BoolVar(&dry, "dry-run", false, "only list them")
	return cmd
}

func pruned(s view.Screen, list api.KeeperList, dry bool) string {
	n := len(list.Keepers)
	switch {
	case n == 0:
		return "There are no keepers that were not used for that long.\n"
	case dry:
		return s.Keepers(list.Keepers) + fmt.Sprintf("%d would be removed.\n", n)
	}
	return fmt.Sprintf("Removed %d.\n", n)
}

// completeKeeper offers the keepers by their ids.
func (c *console) completeKeeper(cmd *cobra.Command, args []string, _ string) (completions, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return c.offer(cmd, func(ctx context.Context, hub *client.Client) (completions, error) {
		list, err := hub.Keepers(ctx, 50)
		var ids completions
		for _, k := range list.Keepers {
			ids = append(ids, cobra.CompletionWithDesc(k.ID, k.Topic))
		}
		return ids, err
	})
}
