package bench

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"parley/internal/store/postgres"
)

// postgresTable is what one kind of contact has PostgreSQL do.
type postgresTable struct {
	what     string
	callers  int
	messages int
	ops      int
	counts   postgres.Counts
	log      int64 // bytes into the server's log
}

func (s *series) countPostgres(ctx context.Context, st *postgres.Store, t postgresTable, ops func() (int, error), b *strings.Builder) error {
	e, ok := s.engine.(*postgresEngine)
	if !ok {
		return fmt.Errorf("%s on the engine %s", st.Describe(), s.engine.name())
	}
	before, err := e.logEnd(ctx)
	if err != nil {
		return err
	}
	end := st.Count()
	t.ops, err = ops()
	t.counts = end()
	if err != nil {
		return err
	}
	after, err := e.logEnd(ctx)
	t.log = after - before
	t.write(b)
	return err
}

// logEnd is how much the server has ever written to its log.
func (e *postgresEngine) logEnd(ctx context.Context) (bytes int64, err error) {
	err = e.connected(ctx, e.address, func(c *pgx.Conn) error {
		return c.QueryRow(ctx, `SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint`).Scan(&bytes)
	})
	return bytes, err
}

func (t postgresTable) write(b *strings.Builder) {
	c := t.counts
	fmt.Fprintf(b, "### %s, %d callers, %s messages stored\n\n", t.what, t.callers, count(t.messages))
	fmt.Fprintf(b, "Of one contact: %.2f updates with %.2f round trips, %.2f views with %.2f round trips, %s bytes into the server's log.\n\n",
		t.each(c.Updates), t.each(c.UpdateTrips), t.each(c.Views), t.each(c.ViewTrips), count(int(t.each(t.log))))
	b.WriteString("| statement | in | runs | rows |\n|---|---|---|---|\n")
	slices.SortFunc(c.Statements, func(x, y postgres.Statement) int {
		return cmp.Or(boolOrder(x.Update, y.Update), cmp.Compare(y.Runs, x.Runs), cmp.Compare(x.SQL, y.SQL))
	})
	sum := postgres.Statement{}
	for i, st := range c.Statements {
		sum.Update, sum.Runs, sum.Rows = st.Update, sum.Runs+st.Runs, sum.Rows+st.Rows
		if t.each(st.Runs) >= rarely {
			t.row(b, "`"+briefly(st.SQL)+"`", st)
		}
		if i == len(c.Statements)-1 || c.Statements[i+1].Update != st.Update {
			t.row(b, "**all**", sum)
			sum = postgres.Statement{}
		}
	}
	b.WriteString("\n")
}

func (t postgresTable) row(b *strings.Builder, name string, st postgres.Statement) {
	in := "view"
	if st.Update {
		in = "update"
	}
	fmt.Fprintf(b, "| %s | %s | %.2f | %.2f |\n", name, in, t.each(st.Runs), t.each(st.Rows))
}

func (t postgresTable) each(n int64) float64 { return float64(n) / float64(max(t.ops, 1)) }
