package cli

import (
	"path/filepath"

	"github.com/spf13/cobra"

	"parley/internal/cli/view"
	"parley/internal/config"
)

// Started is what "parley init --json" prints.
type Started struct {
	Dir   string   `json:"dir"`
	Files []string `json:"files"`
}

func initCommand(c *console) *cobra.Command {
	return &cobra.Command{
		Use:   "init [DIR]",
		Short: "Make a small team that works without a key",
		Long: `Make a small team that works without a key: a coordinator, a researcher and a
writer, with a script that speaks for them. Files that are there already are
never changed.`,
		Example: `  parley init my-team
  parley init            # in this folder`,
		GroupID: groupStart,
		Args:    between(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := "."
			switch {
			case len(args) > 0:
				dir = args[0]
			case c.dir != "":
				dir = c.dir
			}
			files, err := config.WriteStarter(dir)
			if err != nil {
				return err
			}
			return c.show(Started{Dir: dir, Files: files}, func(s view.Screen) string { return started(s, dir, files) })
		},
	}
}

func started(s view.Screen, dir string, files []string) string {
	text := "A team of three is ready:\n"
	for _, file := range files {
		text += "  " + filepath.Join(dir, filepath.FromSlash(file)) + "\n"
	}
	if filepath.Clean(dir) == "." {
		dir = ""
	} else {
		dir = " " + shellQuote(dir)
	}
	text += "\nStart it with:\n  " + s.Paint(view.Bold, "parley up"+dir) + "\n"
	text += "Then, in another terminal:\n"
	if dir != "" {
		text += "  " + s.Paint(view.Bold, "cd"+dir) + "\n"
	}
	return text + "  " + s.Paint(view.Bold, `parley ask coordinator "Plan a launch"`) + "\n"
}
