package cli

import (
	"bytes"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"parley/internal/cli/view"
)

// Completion is what "parley completion SHELL --json" prints.
type Completion struct {
	Shell  string `json:"shell"`
	Script string `json:"script"`
}

func completionCommand(c *console) *cobra.Command {
	return group(&cobra.Command{
		Use:   "completion",
		Short: "Print a script that completes commands, agents and tasks in your shell",
		Example: `  source <(parley completion bash)
  parley completion zsh > "${fpath[1]}/_parley"
  parley completion fish > ~/.config/fish/completions/parley.fish`,
		GroupID: groupCare,
	},
		shellCommand(c, "bash", "  source <(parley completion bash)   # put it into ~/.bashrc to keep it",
			func(root *cobra.Command, w io.Writer) error { return root.GenBashCompletionV2(w, true) }),
		shellCommand(c, "zsh", `  parley completion zsh > "${fpath[1]}/_parley"   # then start a new shell`,
			func(root *cobra.Command, w io.Writer) error { return root.GenZshCompletion(w) }),
		shellCommand(c, "fish", "  parley completion fish > ~/.config/fish/completions/parley.fish",
			func(root *cobra.Command, w io.Writer) error { return root.GenFishCompletion(w, true) }),
		shellCommand(c, "powershell", "  parley completion powershell | Out-String | Invoke-Expression",
			func(root *cobra.Command, w io.Writer) error { return root.GenPowerShellCompletionWithDesc(w) }),
	)
}

func shellCommand(c *console, shell, example string, generate func(*cobra.Command, io.Writer) error) *cobra.Command {
	return &cobra.Command{
		Use:     shell,
		Short:   fmt.Sprintf("Print the completion script for %s", shell),
		Example: example,
		Args:    between(0, 0),
		RunE: func(cmd *cobra.Command, args []string) error {
			var script bytes.Buffer
			if err := generate(cmd.Root(), &script); err != nil {
				return err
			}
			return c.show(Completion{Shell: shell, Script: script.String()}, func(view.Screen) string { return script.String() })
		},
	}
}
