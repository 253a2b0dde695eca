package cli

import (
	"context"

	"github.com/spf13/cobra"

	"parley/api"
	"parley/client"
	"parley/internal/cli/view"
)

func claimsCommand(c *console) *cobra.Command {
	return &cobra.Command{
		Use:   "claims",
		Short: "List who works on which files",
		Long: `List the files, or lines of files, that agents have claimed, with the holder and the
end of each claim. A claim ends with its task, or earlier if it is not renewed in time.`,
		Example: `  parley claims
  parley claims --json | jq -r '.claims[] | .path + " " + .holder'`,
		GroupID: groupLook,
		Args:    between(0, 0),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.atHub(cmd, func(ctx context.Context, hub *client.Client) error {
				list, err := hub.Claims(ctx)
				if err != nil {
					return err
				}
				return c.show(api.ClaimList{Claims: list}, func(s view.Screen) string {
					if len(list) == 0 {
						return "There are no claims. Agents with the toolset loom claim what they change.\n"
					}
					return s.Claims(list)
				})
			})
		},
	}
}
