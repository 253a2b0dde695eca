package cli

import (
	"context"

	"github.com/spf13/cobra"

	"parley"
	"parley/api"
	"parley/client"
	"parley/internal/cli/view"
)

func scheduleCommand(c *console) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "schedule [AGENT]",
		Short: "List what agents do at given times, pause or resume it",
		Long: `List what agents are asked to do at given times, the next one first. What they do and
when is in their files, under schedule.`,
		Example: `  parley schedule
  parley schedule --json | jq -r '.schedules[] | .next + " " + .agent'
  parley schedule pause ArchiveBot`,
		GroupID:           groupLook,
		Args:              between(0, 1),
		ValidArgsFunction: c.completeAgent,
		RunE: func(cmd *cobra.Command, args []string) error {
			agent := ""
			if len(args) > 0 {
				agent = args[0]
			}
			return c.atHub(cmd, func(ctx context.Context, hub *client.Client) error {
				list, err := hub.Schedules(ctx, agent)
				if err != nil {
					return err
				}
				return c.showSchedules(list)
			})
		},
	}
	cmd.AddCommand(
		c.holdSchedule("pause", "Pause the schedule of an agent", `Pause the schedule of an agent. Nothing is made for due times until it is resumed; they
count as missed. Work that was made before goes on.`, "paused", (*client.Client).PauseSchedule),
		c.holdSchedule("resume", "Let the schedule of an agent go on", `Let the paused schedule of an agent go on. What it has missed meanwhile is made up for
once, unless its file says otherwise.`, "resumed", (*client.Client).ResumeSchedule))
	return cmd
}

func (c *console) showSchedules(list []api.Schedule) error {
	return c.show(api.ScheduleList{Schedules: list}, func(s view.Screen) string {
		if len(list) == 0 {
			return "Nothing is scheduled. An agent's file says what it does at given times, under schedule.\n"
		}
		return s.Schedules(list)
	})
}

func (c *console) holdSchedule(verb, short, long, past string, do func(*client.Client, context.Context, string) ([]api.Schedule, error)) *cobra.Command {
	return &cobra.Command{
		Use:               verb + " AGENT",
		Short:             short,
		Long:              long,
		Example:           "  parley schedule " + verb + " ArchiveBot",
		Args:              naming(1, between(1, 1)),
		ValidArgsFunction: c.completeAgent,
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.atHub(cmd, func(ctx context.Context, hub *client.Client) error {
				list, err := do(hub, ctx, args[0])
				if err != nil {
					return err
				}
				return c.show(api.ScheduleList{Schedules: list}, func(s view.Screen) string {
					text := "The schedule of " + args[0] + " is " + past + ".\n"
					if len(list) == 0 {
						return text + "Its file has no schedule at present.\n"
					}
					return text + s.Schedules(list)
				})
			})
		},
	}
}

func remindCommand(c *console) *cobra.Command {
	return &cobra.Command{
		Use:   "remind TASK AFTER",
		Short: "Be told later if a task is still open",
		Long: `Be told in your inbox if a task is still open after some time (30m, 8h, 2d). A second
reminder of the same task replaces the first. If the task ends before, nobody is told.`,
		Example: `  parley remind task-101 30m
  parley remind task-101 2d --json | jq -r .at`,
		GroupID:           groupTalk,
		Args:              naming(1, between(2, 2)),
		ValidArgsFunction: c.completeOpenTask,
		RunE: func(cmd *cobra.Command, args []string) error {
			after, ok := parseDuration(args[1])
			if !ok || after <= 0 {
				return misused(cmd, "%q is no duration like 30m, 8h or 2d.", args[1])
			}
			if err := parley.CheckReminder(after); err != nil {
				return err
			}
			return c.atHub(cmd, func(ctx context.Context, hub *client.Client) error {
				r, err := hub.Remind(ctx, args[0], after)
				if err != nil {
					return err
				}
				return c.show(r, func(s view.Screen) string {
					return "You will be told if " + r.TaskID + " is still open at " + s.When(r.At) + ".\n"
				})
			})
		},
	}
}
