package sqlite

import (
	"fmt"
	"math/bits"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"parley/internal/store"
)

// What the closures of a batch write mostly waits until the batch is committed: rows of
// one table then go in together, up to mostAtOnce with one statement. A statement that is not
// marked to wait first has the waiting ones of all tables that it names run, so that nobody
// reads what is old.
//
// Within a table inserts run before updates. That changes nothing: a new row has a key
// that was never used before, so no update that came earlier was meant for it.

// mostAtOnce is how many rows one statement stores at most. There are statements for each
// power of two up to it: any number of rows then takes few, and few have to be prepared.
const (
	powersAtOnce = 4
	mostAtOnce   = 1 << powersAtOnce
)

// laterTables are those with statements that wait.
var laterTables = []string{"message", "delivery", "event", "task", "step", "inbox", "thread", "rate", "agent"}

// tables is a set of them.
type tables uint16

const allTables = ^tables(0)

// traits are what has to be known of a statement of the writer.
type traits struct {
	waits   bool
	insert  bool     // of a new row, or else a change of one
	several bool     // can have more rows
	table   int      // of a statement that waits, its place in laterTables
	touches tables   // that it names
	changes []string // what store.Hot has to forget
}

var (
	words = regexp.MustCompile(`\w+`)
	// plain is a statement that begins with the table that it changes.
	plain   = regexp.MustCompile(`^(INSERT INTO|UPDATE) (\w+)`)
	changes = regexp.MustCompile(`\b(INSERT|UPDATE|DELETE|REPLACE)\b`)
	marked  = regexp.MustCompile(`/\*later( alone)?\*/$`)
)

func traitsOf(sql string) (t traits) {
	named := words.FindAllString(sql, -1)
	for i, table := range laterTables {
		if slices.Contains(named, table) {
			t.touches |= 1 << i
		}
	}
	begins, into, puts := plain.FindStringSubmatch(sql), "", strings.Contains(sql, "DO UPDATE")
	if len(begins) > 0 {
		into = begins[2]
	}
	inserts := len(begins) > 0 && begins[1] == "INSERT INTO" && !puts
	if marked.MatchString(sql) && into != "" {
		t.waits, t.several, t.insert = true, inserts || puts, inserts
		if t.table = slices.Index(laterTables, into); t.table < 0 {
			panic(fmt.Sprintf("store: no statement of this kind waits: %s", sql)) // ours
		}
		return t
	}
	// New rows leave what is known of others as it is; only new mail does not.
	if !changes.MatchString(sql) || inserts && into != "delivery" {
		return t
	}
	for _, table := range store.HotTables {
		if slices.Contains(named, table) {
			t.changes = append(t.changes, table)
		}
	}
	return t
}

// later are the statements that wait, of each table.
type later struct {
	tables [16]struct {
		inserts []waiting
		updates []waiting
	}
	some tables // have any
}

type waiting struct {
	s    *statement
	args []any
}

// maxWaiting is how many statements of a kind wait in one table: what is handed in at
// once may be much.
const maxWaiting = 1024

// add lets a statement wait. It reports whether so many do that they should run.
func (l *later) add(s *statement, args []any) (full bool) {
	t := &l.tables[s.table]
	if s.insert {
		t.inserts = append(t.inserts, waiting{s, args})
	} else {
		t.updates = append(t.updates, waiting{s, args})
	}
	l.some |= 1 << s.table
	return max(len(t.inserts), len(t.updates)) >= maxWaiting
}

func (l *later) drop() {
	for i := range l.tables {
		l.tables[i].inserts, l.tables[i].updates = empty(l.tables[i].inserts), empty(l.tables[i].updates)
	}
	l.some = 0
}

// empty keeps the place of a list, and nothing that it held.
func empty(list []waiting) []waiting {
	clear(list)
	return list[:0]
}

// forget leaves out what waits, and what is known, after a rollback to a place in the
// journal of the tail.
func (c *conn) forget(to int) {
	if c.later != nil {
		c.later.drop()
		c.hot.ForgetAll()
		c.tail.rollback(to)
	}
}

// flush runs what waits for some tables.
func (c *conn) flush(of tables) error {
	for i := range laterTables {
		if c.later.some&of&(1<<i) == 0 {
			continue
		}
		t := &c.later.tables[i]
		if err := c.runAll(t.inserts); err != nil {
			return err
		}
		if err := c.runAll(t.updates); err != nil {
			return err
		}
		t.inserts, t.updates = empty(t.inserts), empty(t.updates)
		c.later.some &^= 1 << i
	}
	return nil
}

// flushAll runs everything that waits. Like Exec it leaves its error in the connection.
func (c *conn) flushAll() {
	if c.err == nil && c.later != nil {
		c.err = c.flush(allTables)
	}
}

// runAll runs statements of one table in their order, several that follow each other at
// once if they can have more rows.
func (c *conn) runAll(list []waiting) error {
	for len(list) > 0 {
		same := 1
		for list[0].s.several && same < min(mostAtOnce, len(list)) && list[same].s == list[0].s {
			same++
		}
		n, err := c.runRows(list[:same])
		if err != nil {
			return err
		}
		list = list[n:]
	}
	return nil
}

// runRows runs as many of some rows of one statement as go in at once, and returns how many
// these are.
func (c *conn) runRows(rows []waiting) (n int, err error) {
	first := rows[0]
	power := bits.Len(uint(len(rows))) - 1
	if power == 0 {
		return 1, c.run(first.s, first.args, nil)
	}
	n = 1 << power
	many := &first.s.many[power-1]
	if *many == nil {
		if *many, err = c.prepare(severalRows(first.s.sql, len(first.args), n)); err != nil {
			return 0, err
		}
	}
	c.args = c.args[:0]
	for _, r := range rows[:n] {
		c.args = append(c.args, r.args...)
	}
	err = c.run(*many, c.args, nil)
	clear(c.args)
	return n, err
}

// severalRows makes a statement that stores one row of so many columns store more. If a
// row is refused, those before it stay (OR FAIL): the caller takes the whole batch back. Otherwise
// SQLite would copy each page before changing it. With ON CONFLICT DO UPDATE it still does.
func severalRows(sql string, columns, rows int) string {
	before, after, _ := strings.Cut(strings.Replace(sql, "INSERT INTO", "INSERT OR FAIL INTO", 1), "VALUES")
	_, after, _ = strings.Cut(after, ")")
	var b strings.Builder
	b.WriteString(before + "VALUES ")
	for i := range columns * rows {
		switch {
		case i > 0 && i%columns == 0:
			b.WriteString("), (")
		case i == 0:
			b.WriteString("(")
		default:
			b.WriteString(", ")
		}
		b.WriteString("$" + strconv.Itoa(i+1))
	}
	return b.String() + ")" + after
}
