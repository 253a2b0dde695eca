package cli

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"parley/client"
	"parley/internal/cli/view"
)

// searching holds the flags of the command.
type searching struct {
	filter       client.SearchFilter
	since, until string
}

var searchKinds = []string{"messages", "keepers", "tasks"}

func searchCommand(c *console) *cobra.Command {
	var s searching
	cmd := &cobra.Command{
		Use:   "search WORDS...",
		Short: "Find what was said",
		Long: `Find what was said in the team, best matches first. A word is also found in its other
forms, misspelled, and by its first four letters or more; an identifier like
parse_query also by its parts. Text in double quotes is found exactly as written.

With --newest only messages that have all the words are found, newest first. --since
and --until take a duration before now (30m, 2h, 7d), a time today (07:30), or a date
and time.

--kind tasks shows each matching task once, with its state. --kind keepers searches
what agents have put away.`,
		Example: `  parley search rollback decision
  parley search '"rate limit"' --agent DataBot --since 7d
  parley search parse_query --channel standup --newest
  parley search invoice --kind tasks
  parley search login --json | jq -r '.hits[].id'`,
		GroupID:           groupLook,
		Args:              between(1, -1),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			if strings.TrimSpace(strings.Join(args, "")) == "" {
				return misused(cmd, "There is nothing to search for.")
			}
			if err := s.check(cmd, c.now()); err != nil {
				return err
			}
			return c.atHub(cmd, func(ctx context.Context, hub *client.Client) error {
				return c.search(ctx, hub, strings.Join(args, " "), s.filter)
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&s.filter.Agent, "agent", "", "only what this `agent` wrote")
	flags.StringVar(&s.filter.Channel, "channel", "", "only what was written in this `channel`")
	flags.StringVar(&s.since, "since", "", "only from this `time` on")
	flags.StringVar(&s.until, "until", "", "only before this `time`")
	flags.BoolVar(&s.filter.Newest, "newest", false, "only messages with all the words, newest first")
	flags.StringVar(&s.filter.Kind, "kind", searchKinds[0], "what to find: messages, keepers or tasks")
	flags.IntVar(&s.filter.Limit, "limit", 10, "how many at most")
	completeFlag(cmd, "kind", searchKinds...)
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc("agent", c.completeAgent))
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc("channel", cobra.NoFileCompletions))
	return cmd
}

// mostHits is how many hits the hub returns at most.
const mostHits = 100

func (s *searching) check(cmd *cobra.Command, now time.Time) error {
	if s.filter.Limit < 1 || s.filter.Limit > mostHits {
		return misused(cmd, "--limit is %d; it has to be a number from 1 to %d.", s.filter.Limit, mostHits)
	}
	if !slices.Contains(searchKinds, s.filter.Kind) {
		return misused(cmd, "--kind is %q; it has to be messages, keepers or tasks.", s.filter.Kind)
	}
	s.filter.Channel = strings.TrimPrefix(s.filter.Channel, "#")
	return readSpan(cmd, now, s.since, s.until, &s.filter.Since, &s.filter.Until)
}

func (c *console) search(ctx context.Context, hub *client.Client, words string, f client.SearchFilter) error {
	found, err := hub.Search(ctx, words, f)
	if err != nil {
		return err
	}
	err = c.show(found, func(s view.Screen) string { return s.Hits(found.Hits, f.Kind == "tasks") })
	if found.Incomplete {
		c.advise("The search index is behind, and there was no time to search everything that it does not have yet. Search again later.")
	}
	if err == nil && len(found.Hits) == 0 {
		c.advise("Nothing was found. Try other words, or fewer.")
		if f.Kind == "keepers" {
			c.advise("Topics are not searched. See them with: %s", c.command("keepers"))
		}
	}
	return err
}
