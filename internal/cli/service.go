package cli

import (
	_ "embed"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"text/template"

	"github.com/spf13/cobra"

	"parley/internal/cli/view"
	"parley/internal/config"
)

// Service is what "parley service --json" prints.
type Service struct {
	Manager string `json:"manager"`
	File    string `json:"file"` // where it belongs
	Text    string `json:"text"`
}

//go:embed service.systemd
var systemdText string

//go:embed service.launchd
var launchdText string

func serviceCommand(c *console) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "service [systemd|launchd]",
		Short: "Print a unit that starts the hub with the machine",
		Long: `Print a unit for systemd or a property list for launchd, which starts the hub of a team
when you log in and again if it ends by itself. Nothing is installed: the first lines of
the text say where to put it and how to start it. Keys of model providers come from the
file that the text names, or from the environment of the service.`,
		Example: `  parley service > ~/.config/systemd/user/parley-my-team.service
  parley service launchd > ~/Library/LaunchAgents/parley.my-team.plist`,
		GroupID:   groupCare,
		Args:      between(0, 1),
		ValidArgs: []string{"systemd", "launchd"},
		RunE: func(cmd *cobra.Command, args []string) error {
			manager := "systemd"
			if runtime.GOOS == "darwin" {
				manager = "launchd"
			}
			if len(args) > 0 {
				manager = args[0]
			}
			if manager != "systemd" && manager != "launchd" {
				return misused(cmd, "There is no service manager %q; there are systemd and launchd.", manager)
			}
			return c.service(manager)
		},
	}
	return cmd
}

// unit is what the texts are filled in with.
type unit struct {
	Name, Team  string
	File        string
	Program     string
	Dir, Data   string
	Environment string // a file with keys
	Log         string
}

func (c *console) service(manager string) error {
	u, err := c.unit()
	if err != nil {
		return err
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return err
	}
	text, quote := systemdText, systemdQuote
	u.File = filepath.Join(home, ".config/systemd/user", u.Name+".service")
	if manager == "launchd" {
		text, quote = launchdText, template.HTMLEscapeString
		u.Name = "parley." + strings.TrimPrefix(u.Name, "parley-")
		u.File = filepath.Join(home, "Library/LaunchAgents", u.Name+".plist")
	}
	t, err := template.New(manager).Funcs(template.FuncMap{"q": quote, "shell": shellQuote, "plain": systemdPlain, "pattern": systemdPattern}).Parse(text)
	if err != nil {
		return err
	}
	var b strings.Builder
	if err := t.Execute(&b, u); err != nil {
		return err
	}
	return c.show(Service{Manager: manager, File: u.File, Text: b.String()}, func(view.Screen) string { return b.String() })
}

func (c *console) unit() (u unit, err error) {
	dir, err := c.folder()
	if err != nil {
		return u, err
	}
	if u.Dir, err = filepath.Abs(dir); err != nil {
		return u, err
	}
	if u.Team, err = config.TeamName(u.Dir); err != nil {
		return u, err
	}
	if u.Program, err = os.Executable(); err != nil {
		return u, err
	}
	data, err := c.dataOf(u.Dir)
	if err != nil {
		return u, err
	}
	if c.data != "" {
		u.Data = data
	}
	u.Name = "parley-" + unitName(u.Team)
	u.Log, u.Environment = filepath.Join(data, hubLog), filepath.Join(data, "environment")
	return u, nil
}

// unitName makes the name of a file of the name of a team.
func unitName(team string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' || r == '-' {
			return r
		}
		return '-'
	}, team)
}

// systemdQuote quotes an argument for a unit, in which % and $ have a meaning too.
func systemdQuote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "%", "%%", "$", "$$", "\n", " ").Replace(s) + `"`
}

// systemdPlain is a text that a unit takes to the end of the line: quotes would be part of
// it, and only % has a meaning.
func systemdPlain(s string) string { return strings.NewReplacer("%", "%%", "\n", " ").Replace(s) }

// systemdPattern is the path of one file where a unit takes a pattern of file names.
func systemdPattern(s string) string {
	return systemdPlain(strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(s))
}
