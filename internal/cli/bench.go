package cli

import (
	"github.com/spf13/cobra"

	"parley/internal/bench"
)

func benchCommand(c *console) *cobra.Command {
	o := bench.Options{}
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Measure this machine's limits and the hub beside them",
		Long: `Measure how fast this machine commits and, in the same run, how fast the hub is on
it: notifications, asks and delegations per second, the time that it adds to the
steps of a turn, the memory for idle agents and for turns that wait for slow models,
what an ask over HTTP and over MCP costs, clients in long polls and event streams, and
the time to serve again after a kill. It needs no running hub and leaves nothing
behind. With --json each line is one object.

"share" is the rate as a part of this machine's own limit with as many callers, and
"ratio" that at the largest size as a part of that at the smallest, or whatever else
the line compares. Both are medians of the rounds.

Some lines need test servers or labelled data: the cost of a turn, waiting turns, how
much retrieval finds, and PostgreSQL without --postgres. 'make bench' in parley's
source builds a program that has them; any other names the lines that it leaves out.`,
		Example: `  parley bench --quick              # a few minutes
  parley bench --store sqlite
  parley bench --only notify,ask --json
  parley bench --recall set.json    # what search finds in a set of your own`,
		GroupID: groupCare,
		Args:    between(0, 0),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx, stop := interruptible(cmd.Context())
			defer stop()
			o.JSON, o.Out, o.Progress = c.json, c.out, c.err
			return bench.Run(ctx, o)
		},
	}
	cmd.Flags().StringVar(&o.Store, "store", "all", "sqlite, postgres or all")
	cmd.Flags().StringVar(&o.Only, "only", "", "only these measurements: names or regular expressions, separated by commas")
	cmd.Flags().BoolVar(&o.Quick, "quick", false, "smaller sizes, a few minutes")
	cmd.Flags().StringVar(&o.Dir, "in", "", "the `folder` for the databases, which decides which disk is measured")
	cmd.Flags().StringVar(&o.Postgres, "postgres", "", "the `address` of a server to use instead of a temporary one")
	cmd.Flags().StringVar(&o.Profile, "profile", "", "write profiles of each line, and what contacts have the database do, into this `folder`")
	cmd.Flags().StringVar(&o.Recall, "recall", "", "only how much a search finds of the documents and queries in this `file` (docs/search.md)")
	completeFlag(cmd, "store", "sqlite", "postgres", "all")
	return cmd
}
