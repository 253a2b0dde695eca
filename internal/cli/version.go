package cli

import (
	"runtime"

	"github.com/spf13/cobra"

	"parley/internal/app"
	"parley/internal/cli/view"
)

// Version is what "parley version --json" prints.
type Version struct {
	Version string `json:"version"`
	Go      string `json:"go"`
	System  string `json:"system"`
}

func versionCommand(c *console) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version of this program",
		Example: `  parley version
  parley version --json | jq -r .version`,
		GroupID: groupCare,
		Args:    between(0, 0),
		RunE: func(cmd *cobra.Command, args []string) error {
			v := Version{Version: app.Version(), Go: runtime.Version(), System: runtime.GOOS + "/" + runtime.GOARCH}
			return c.show(v, func(view.Screen) string { return "parley " + v.Version + " " + v.Go + " " + v.System + "\n" })
		},
	}
}
