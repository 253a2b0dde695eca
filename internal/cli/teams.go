package cli

import (
	"bufio"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"parley"
	"parley/api"
	"parley/internal/app"
	"parley/internal/cli/view"
	"parley/internal/config"
	"parley/internal/hubfile"
)

func teamCommand(c *console) *cobra.Command {
	return group(&cobra.Command{
		Use:   "team",
		Short: "Let a hub serve further teams, and show what a team spends",
		Long: `A hub serves the team that it was started with, and further ones that are added. Each
is a folder of its own, with its own agents, people, rules and budgets. Nothing crosses
from one team to another.

--team NAME, or PARLEY_TEAM, chooses the team of any command. In the folder of an added
team commands find the hub by themselves.`,
		Example: `  parley team add ../blog
  parley team list
  parley --team blog ask editor "What is planned?"
  parley team budget --add tokens=500k`,
		GroupID: groupCare,
	}, teamAddCommand(c), teamListCommand(c), teamRemoveCommand(c), teamBudgetCommand(c))
}

func teamAddCommand(c *console) *cobra.Command {
	name := ""
	cmd := &cobra.Command{
		Use:   "add FOLDER",
		Short: "Let the hub serve the team in another folder too",
		Long: `Let the hub serve the team in another folder too. If the hub runs, the team joins at
once; otherwise when the hub starts. The team is called what its parley.yaml says after
team:, or else like its folder.

Settings of the hub in its parley.yaml, such as listen or store, have no effect. Only the
user who owns the hub's data folder can add a team. A folder is refused if agents of one
team could reach the files of another.`,
		Example: `  parley team add ../blog
  parley team add ../blog --name magazine
  parley team add --dir my-team ../blog`,
		Args: between(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.addTeam(cmd.Context(), args[0], name)
		},
	}
	cmd.Flags().StringVar(&name, "name", "", "the team's `name` at this hub")
	return cmd
}

func (c *console) addTeam(ctx context.Context, folder, name string) error {
	p, err := c.nearest()
	if err != nil {
		return err
	}
	own, err := c.hubTeam(p)
	if err != nil {
		return err
	}
	added, problems, err := app.AddTeam(app.Addition{Hub: own, Folder: folder, Name: name})
	if err != nil {
		return err
	}
	team := api.HubTeam{Name: added.Name, Folder: added.Folder, Agents: []string{}, Problems: []string{}, Warnings: []string{}}
	for _, m := range mistakes(problems) {
		team.Problems = append(team.Problems, m.String())
	}
	running := hubfile.Held(p.data)
	if running {
		if team, err = c.taken(ctx, p, team); err != nil {
			return err
		}
	}
	if err := c.show(team, func(s view.Screen) string { return c.addedText(s, team, running) }); err != nil {
		return err
	}
	if running && !team.Served {
		return silent{exitFailed}
	}
	return nil
}

// hubTeam reads the files of the hub's own team.
func (c *console) hubTeam(p place) (*config.Team, error) {
	if p.hubDir == "" {
		_, err := c.folder() // it says what is missing
		return nil, err
	}
	own, _, err := config.Load(p.hubDir)
	if err != nil {
		return nil, err
	}
	if own.Data != p.data {
		own.MoveData(p.data)
	}
	return own, nil
}

// taken makes the running hub take the list, and finds the team there.
func (c *console) taken(ctx context.Context, p place, team api.HubTeam) (api.HubTeam, error) {
	p.team = ""
	hub, err := c.connectTo(p)
	if err != nil {
		return team, err
	}
	defer hub.Close()
	list, err := hub.RereadTeams(ctx)
	if i := slices.IndexFunc(list, func(t api.HubTeam) bool { return parley.FoldName(t.Name) == parley.FoldName(team.Name) }); i >= 0 {
		team = list[i]
	}
	return team, err
}

func (c *console) addedText(s view.Screen, team api.HubTeam, running bool) string {
	text := ""
	for _, problem := range team.Problems {
		text += s.Bad() + " " + problem + "\n"
	}
	for _, warning := range team.Warnings {
		text += s.Paint(view.Yellow, "!") + " " + warning + "\n"
	}
	switch {
	case !running:
		return text + "Added " + team.Name + ". It joins when the hub starts.\n"
	case !team.Served:
		return text + "Added " + team.Name + ", but the hub cannot serve it yet. It tries again when the files have changed.\n"
	}
	text += fmt.Sprintf("Added %s. You are %s there; agents: %s.\n", team.Name, team.Person, some(team.Agents))
	if len(team.Agents) > 0 {
		text += "  " + c.command(`--team %s ask %s "..."`, shellQuote(team.Name), shellQuote(team.Agents[0])) + "\n"
	}
	return text
}

func teamListCommand(c *console) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the teams that the hub serves",
		Long: `List the teams that the hub serves, with their folders and what is wrong with them. The
hub's own team comes first. If the hub does not run, the list shows what it will serve.`,
		Example: `  parley team list
  parley team list --json | jq -r '.teams[] | select(.served | not) | .name'`,
		Args: between(0, 0),
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := c.nearest()
			if err != nil {
				return err
			}
			list, err := c.listTeams(cmd.Context(), p)
			if err != nil {
				return err
			}
			if !hubfile.Held(p.data) {
				c.advise("No hub is running. Start it with: %s", c.startCommand(p))
			}
			return c.show(list, func(s view.Screen) string { return s.Teams(list.Teams) })
		},
	}
}

// listTeams asks the hub as the person of its own team. Without a hub it reads the list.
func (c *console) listTeams(ctx context.Context, p place) (list api.TeamList, err error) {
	p.team = ""
	if hubfile.Held(p.data) {
		hub, err := c.connectTo(p)
		if err != nil {
			return list, err
		}
		defer hub.Close()
		list.Teams, err = hub.Teams(ctx)
		return list, err
	}
	if own := c.ownName(p); own != "" {
		list.Teams = append(list.Teams, stopped(own, p.hubDir, true))
	}
	further, err := hubfile.Teams(p.data)
	for _, t := range further {
		if !t.Leaving {
			list.Teams = append(list.Teams, stopped(t.Name, t.Folder, false))
		}
	}
	return list, err
}

// stopped is a team whose hub does not run.
func stopped(name, folder string, own bool) api.HubTeam {
	return api.HubTeam{Name: name, Folder: folder, Own: own, Agents: []string{}, Problems: []string{}, Warnings: []string{}}
}

func teamRemoveCommand(c *console) *cobra.Command {
	yes := false
	cmd := &cobra.Command{
		Use:   "remove NAME",
		Short: "Stop serving a team that was added",
		Long: `Stop serving a team that was added. Its open tasks fail, its agents are offline, and its
tokens are refused. Its files stay as they are. So does its record: a team that is added
again under the same name finds it, and its tokens are accepted again.

The hub's own team cannot be removed; stop the hub instead.`,
		Example: `  parley team remove blog
  parley team remove blog --yes`,
		Args:              naming(1, between(1, 1)),
		ValidArgsFunction: c.completeTeam,
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.removeTeam(cmd, args[0], yes)
		},
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask")
	return cmd
}

// Removed is what "parley team remove --json" prints.
type Removed struct {
	Name   string `json:"name"`
	Folder string `json:"folder"`
	// Ended says whether the hub has ended the team's work; otherwise it does so when
	// it starts.
	Ended bool `json:"ended"`
}

func (c *console) removeTeam(cmd *cobra.Command, name string, yes bool) error {
	p, err := c.nearest()
	if err != nil {
		return err
	}
	list, err := hubfile.Teams(p.data)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(list, func(t hubfile.Team) bool { return t.Is(name) })
	if i < 0 && parley.FoldName(c.ownName(p)) == parley.FoldName(name) {
		return parley.Errorf(parley.Conflict, "%s is the hub's own team.", name).WithHint("Stop the hub, or start it with another team.")
	}
	if i < 0 {
		return app.ErrNoTeam(name, list)
	}
	if !yes {
		if err := c.confirm(cmd, fmt.Sprintf("Remove %s in %s? Its open tasks fail.", list[i].Name, list[i].Folder)); err != nil {
			return err
		}
	}
	removed, err := app.RemoveTeam(p.data, name)
	if err != nil {
		return err
	}
	out := Removed{Name: removed.Name, Folder: removed.Folder, Ended: hubfile.Held(p.data)}
	if out.Ended {
		if _, err := c.taken(cmd.Context(), p, api.HubTeam{}); err != nil {
			return err
		}
	}
	return c.show(out, func(view.Screen) string {
		if !out.Ended {
			return "Removed " + out.Name + ". Its open tasks fail when the hub starts.\n"
		}
		return "Removed " + out.Name + ". Its files in " + out.Folder + " stay as they are.\n"
	})
}

// confirm asks the person at the terminal. A program has to say --yes.
func (c *console) confirm(cmd *cobra.Command, question string) error {
	if _, ok := terminal(c.in); !ok {
		return misused(cmd, "There is nobody to ask. Say --yes if you mean it.")
	}
	if !c.agreed(question) {
		return parley.Errorf(parley.Invalid, "Nothing was changed.")
	}
	return nil
}

// agreed asks the person at the terminal.
func (c *console) agreed(question string) bool {
	_, _ = fmt.Fprint(c.err, question+" [y/N] ")
	answer, _ := bufio.NewReader(c.in).ReadString('\n')
	answer = strings.ToLower(strings.TrimSpace(answer))
	return answer == "y" || answer == "yes"
}
