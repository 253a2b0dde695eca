package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"parley/api"
	"parley/client"
	"parley/internal/cli/view"
)

func keepersCommand(c *console) *cobra.Command {
	var limit int
	cmd := &cobra.Command{
		Use:   "keepers",
		Short: "List, show, share and prune what agents have put away",
		Long: `List the keepers, newest first. A keeper is a part of a conversation that an agent
has put away, or that the hub has put away because the conversation had grown too
long for the model. Search them with "parley search --kind keepers".`,
		Example: `  parley keepers
  parley keepers show keeper-7
  parley keepers share keeper-7
  parley keepers prune --older 30d --dry-run
  parley search --kind keepers rollback`,
		GroupID: groupLook,
		Args:    between(0, 0),
		RunE: func(cmd *cobra.Command, args []string) error {
			if limit < 1 || limit > 1000 {
				return misused(cmd, "--limit is %d; it has to be a number from 1 to 1000.", limit)
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
		Short:             "Show the messages of a keeper, oldest first",
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
		Long: `Let the whole team read a keeper: everything in it, including what tools returned to
its owner. This cannot be undone, since others may have read it.`,
		Example:           "  parley keepers share keeper-7",
		Args:              between(1, 1),
		ValidArgsFunction: c.completeKeeper,
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.atHub(cmd, func(ctx context.Context, hub *client.Client) error {
				k, err := hub.ShareKeeper(ctx, args[0])
				if err != nil {
					return err
				}
				return c.show(k, func(view.Screen) string { return "The whole team may now read " + k.ID + ".\n" })
			})
		},
	}
}

func keeperPruneCommand(c *console) *cobra.Command {
	var older string
	var dry bool
	cmd := &cobra.Command{
		Use:   "prune --older TIME",
		Short: "Remove keepers that were not used for long",
		Long: `Remove the keepers that were made long ago and in which nothing was found since. With
--dry-run they are only listed.`,
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
	cmd.Flags().StringVar(&older, "older", "", "for how `long` they were not used")
	cmd.Flags().BoolVar(&dry, "dry-run", false, "only list them")
	return cmd
}

func pruned(s view.Screen, list api.KeeperList, dry bool) string {
	n := len(list.Keepers)
	switch {
	case n == 0:
		return "No keeper was unused for that long.\n"
	case dry:
		return s.Keepers(list.Keepers) + fmt.Sprintf("%d would be removed.\n", n)
	}
	return fmt.Sprintf("Removed %d.\n", n)
}

// completeKeeper offers the ids of keepers.
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
