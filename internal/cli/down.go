package cli

import (
	"context"
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
	var now bool
	cmd := &cobra.Command{
		Use:   "down",
		Short: "Stop the hub of a team",
		Long: `Stop the hub that runs on this machine for a team, in whatever way it was started, and
wait until it has ended. Running turns get a moment to finish; with --now they do not.
Nothing is lost either way: unfinished turns go on with the next start.`,
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
			return c.down(cmd.Context(), now)
		},
	}
	cmd.Flags().BoolVar(&now, "now", false, "do not wait for running turns")
	return cmd
}

func (c *console) down(ctx context.Context, now bool) error {
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
	process, err := os.FindProcess(hub.Process)
	if err == nil {
		c.advise("%s", c.stopping(ctx, p.data))
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
