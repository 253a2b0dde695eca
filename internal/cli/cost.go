package cli

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"parley"
	"parley/api"
	"parley/client"
	"parley/internal/cli/view"
)

func costCommand(c *console) *cobra.Command {
	var by, since string
	var limit int
	cmd := &cobra.Command{
		Use:   "cost",
		Short: "Show what the team has spent, by agent, model, task or day",
		Long: `Show what the models of the team have cost: money, the tokens that they read and wrote,
and how many of those read came from a provider's cache. A bar compares the lines, by
money or, if nothing had a price, by tokens.

A task counts with everything below it. Days begin at midnight in your time zone, which
is named. --since takes a duration before now (2h, 7d), a time today (07:30) or a date.
Steps that were removed as too old count too: their sums are kept. What is marked with ~
is partly a guess, since the provider has not told.`,
		Example: `  parley cost
  parley cost --by day --since 7d
  parley cost --by task --since 2026-11-01
  parley cost --by model --json`,
		GroupID:           groupLook,
		Args:              between(0, 0),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			q := client.CostQuery{By: by, Limit: limit, Zone: zoneName(c.now())}
			if _, err := parley.ParseCostBy(by); err != nil {
				return misused(cmd, "--by: %s", parley.Public(err))
			}
			if err := checkLimit(cmd, limit); err != nil {
				return err
			}
			var until time.Time
			if err := readSpan(cmd, c.now(), since, "", &q.Since, &until); err != nil {
				return err
			}
			return c.atHub(cmd, func(ctx context.Context, hub *client.Client) error {
				cost, err := hub.Cost(ctx, q)
				if err != nil {
					return err
				}
				return c.show(cost, func(s view.Screen) string { return s.Cost(cost) })
			})
		},
	}
	cmd.Flags().StringVar(&by, "by", "agent", "agent, model, task or day")
	cmd.Flags().StringVar(&since, "since", "", "only from this `time` on")
	cmd.Flags().IntVar(&limit, "limit", 50, "how many lines at most")
	completeFlag(cmd, "by", "agent", "model", "task", "day")
	return cmd
}

// zoneName is the person's time zone, as the hub knows it by name: it may run
// elsewhere. Where the system does not tell its name, the present offset has to do.
func zoneName(now time.Time) string {
	for _, name := range []string{now.Location().String(), os.Getenv("TZ"), linkedZone("/etc/localtime")} {
		if _, err := parley.ParseZone(name); name != "" && err == nil {
			return name
		}
	}
	return now.Format("-07:00")
}

// linkedZone is the name of the zone that a link points to.
func linkedZone(link string) string {
	target, err := filepath.EvalSymlinks(link)
	if err != nil {
		return ""
	}
	_, name, _ := strings.Cut(filepath.ToSlash(target), "/zoneinfo/")
	return name
}

// adviseCost says what the first step of a new tree may cost, if its model has a price,
// before it begins. Where that cannot be told, the contact itself says what is wrong.
func (c *console) adviseCost(ctx context.Context, hub *client.Client, r api.ContactRequest) {
	if c.json {
		return // what comes back has it too
	}
	e, err := hub.Estimate(ctx, r.Agent, len(r.Message)+len(r.Context))
	if err != nil || e == nil {
		return
	}
	c.advise("The first step costs up to %s (%s: %d tokens in, up to %d out).", view.AtMost(e.Money), e.Model, e.Input, e.Output)
}
