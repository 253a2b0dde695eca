package cli

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"parley/internal/app"
	"parley/internal/cli/view"
	"parley/internal/config"
)

// ModelList is what "parley models --json" prints.
type ModelList struct {
	Models []ModelLine `json:"models"`
}

// ModelLine is one model of the catalogue. Unknown facts are left out.
type ModelLine struct {
	Model     string `json:"model"`
	Window    int    `json:"window,omitempty"`
	MaxOutput int    `json:"max_output,omitempty"`
	// Prices are in dollars per million tokens.
	Input       *float64 `json:"input,omitempty"`
	Output      *float64 `json:"output,omitempty"`
	CacheRead   *float64 `json:"cache_read,omitempty"`
	CacheWrite  *float64 `json:"cache_write,omitempty"`
	ToolCalling bool     `json:"tool_calling"`
}

func modelsCommand(c *console) *cobra.Command {
	all := false
	cmd := &cobra.Command{
		Use:   "models [TEXT]",
		Short: "List models with their windows and prices",
		Long: `List the models of the catalogue whose names contain a text, with the size of their
window and the price of a million tokens. In a team's folder the list includes the
models of its files. The command works offline. You can use models that are not in the
catalogue, such as newer ones.

Without --all, only models of providers that need no line in parley.yaml are listed,
and those of the team.`,
		Example: `  parley models sonnet
  parley models openrouter/qwen
  parley models --json | jq -r '.models[] | select(.input < 0.5) | .model'`,
		GroupID: groupLook,
		Args:    between(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			text := strings.Join(args, "")
			list := ModelList{Models: []ModelLine{}}
			for _, e := range app.ListModels(c.teamHere(), text, all) {
				line := ModelLine{Model: e.ID(), Window: e.Window, MaxOutput: e.MaxOutput, ToolCalling: !e.NoTools}
				if p := e.Price; p != nil {
					line.Input, line.Output, line.CacheRead, line.CacheWrite = &p.Input, &p.Output, &p.CacheRead, &p.CacheWrite
				}
				list.Models = append(list.Models, line)
			}
			return c.show(list, func(s view.Screen) string { return modelTable(s, list.Models, text) })
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "include providers that need a line in parley.yaml")
	return cmd
}

// teamHere is the team in whose folder the command runs. It is nil if there is
// none or its files cannot be read.
func (c *console) teamHere() *config.Team {
	dir, err := c.teamDir()
	if err != nil {
		return nil
	}
	team, _, err := config.Load(dir)
	if err != nil {
		return nil
	}
	return team
}

func modelTable(s view.Screen, list []ModelLine, text string) string {
	if len(list) == 0 {
		return fmt.Sprintf("No model's name contains %q. Try --all. Any other name that your provider knows works too.\n", text)
	}
	rows := make([][]string, len(list))
	for i, m := range list {
		rows[i] = []string{m.Model, count(m.Window), count(m.MaxOutput), dollars(m.Input), dollars(m.Output), dollars(m.CacheRead)}
	}
	return s.Figures([]string{"MODEL", "WINDOW", "REPLY", "$/M IN", "$/M OUT", "$/M CACHED"}, rows)
}

func count(n int) string {
	if n == 0 {
		return "?"
	}
	return strconv.Itoa(n)
}

func dollars(d *float64) string {
	if d == nil {
		return "?"
	}
	return strconv.FormatFloat(*d, 'g', 4, 64)
}
