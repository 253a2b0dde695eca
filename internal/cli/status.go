package cli

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"parley"
	"parley/client"
	"parley/internal/cli/view"
)

func sleepCommand(c *console) *cobra.Command {
	cmd := statusCommand(c, "sleep", "Put an agent to sleep for a while")
	cmd.Use = "sleep AGENT DURATION|TIME"
	cmd.Long = `Put an agent to sleep. Delegated work waits until it wakes; an ask wakes it at once.
The sleep ends after a duration (30m, 8h, 2d), at the next time of day (07:30), or at a
date and time.`
	cmd.Example = `  parley sleep DataBot 30m
  parley sleep DataBot 07:30
  parley sleep DataBot 2026-12-24T18:00:00+01:00`
	cmd.Args = naming(1, between(2, 2))
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		until, ok := parseUntil(args[1], c.now())
		if !ok {
			return misused(cmd, "%q is neither a duration like 30m nor a time.", args[1])
		}
		return c.setStatus(cmd, args[0], "sleep", until)
	}
	return cmd
}

func wakeCommand(c *console) *cobra.Command {
	cmd := statusCommand(c, "wake", "Wake a sleeping agent")
	cmd.Long = "Wake a sleeping agent. What was put off until the end of its sleep starts now."
	return cmd
}

func offlineCommand(c *console) *cobra.Command {
	cmd := statusCommand(c, "offline", "Take an agent offline")
	cmd.Long = `Take an agent offline, so that nobody can contact it. Whoever waits for its answer is
told at once. Queued work stays queued, and notifications are kept for it.`
	return cmd
}

func onlineCommand(c *console) *cobra.Command {
	cmd := statusCommand(c, "online", "Make an agent available again")
	cmd.Long = "Make an agent available again. What was queued for it goes on."
	return cmd
}

// statusCommand is the common part of the four commands.
func statusCommand(c *console, status, short string) *cobra.Command {
	return &cobra.Command{
		Use:               status + " AGENT",
		Short:             short,
		Example:           "  parley " + status + " DataBot\n  parley " + status + " DataBot --json | jq -r .status",
		GroupID:           groupCare,
		Args:              naming(1, between(1, 1)),
		ValidArgsFunction: c.completeAgent,
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.setStatus(cmd, args[0], status, time.Time{})
		},
	}
}

func (c *console) setStatus(cmd *cobra.Command, agent, status string, until time.Time) error {
	return c.atHub(cmd, func(ctx context.Context, hub *client.Client) error {
		a, err := hub.SetStatus(ctx, agent, status, until)
		if err != nil {
			return err
		}
		return c.show(a, func(s view.Screen) string { return a.Name + " is " + s.Status(a) + ".\n" })
	})
}

// parseUntil reads when a sleep ends.
func parseUntil(s string, now time.Time) (time.Time, bool) {
	if d, ok := parseDuration(s); ok && d > 0 && d <= longestSleep {
		return now.Add(d), true
	}
	if t, err := time.Parse(time.RFC3339, s); err == nil {
		return t, true
	}
	for _, layout := range []string{"2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02 15:04:05", "2006-01-02 15:04", time.DateOnly} {
		if t, err := time.ParseInLocation(layout, s, now.Location()); err == nil {
			return t, true
		}
	}
	t, err := time.ParseInLocation("15:04", s, now.Location())
	if err != nil {
		return time.Time{}, false
	}
	return nextTime(t.Hour(), t.Minute(), now), true
}

// longestSleep is certainly a typing error, and far from where a duration
// overflows.
const longestSleep = 10 * 365 * 24 * time.Hour

// parseDuration reads a time as files have it, such as 1d12h, and also parts of days: 0.5d.
func parseDuration(s string) (time.Duration, bool) {
	if d, ok := parley.ParseSpan(s); ok {
		return d, true
	}
	if days, ok := strings.CutSuffix(s, "d"); ok {
		d, err := time.ParseDuration(days + "h")
		return 24 * d, err == nil && d <= longestSleep
	}
	d, err := time.ParseDuration(s)
	return d, err == nil
}

// nextTime is the next moment with that time of day.
func nextTime(hour, minute int, now time.Time) time.Time {
	at := func(day int) time.Time {
		return time.Date(now.Year(), now.Month(), day, hour, minute, 0, 0, now.Location())
	}
	if t := at(now.Day()); t.After(now) {
		return t
	}
	return at(now.Day() + 1)
}
