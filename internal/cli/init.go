package cli

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"parley/internal/cli/view"
	"parley/internal/config"
)

// Started is what "parley init --json" prints.
type Started struct {
	Dir   string   `json:"dir"`
	Files []string `json:"files"`
	// LeftOut are the files that are no agents.
	LeftOut []config.LeftOut `json:"left_out,omitempty"`
}

func initCommand(c *console) *cobra.Command {
	var template, from string
	cmd := &cobra.Command{
		Use:   "init [DIR]",
		Short: "Make a team from a template or from agents that you have",
		Long: `Make a team that works without a key: its agents follow a script until a line in
parley.yaml gives them a model. Existing files are never changed.

Templates:
` + templateList() + `
With --from, the team consists of agents that you have as Markdown files, such as the
subagents of Claude Code. Their files are copied unchanged.`,
		Example: `  parley init my-team
  parley init --template coding      # in this folder, for the code in it
  parley init --from .claude/agents`,
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
			if from != "" {
				if cmd.Flags().Changed("template") {
					return misused(cmd, "Use either --template or --from, not both.")
				}
				return fromAgents(c, from, dir)
			}
			return fromTemplate(c, template, dir)
		},
	}
	cmd.Flags().StringVarP(&template, "template", "t", config.DefaultTemplate, "the team to begin with")
	cmd.Flags().StringVar(&from, "from", "", "a folder with agents as Markdown files")
	_ = cmd.RegisterFlagCompletionFunc("template", completeTemplates)
	_ = cmd.MarkFlagDirname("from")
	return cmd
}

func templateList() string {
	var b strings.Builder
	for _, t := range config.Templates() {
		fmt.Fprintf(&b, "  %-9s %s\n", t.Name, t.Summary)
	}
	return b.String()
}

func completeTemplates(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var list []cobra.Completion
	for _, t := range config.Templates() {
		list = append(list, cobra.CompletionWithDesc(t.Name, t.Summary))
	}
	return list, cobra.ShellCompDirectiveNoFileComp
}

func fromTemplate(c *console, name, dir string) error {
	t, err := config.FindTemplate(name)
	if err != nil {
		return err
	}
	files, err := t.Write(dir)
	if err != nil {
		return err
	}
	return c.show(Started{Dir: dir, Files: files}, func(s view.Screen) string {
		return "A team is ready: " + t.Summary + ".\n" + started(s, dir, files, t.Try) +
			"The agents follow script.yaml until " + filepath.Join(dir, "parley.yaml") + " names a real model.\n"
	})
}

// fromAgents also checks the new team, because the files were written for
// another program.
func fromAgents(c *console, from, dir string) error {
	files, left, err := config.Adopt(from, dir)
	if err != nil {
		return err
	}
	for _, l := range left {
		fmt.Fprintf(c.err, "%s is left out: %s\n", filepath.Join(from, filepath.FromSlash(l.File)), l.Reason)
	}
	team, problems, err := config.Load(dir)
	if err != nil {
		return err
	}
	for _, p := range slices.Concat(problems, team.Warnings) {
		fmt.Fprintln(c.err, p)
	}
	who := "NAME"
	if len(team.Agents) > 0 {
		who = team.Agents[0].Name
	}
	return c.show(Started{Dir: dir, Files: files, LeftOut: left}, func(s view.Screen) string {
		text := fmt.Sprintf("A team of %d agents is ready.\n", len(team.Agents))
		return text + started(s, dir, files, [2]string{who, "What can you do?"}) +
			"The agents use " + team.Model.String() + ", or the model that their file names. Check this with: parley doctor\n"
	})
}

func started(s view.Screen, dir string, files []string, try [2]string) string {
	var text string
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
	return text + "  " + s.Paint(view.Bold, fmt.Sprintf("parley ask %s %q", shellQuote(try[0]), try[1])) + "\n"
}
