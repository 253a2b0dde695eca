package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"

	"parley/internal/store/postgres"
	"parley/internal/store/sqlite"
)

// countStatements writes what each contact has the database do: a table of its statements,
// with what they touch. Counting slows them down, so it is none of the slices that are
// measured.
func (s *series) countStatements(ctx context.Context) error {
	if s.profile == nil {
		return nil
	}
	var b strings.Builder
	for i := range s.bases {
		base := &s.bases[i]
		if base.hub == nil {
			continue // too small to stay what it is
		}
		for _, what := range s.wantedContacts(s.plan.many, base.size) {
			if err := s.countOne(ctx, base.hub, what, &b); err != nil {
				return err
			}
		}
	}
	if b.Len() == 0 {
		return nil
	}
	return os.WriteFile(s.profile.path(s.engine.name()+".statements.md"), []byte(b.String()), 0o644)
}

// statementTable is what one kind of contact has the database do.
type statementTable struct {
	what     string
	callers  int
	messages int
	ops      int
	sqlite.Counts
}

// countOne makes contacts of one kind for a slice and writes its table.
func (s *series) countOne(ctx context.Context, hub *session, what string, b *strings.Builder) error {
	op, messages, err := hub.operation(ctx, what, s.plan.many)
	if err != nil {
		return err
	}
	before := hub.stored
	ops := func() (int, error) {
		m, err := measure(ctx, s.plan.many, s.plan.slice, op)
		hub.stored += m.ops * messages
		return m.ops, err
	}
	switch st := hub.Store.(type) {
	case *sqlite.Store:
		t := statementTable{what: what, callers: s.plan.many, messages: before}
		end, err := st.Count()
		if err != nil {
			return err
		}
		t.ops, err = ops()
		counts, counting := end()
		if err := errors.Join(err, counting); err != nil {
			return err
		}
		t.Counts = counts
		t.write(b)
	case *postgres.Store:
		err = s.countPostgres(ctx, st, postgresTable{what: what, callers: s.plan.many, messages: before}, ops, b)
	default:
		return fmt.Errorf("%s does not count its statements", hub.Store.Describe())
	}
	if err != nil {
		return err
	}
	return hub.settle(ctx)
}

// rarely is how seldom a statement may run, a contact, to be left out: what the hub does by
// a clock is none of the contact's.
const rarely = 0.005

func (t statementTable) write(b *strings.Builder) {
	fmt.Fprintf(b, "### %s, %d callers, %s messages stored\n\n", t.what, t.callers, count(t.messages))
	b.WriteString("Of one contact; pages are looked at, each time anew, and log is what a commit writes.\n\n")
	b.WriteString("| statement | by | runs | rows | steps | pages | not in cache | log |\n|---|---|---|---|---|---|---|---|\n")
	slices.SortFunc(t.Statements, func(x, y sqlite.Statement) int {
		return cmp.Or(boolOrder(x.Writer, y.Writer), cmp.Compare(y.Pages, x.Pages), cmp.Compare(x.SQL, y.SQL))
	})
	sums := map[bool]*sqlite.Statement{true: {SQL: "all"}, false: {SQL: "all"}}
	for i, st := range t.Statements {
		sum := sums[st.Writer]
		sum.Writer = st.Writer
		sum.Runs, sum.Rows, sum.Steps = sum.Runs+st.Runs, sum.Rows+st.Rows, sum.Steps+st.Steps
		sum.Pages, sum.Misses, sum.Writes = sum.Pages+st.Pages, sum.Misses+st.Misses, sum.Writes+st.Writes
		if t.each(st.Runs) >= rarely {
			t.row(b, "`"+briefly(st.SQL)+"`", st)
		}
		if i == len(t.Statements)-1 || t.Statements[i+1].Writer != st.Writer {
			t.row(b, "**all**", *sum)
		}
	}
	b.WriteString("\n")
	t.writeLogged(b)
}

// writeLogged writes whose pages the commits wrote into the log.
func (t statementTable) writeLogged(b *strings.Builder) {
	commits := float64(max(t.Commits, 1))
	fmt.Fprintf(b, "Into the log, %.1f contacts a commit:\n\n", float64(t.ops)/commits)
	b.WriteString("| table or index | pages a commit | pages a contact | pages that it has |\n|---|---|---|---|\n")
	slices.SortFunc(t.Logged, func(x, y sqlite.Logged) int {
		return cmp.Or(cmp.Compare(y.Pages, x.Pages), cmp.Compare(x.Name, y.Name))
	})
	sum := sqlite.Logged{Name: "**all**"}
	row := func(l sqlite.Logged) {
		fmt.Fprintf(b, "| %s | %.2f | %.3f | %s |\n", l.Name, float64(l.Pages)/commits, t.each(l.Pages), count(int(l.Size)))
	}
	for _, l := range t.Logged {
		sum.Pages, sum.Size = sum.Pages+l.Pages, sum.Size+l.Size
		if l.Pages > 0 {
			row(l)
		}
	}
	row(sum)
	b.WriteString("\n")
}

// boolOrder puts the writer first.
func boolOrder(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	default:
		return 1
	}
}

func (t statementTable) row(b *strings.Builder, name string, st sqlite.Statement) {
	by := "reader"
	if st.Writer {
		by = "writer"
	}
	log := ""
	if st.Writes > 0 {
		log = fmt.Sprintf("%.1f pages, %s bytes", t.each(st.Writes), count(int(t.each(st.Writes)*sqlite.PageBytes)))
	}
	fmt.Fprintf(b, "| %s | %s | %.2f | %.2f | %.0f | %.1f | %.2f | %s |\n", name, by,
		t.each(st.Runs), t.each(st.Rows), t.each(st.Steps), t.each(st.Pages), t.each(st.Misses), log)
}

func (t statementTable) each(n int64) float64 { return float64(n) / float64(max(t.ops, 1)) }

var (
	blanks = regexp.MustCompile(`\s+`)
	inside = regexp.MustCompile(`^(SELECT|INSERT INTO \w+|UPDATE \w+ SET) .*? (FROM \w+|VALUES|WHERE)`)
)

// briefly leaves of a statement what tells it from others.
func briefly(sql string) string {
	sql = strings.Replace(sql, "INSERT OR FAIL INTO", "INSERT INTO", 1) // of several rows
	sql = inside.ReplaceAllString(blanks.ReplaceAllString(strings.TrimSpace(sql), " "), "$1 … $2")
	if before, _, found := strings.Cut(sql, " VALUES"); found {
		sql = strings.TrimSuffix(before, " …")
	}
	if r := []rune(sql); len(r) > 100 {
		sql = string(r[:99]) + "…"
	}
	return sql
}
