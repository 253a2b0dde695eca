package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"parley"
	"parley/api"
	"parley/client"
	"parley/internal/app"
	"parley/internal/cli/view"
	"parley/internal/config"
	"parley/internal/hubfile"
)

// Diagnosis is what "parley doctor --json" prints.
type Diagnosis struct {
	OK     bool    `json:"ok"`
	Checks []Check `json:"checks"`
}

// Check is the result of one check.
type Check struct {
	Name   string `json:"name"`
	State  string `json:"state"` // ok, note or bad
	Detail string `json:"detail"`
	Hint   string `json:"hint,omitempty"`
}

const (
	checkOK   = "ok"
	checkNote = "note" // worth knowing, not wrong
	checkBad  = "bad"
)

func doctorCommand(c *console) *cobra.Command {
	offline := false
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check a team's files, its models, its data and its hub",
		Long: `Check a team's files, its models, its data folder, its database and its hub, and
say how to correct what is wrong. It changes nothing. The exit code is 1 if
anything is wrong.

It asks each model that the agents use, except scripts, for one word, which costs
next to nothing. With --offline it asks no model.`,
		Example: `  parley doctor
  parley doctor --dir my-team --offline
  parley doctor --json | jq -r '.checks[] | select(.state == "bad") | .detail'`,
		GroupID: groupCare,
		Args:    between(0, 0),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir, err := c.teamDir()
			if err != nil {
				return err
			}
			e := examination{console: c, offline: offline}
			e.run(cmd.Context(), dir)
			d := Diagnosis{OK: !e.bad, Checks: e.checks}
			if err := c.show(d, func(s view.Screen) string { return diagnosis(s, d) }); err != nil {
				return err
			}
			if e.bad {
				return silent{exitFailed}
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&offline, "offline", false, "do not ask the models")
	return cmd
}

// examination runs one check after the other. A later one may use what an
// earlier one found.
type examination struct {
	*console
	checks  []Check
	bad     bool
	team    *config.Team
	offline bool     // ask no model
	known   []string // the mistakes in the files
}

// lookTime bounds each look at something that may not answer.
const lookTime = 10 * time.Second

func (e *examination) run(ctx context.Context, dir string) {
	if !e.files(dir) {
		return
	}
	e.models(ctx)
	ctx, cancel := context.WithTimeout(ctx, 3*lookTime)
	defer cancel()
	if e.data != "" {
		e.team.MoveData(e.data)
	}
	if p, err := e.place(); err == nil && p.team != "" {
		e.further(ctx, p)
		return
	}
	e.servers(ctx)
	e.notify()
	data := e.team.Data
	runs := hubfile.Held(data)
	e.bridges(runs)
	e.apart()
	e.folder(data)
	e.space(data)
	e.token(data)
	e.door()
	e.workspace()
	if !runs {
		if err := app.CheckFree(e.team.Listen); err != nil {
			e.failed("address", err)
		}
		e.note("hub", "No hub is running.", "Start one with: parley up "+shellQuote(dir)+e.dataFlag())
		e.shell(ctx)
		e.database(ctx)
		return
	}
	e.hub(ctx, place{data: data})
	e.teams(ctx, place{data: data})
}

func (e *examination) add(state, name, detail, hint string) {
	e.checks = append(e.checks, Check{Name: name, State: state, Detail: detail, Hint: hint})
	e.bad = e.bad || state == checkBad
}

func (e *examination) ok(name, format string, args ...any) {
	e.add(checkOK, name, fmt.Sprintf(format, args...), "")
}

func (e *examination) note(name, detail, hint string) { e.add(checkNote, name, detail, hint) }

func (e *examination) wrong(name, detail, hint string) { e.add(checkBad, name, detail, hint) }

func (e *examination) failed(name string, err error) {
	p := problem(err)
	var ours *parley.Error
	if errors.As(err, &ours) && ours.Cause != nil {
		p.Message += " (" + view.Line(ours.Cause.Error()) + ")"
	}
	e.wrong(name, p.Message, p.Hint)
}

// files loads the team. Without it there is nothing else to check.
func (e *examination) files(dir string) bool {
	team, problems, err := config.Load(dir)
	if err != nil {
		e.failed("team", err)
		return false
	}
	e.team = team
	e.ok("team", "%s in %s, agents: %d", team.Name, team.Dir, len(team.Agents))
	problems = append(problems, app.CheckModels(team)...)
	for _, p := range problems {
		e.known = append(e.known, p.String())
	}
	for _, p := range app.FoldProblems(problems) {
		e.wrong("file", p.String(), "Correct the file. A running hub reads it again by itself; until then the agent stays as it was.")
	}
	for _, p := range append(team.Warnings, app.CheckTools(team)...) {
		e.note("file", p.String(), "")
	}
	e.ok("retention", "%s", retentionRule(team))
	return true
}

// retentionRule says how long things are kept.
func retentionRule(team *config.Team) string {
	kept := func(what string, d time.Duration) string {
		if d == 0 {
			return what + " are kept"
		}
		return what + " older than " + view.Duration(d) + " are removed"
	}
	return kept("messages", team.KeepMessages) + ", " + kept("events", team.KeepEvents)
}

// servers tries the MCP servers that agents use.
func (e *examination) servers(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	e.serverFiles()
	for _, s := range app.CheckServers(ctx, e.team) {
		if s.Up {
			e.serverUp(s)
			continue
		}
		e.wrong("server", s.File+": The MCP server "+s.Name+" cannot be used: "+s.Problem+".",
			"Until it works, its agents go without its tools.")
	}
}

// hub asks the running hub, since only the hub can use the database then.
func (e *examination) hub(ctx context.Context, p place) {
	hub, err := client.DiscoverTeam(p.data, p.team)
	if err != nil {
		e.failed("hub", err)
		return
	}
	defer hub.Close()
	about, err := hub.Hub(ctx)
	if err != nil {
		e.failed("hub", err)
		return
	}
	e.ok("hub", "%s, process %d, up for %s, you are %s", hub.Address(), about.Process, view.Duration(e.now().Sub(about.Started)), about.You)
	if about.Version != app.Version() {
		e.wrong("version", fmt.Sprintf("The hub is parley %s, this program is %s.", about.Version, app.Version()),
			"Stop the hub and start it with this program.")
	} else {
		e.ok("version", "%s", about.Version)
	}
	e.ok("database", "%s, in use by the hub", about.Store)
	e.usedShell(about.Shell)
	e.told(about.Notify)
	e.bridged(about.Bridges)
	e.mistakes(ctx, hub)
	e.clock(hubClock(about))
}

// mistakes finds the agents that work as before, because their files have a
// mistake now.
func (e *examination) mistakes(ctx context.Context, hub *client.Client) {
	agents, err := hub.Agents(ctx)
	if err != nil {
		e.failed("agents", err)
		return
	}
	var as []string
	for _, a := range agents {
		switch {
		case a.Mistake == "":
		case slices.Contains(e.known, a.Mistake):
			as = append(as, a.Name)
		default:
			e.wrong("agent", a.Name+" works as it did before this mistake in its file: "+a.Mistake, "Correct the file.")
		}
	}
	if as != nil {
		e.wrong("agent", some(as)+" "+view.Verb(len(as), "works", "work")+" as "+view.Verb(len(as), "it", "they")+" did before the mistakes above.", "")
	}
}

func hubClock(about api.Hub) time.Duration {
	return time.Duration(about.ClockBehind * float64(time.Second))
}

// database looks at the database directly, since no hub is running.
func (e *examination) database(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	health, err := app.Inspect(ctx, e.team.Store)
	if err != nil {
		e.failed("database", err)
		return
	}
	e.ok("database", "%s, %s", e.team.Store, schema(health))
	if health.Newest != 0 {
		e.clock(health.Behind(parley.Clock(e.now).Now()))
	}
}

func schema(h app.Health) string {
	switch {
	case !h.Exists || h.Schema == 0:
		return "new; the hub will make it when it starts"
	case h.Schema < h.Known:
		return fmt.Sprintf("schema %d; the hub will bring it to %d when it starts", h.Schema, h.Known)
	}
	return fmt.Sprintf("schema %d", h.Schema)
}

func (e *examination) clock(behind time.Duration) {
	if behind > 0 {
		e.wrong("clock", "This machine's clock is "+view.Duration(behind)+" behind the newest record.",
			"Set the clock. For the hub, time stands still until the clock has caught up.")
		return
	}
	e.ok("clock", "not behind the newest record")
}

func diagnosis(s view.Screen, d Diagnosis) string {
	text := ""
	for _, check := range d.Checks {
		mark := s.Ok()
		switch check.State {
		case checkNote:
			mark = s.Note()
		case checkBad:
			mark = s.Bad()
		}
		text += s.Item(mark, check.Name, check.Detail, check.Hint)
	}
	if d.OK {
		return text + "Everything is in order.\n"
	}
	return text
}
