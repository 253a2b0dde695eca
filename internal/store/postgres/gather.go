package postgres

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"parley/internal/store"
)

// The statements of a batch's members that have the same text are sent as one. Their
// arguments become columns of a table, "given", and the text is put into a frame that
// runs it for each row of that table.

// shape is what a batch has to know of a statement.
type shape struct {
	reads   bool   // a member may read with it
	locks   string // the table of which it locks the row that it reads
	plain   string // the same without the lock
	inserts bool   // it is an insert that a member may use
	updates bool   // the same of an update
	table   string // that it writes
	keys    []int  // of an update, the arguments that are the key
}

var shapes sync.Map // by the text

func shapeOf(sql string) shape {
	if s, ok := shapes.Load(sql); ok {
		return s.(shape)
	}
	s := newShape(sql)
	shapes.Store(sql, s)
	return s
}

var (
	// lockOne finds the statements that lock one row whose id is their first column.
	lockOne = regexp.MustCompile(`(?:FROM (task|thread) WHERE id = \$1 /\*lock\*/|/\*lock (thread|rate)\*/)$`)
	insert  = regexp.MustCompile(`^INSERT INTO (\w+) \([^()]*\)\s+VALUES (\([^()]*\)) /\*later\*/$`)
	update  = regexp.MustCompile(`(?s)^UPDATE (\w+) SET\s.*\sWHERE (.*) /\*later\*/$`)
	equals  = regexp.MustCompile(`= \$(\d+)`)
	dollars = regexp.MustCompile(`\$(\d+)`)
)

func newShape(sql string) (s shape) {
	if strings.HasPrefix(sql, "SELECT ") {
		if found := lockOne.FindStringSubmatch(sql); found != nil {
			s.locks, s.plain = found[1]+found[2], sql[:strings.LastIndex(sql, "/*")]
		}
		s.reads = s.locks != "" || !strings.Contains(sql, "lock")
		return s
	}
	if found := insert.FindStringSubmatch(sql); found != nil {
		s.inserts, s.table = true, found[1]
	}
	if found := update.FindStringSubmatch(sql); found != nil {
		s.table = found[1]
		for _, k := range equals.FindAllStringSubmatch(found[2], -1) {
			n, _ := strconv.Atoi(k[1]) // digits, by the expression
			s.keys = append(s.keys, n-1)
		}
		s.updates = len(s.keys) == 1 || len(s.keys) == 2
	}
	return s
}

// rowKey is a row, by its primary key.
type rowKey struct {
	table string
	a, b  int64
}

// gathered is a statement of several members.
type gathered struct {
	sql   string
	shape shape
	level int // of writes: those of a lower level come first
	rows  []gatheredRow
}

// gatheredRow is the statement of one of them.
type gatheredRow struct {
	member *member
	args   []any
	row    func(store.Row)
	found  bool
	key    rowKey
}

// gatherReads puts together what members wait to read.
func gatherReads(members []*member) (list []*gathered) {
	for _, m := range members {
		for _, q := range m.reads {
			g := find(&list, q.SQL, 0)
			g.rows = append(g.rows, gatheredRow{member: m, args: q.Args, row: q.Row})
		}
	}
	return list
}

// find looks for a statement, or adds it. There are few different ones.
func find(list *[]*gathered, sql string, level int) *gathered {
	for _, g := range *list {
		if g.level == level && g.sql == sql {
			return g
		}
	}
	g := &gathered{sql: sql, shape: shapeOf(sql), level: level}
	*list = append(*list, g)
	return g
}

// gatherMissing puts together the reads that found no row to lock, without the lock. What
// they find is a row that another transaction holds.
func gatherMissing(reads []*gathered) (list []*gathered) {
	for _, g := range reads {
		for _, r := range g.rows {
			if g.shape.locks != "" && !r.found && r.member.err == nil {
				again := find(&list, g.shape.plain, 0)
				again.rows = append(again.rows, gatheredRow{member: r.member, args: r.args, row: func(store.Row) { r.member.dismiss() }})
			}
		}
	}
	return list
}

// gatherWrites puts together what members wrote, in an order that changes nothing: new
// rows come first, since no update was meant for a row that did not exist. Updates of one
// row keep their order, but those of the member that has locked it come before those of
// others, which would have waited for it. The rows of an update are sorted, so that batches
// that change the same ones do it in the same order.
func gatherWrites(members []*member, locked map[rowKey]*member) (list []*gathered) {
	levels := map[rowKey]int{}
	for _, own := range []bool{true, false} {
		for _, m := range members {
			if !m.stores() {
				continue
			}
			for _, w := range m.writes {
				r, level := gatheredRow{member: m, args: w.args}, 0
				if s := shapeOf(w.sql); s.updates {
					r.key = s.keyOf(w.args)
				}
				if own != (locked[r.key] == m) {
					continue
				}
				if r.key.table != "" {
					levels[r.key]++
					level = levels[r.key]
				}
				g := find(&list, w.sql, level)
				g.rows = append(g.rows, r)
			}
		}
	}
	slices.SortStableFunc(list, func(x, y *gathered) int { return cmp.Compare(x.level, y.level) })
	for _, g := range list {
		if g.level > 0 {
			slices.SortFunc(g.rows, func(x, y gatheredRow) int {
				return cmp.Or(cmp.Compare(x.key.a, y.key.a), cmp.Compare(x.key.b, y.key.b))
			})
		}
	}
	return list
}

func (s shape) keyOf(args []any) rowKey {
	k := rowKey{table: s.table}
	k.a, _ = args[s.keys[0]].(int64)
	if len(s.keys) > 1 {
		k.b, _ = args[s.keys[1]].(int64)
	}
	return k
}

// framed is a statement with the types of its arguments, of which the frame is made.
type framed struct{ sql, types string }

// gatheredSQL is the statement in its frame, and its arguments as columns.
func (s *session) gatheredSQL(g *gathered) (sql string, args []any) {
	args = make([]any, len(g.rows[0].args))
	types := make([]byte, len(args))
	for i := range args {
		c := column{rows: g.rows, at: i}
		args[i], types[i] = c, c.kind()
	}
	key := framed{g.sql, string(types)}
	sql, ok := s.frames[key]
	if !ok {
		sql = g.shape.frame(g.sql, key.types)
		if s.frames == nil {
			s.frames = map[framed]string{}
		}
		s.frames[key] = sql
	}
	return sql, args
}

// skipLocked lets a statement pass over rows that others hold.
var skipLocked = strings.NewReplacer(
	"/*lock*/", "FOR UPDATE SKIP LOCKED",
	"/*lock thread*/", "FOR UPDATE OF t SKIP LOCKED",
	"/*lock rate*/", "FOR UPDATE OF r SKIP LOCKED",
)

// planByKey keeps the server from reading whole tables while these are small: a plan is
// kept, and they grow.
const planByKey = `SELECT set_config('enable_seqscan', 'off', true), set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true)`

func (s shape) frame(sql, types string) string {
	given, names := make([]string, len(types)), make([]string, len(types))
	for i, t := range types {
		n := strconv.Itoa(i + 1)
		given[i], names[i] = "$"+n+"::"+columnTypes[byte(t)].name, "p"+n
	}
	from := " FROM unnest(" + strings.Join(given, ", ") + ")"
	as := " given (" + strings.Join(names, ", ")
	text := dollars.ReplaceAllString(skipLocked.Replace(strings.TrimSuffix(sql, laterMark)), "given.p$1")
	switch {
	case s.inserts:
		into, values, _ := strings.Cut(text, "VALUES (")
		return into + "SELECT " + strings.TrimSuffix(strings.TrimSpace(values), ")") + from + as + ")"
	case s.updates:
		at := strings.LastIndex(text, "WHERE ")
		return text[:at] + from + as + ") " + text[at:]
	default:
		return "SELECT given.o, found.*" + from + " WITH ORDINALITY" + as + ", o) CROSS JOIN LATERAL (" + text + ") found"
	}
}

const laterMark = "/*later*/"

// column is one argument of all rows of a gathered statement.
type column struct {
	rows []gatheredRow
	at   int
}

// columnTypes are the types of columns, by the kind of their values.
var columnTypes = map[byte]struct {
	name           string
	array, element uint32
}{
	'i': {"bigint[]", 1016, 20},
	't': {"text[]", 1009, 25},
	'b': {"bytea[]", 1001, 17},
}

// kind is that of the first value that is not null.
func (c column) kind() byte {
	for _, r := range c.rows {
		switch r.args[c.at].(type) {
		case int64:
			return 'i'
		case []byte:
			return 'b'
		case string:
			return 't'
		}
	}
	return 't'
}

// after is a row without its first column, which says whose it is.
type after struct{ store.Row }

func (r after) Int(col int) int64    { return r.Row.Int(col + 1) }
func (r after) Text(col int) string  { return r.Row.Text(col + 1) }
func (r after) Bytes(col int) []byte { return r.Row.Bytes(col + 1) }
