package cli

import (
	"context"
	"fmt"
	"os"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"parley"
	"parley/internal/cli/view"
	"parley/internal/hubfile"
)

// Down is what "parley down --json" prints.
type Down struct {
	Team    string `json:"team"`
	Process int    `json:"process"`
	Stopped bool   `json:"stopped"`
}

func downCommand(c *console) *cobra.Command {
	var now, yes bool
	cmd := &cobra.Command{
		Use:   "down",
		Short: "Stop the hub of a team",
		Long: `Stop the hub that runs on this machine for a team, in whatever way it was started, and
wait until it has ended. Running turns get a moment to finish; with --now they do not.
Nothing is lost either way: unfinished turns go on with the next start.

A hub stops for all its teams. In the folder of a team that was added to a hub, the
command asks first, and names the others.`,
		Example: `  parley down
  parley down --now
  parley down && parley up -d   # restart it`,
		GroupID: groupStart,
		Args:    between(0, 0),
		RunE: func(cmd *cobra.Command, args []string) error {
			if address := c.namedByAddress(); address != "" {
				return parley.Errorf(parley.Invalid, "The hub at %s is named by %s; only a hub of this machine can be stopped.", address, urlEnv).
					WithHint("Name its folder with --dir, on the machine that it runs on.")
			}
			return c.down(cmd, now, yes)
		},
	}
	cmd.Flags().BoolVar(&now, "now", false, "do not wait for running turns")
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask, though the hub serves other teams too")
	return cmd
}

func (c *console) down(cmd *cobra.Command, now, yes bool) error {
	ctx := cmd.Context()
	p, err := c.place()
	if err != nil {
		return err
	}
	hub, err := hubfile.FindTeam(p.data, "")
	if err != nil {
		return noHubFor(c.startCommand(p), p.data, err)
	}
	if err := hubfile.CheckOwner(p.data); err != nil {
		return err
	}
	if !hubfile.Holds(p.data, hub.Process) {
		return parley.Errorf(parley.Denied, "The hub of %s runs elsewhere, as in a container: process %d of this machine is not it.", hub.Team, hub.Process).
			WithHint("Stop it where it runs.")
	}
	if p.team != "" && !yes {
		if err := c.confirmDown(cmd, p, hub.Team); err != nil {
			return err
		}
	}
	process, err := os.FindProcess(hub.Process)
	if err == nil {
		c.advise("%s", c.stopping(ctx, p.data, "parley down --now stops it at once."))
		err = process.Signal(syscall.SIGTERM)
	}
	if err != nil {
		return parley.Errorf(parley.Failed, "Process %d, which runs the hub, cannot be told to stop: %v.", hub.Process, err).
			WithHint("It may run in a container or as another user. Stop it there.")
	}
	ctx, stop := interruptible(ctx)
	defer stop()
	down := Down{Team: hub.Team, Process: hub.Process}
	down.Stopped = ended(ctx, p.data, hub, func() {
		if now { // a hub that is told again ends at once
			_ = process.Signal(os.Interrupt)
		}
	})
	if !down.Stopped {
		c.advise("Not waiting any longer. The hub stops when its running turns have finished; %s stops it at once.", c.command("down --now"))
		return silent{exitInterrupted}
	}
	return c.show(down, func(view.Screen) string { return "The hub of " + hub.Team + " has stopped.\n" })
}

// confirmDown asks whoever wants to stop a hub from the folder of a further team: it
// stops for teams that this person may not think of.
func (c *console) confirmDown(cmd *cobra.Command, p place, own string) error {
	list, err := hubfile.Teams(p.data)
	if err != nil {
		return err
	}
	others := []string{own}
	for _, t := range list {
		if !t.Leaving && !t.Is(p.team) {
			others = append(others, t.Name)
		}
	}
	what := fmt.Sprintf("The hub that serves %s serves %s too, and stops for all of them.", p.team, some(others))
	if _, ok := terminal(c.in); !ok {
		return misused(cmd, "%s Say --yes if you mean it.", what)
	}
	return c.confirm(cmd, what+" Stop it?")
}

// ended waits until a hub has given up its data folder, or another has taken it.
// Meanwhile it calls urge.
func ended(ctx context.Context, data string, hub hubfile.Hub, urge func()) bool {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		if !hubfile.Held(data) {
			return true
		}
		if next, err := hubfile.FindTeam(data, ""); err == nil && next.Process != hub.Process {
			return true
		}
		urge()
		select {
		case <-ctx.Done():
			return false
		case <-tick.C:
		}
	}
}
