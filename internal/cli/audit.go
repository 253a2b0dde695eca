package cli

import (
	"context"
	"io"
	"time"

	"github.com/spf13/cobra"

	"parley"
	"parley/client"
)

// audit holds the flags of the command.
type audit struct {
	filter       client.EventFilter
	since, until string
	follow       bool
	steps        bool
}

func auditCommand(c *console) *cobra.Command {
	var a audit
	cmd := &cobra.Command{
		Use:   "audit",
		Short: "Show what happened, from the record of all events",
		Long: `Show what happened, oldest first: when, what, who, to whom and about which task, and
for a refusal the rule that decided it. The last 100 matching events are shown;
--limit 0 shows all.

--kind is a kind of event, such as task.failed, or a pattern such as approval.* or
*.refused. --since and --until take a duration before now (30m, 2h, 7d), a time
today (07:30), or a date and time.

With --json each event is a JSON object on its own line. With -f the command goes on
with new events as they happen. It misses none, even if the hub is restarted.

A step of a turn is no event: --steps shows them too, by time. --kind is about events
only. "parley log" shows the steps alone.`,
		Example: `  parley audit --kind '*.refused' --since 2h
  parley audit --agent DataBot --limit 20
  parley audit --task task-101 --tree
  parley audit --task task-101 --tree --steps
  parley audit -f --kind 'approval.*'
  parley audit --limit 0 --json > audit.jsonl`,
		GroupID:           groupLook,
		Args:              between(0, 0),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := a.check(cmd, c.now()); err != nil {
				return err
			}
			return c.atHub(cmd, func(ctx context.Context, hub *client.Client) error {
				if a.steps {
					return c.auditSteps(ctx, hub, a)
				}
				return c.audit(ctx, hub, a)
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&a.filter.Agent, "agent", "", "only events with this `agent` as actor or target")
	flags.StringVar(&a.filter.Task, "task", "", "only events about this `task`")
	flags.BoolVar(&a.filter.Tree, "tree", false, "with --task: also events about the tasks below it")
	flags.StringVar(&a.filter.Kind, "kind", "", "only this `kind` of event, such as task.failed or contact.*")
	flags.StringVar(&a.since, "since", "", "only from this `time` on")
	flags.StringVar(&a.until, "until", "", "only before this `time`")
	flags.IntVar(&a.filter.Last, "limit", 100, "how many of the newest at most; 0 shows all")
	flags.BoolVar(&a.steps, "steps", false, "also show the steps of turns")
	flags.BoolVarP(&a.follow, "follow", "f", false, "go on with new events")
	completeFlag(cmd, "kind", eventKinds()...)
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc("agent", c.completeAgent))
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc("task", c.completeTask))
	return cmd
}

func eventKinds() (list []string) {
	for _, k := range parley.EventKinds() {
		list = append(list, string(k))
	}
	return list
}

func (a *audit) check(cmd *cobra.Command, now time.Time) error {
	if a.filter.Last < 0 || a.filter.Last > longestList {
		return misused(cmd, "--limit is %d; it has to be a number from 1 to %d, or 0 for all.", a.filter.Last, longestList)
	}
	if a.filter.Tree && a.filter.Task == "" {
		return misused(cmd, "--tree works only with --task.")
	}
	return readSpan(cmd, now, a.since, a.until, &a.filter.Since, &a.filter.Until)
}

// readSpan reads the flags --since and --until.
func readSpan(cmd *cobra.Command, now time.Time, since, until string, from, to *time.Time) error {
	for _, f := range []struct {
		name, text string
		at         *time.Time
	}{{"since", since, from}, {"until", until, to}} {
		if f.text == "" {
			continue
		}
		at, ok := parsePast(f.text, now)
		if !ok {
			return misused(cmd, "--%s is %q; it has to be a duration like 2h, or a time.", f.name, f.text)
		}
		*f.at = at
	}
	return nil
}

// parsePast reads a time in the past. A duration counts back from now, and a
// time of day is today's.
func parsePast(s string, now time.Time) (time.Time, bool) {
	if d, ok := parseDuration(s); ok && d >= 0 && d <= longestSleep {
		return now.Add(-d), true
	}
	if t, err := time.ParseInLocation("15:04", s, now.Location()); err == nil {
		return time.Date(now.Year(), now.Month(), now.Day(), t.Hour(), t.Minute(), 0, 0, now.Location()), true
	}
	return parseUntil(s, now)
}

func (c *console) audit(ctx context.Context, hub *client.Client, a audit) error {
	if a.follow {
		var stop context.CancelFunc
		ctx, stop = interruptible(ctx)
		defer stop()
	}
	screen, none := c.screen(c.out), true
	for e, err := range hub.Record(ctx, a.filter, "", a.follow) {
		if err != nil {
			if a.follow && ctx.Err() != nil {
				return silent{exitInterrupted}
			}
			return err
		}
		none = false
		if c.json {
			err = c.line(e)
		} else {
			_, err = io.WriteString(c.out, screen.Event(e))
		}
		if err != nil {
			return err
		}
	}
	if none {
		c.advise("There are no such events on record.")
	}
	return nil
}
