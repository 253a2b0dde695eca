package sqlite

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"zombiezen.com/go/sqlite"

	"parley/internal/store"
)

// Lists are in the table "listing" up to a mark of each, and after it in memory. A
// statement that reads through a list is written for one table with an index. Its marks
// are replaced here by what reads both parts.

// usualLimits bound what is in memory, and what is read when a store is opened.
var usualLimits = tailLimits{live: 1 << 16, span: 1 << 17, put: 256}

// putFactor is how many ids a step of a pass puts into the table for each change of its
// batch: a pass ends before as many have come as began it.
const putFactor = 4

// listIDs reads a list: which of the two parts has an id is told by the mark that the
// reader's own snapshot has.
func listIDs(list store.List) string {
	return fmt.Sprintf(`(SELECT owner_id, id FROM listing WHERE list = %d UNION ALL SELECT owner_id, id FROM %s)`, list, tailIDs(list))
}

func tailIDs(list store.List) string {
	return fmt.Sprintf(`(SELECT late.owner_id, late.id FROM listing_mark k CROSS JOIN listing_tail late WHERE k.list = %[1]d AND late.list = %[1]d
		AND late.id > CASE WHEN late.owner_id <= k.owner_id THEN k.next ELSE k.upto END)`, list)
}

var (
	listMark     = regexp.MustCompile(`\b(delivery|task|inbox) /\*list (\w+)\*/`)
	childrenMark = regexp.MustCompile(`(?s)/\*children\*/(.*?)/\*end\*/`)
)

// withLists replaces the marks of lists.
func withLists(sql string) string {
	sql = listMark.ReplaceAllStringFunc(sql, func(mark string) string {
		m := listMark.FindStringSubmatch(mark)
		ids := listIDs(store.List(slices.Index(store.ListNames[:], m[2])))
		switch m[1] {
		case "inbox":
			return `(SELECT listed.owner_id AS task_id, y.n, listed.id AS message_id FROM ` + ids + ` listed CROSS JOIN inbox y
				WHERE y.message_id = listed.id AND y.task_id = listed.owner_id)`
		case "task":
			return `(SELECT listed.id, listed.owner_id AS parent_id, y.state, y.callback FROM ` + ids + ` listed CROSS JOIN task y WHERE y.id = listed.id)`
		}
		return `(SELECT listed.id AS message_id, listed.owner_id AS recipient_id, y.pull, y.delivered_at, y.seen_at, y.answered_at, y.mail, y.about_id
			FROM ` + ids + ` listed CROSS JOIN delivery y WHERE y.message_id = listed.id AND y.recipient_id = listed.owner_id)`
	})
	return childrenMark.ReplaceAllStringFunc(sql, func(part string) string {
		part = childrenMark.FindStringSubmatch(part)[1]
		from := func(ids string) string {
			return strings.Replace(part, "FROM task", "FROM (SELECT owner_id AS parent_id, id FROM "+ids+") task", 1)
		}
		return from(fmt.Sprintf("listing WHERE list = %d", store.ChildList)) + from(tailIDs(store.ChildList))
	})
}

const (
	putListed  = `INSERT OR IGNORE INTO listing (list, owner_id, id) VALUES ($1, $2, $3)`
	dropListed = `DELETE FROM listing WHERE list = $1 AND owner_id = $2 AND id = $3`
	moveMark   = `UPDATE listing_mark SET upto = $2, next = $3, owner_id = $4 WHERE list = $1`
)

var _ store.Lister = (*conn)(nil)

func (c *conn) AddTo(list store.List, owner, id int64) {
	if c.writes && c.tail.add(list, owner, id) {
		c.Exec(putListed, int64(list), owner, id)
	}
}

func (c *conn) TakeFrom(list store.List, owner, id int64) {
	if c.writes && c.tail.take(list, owner, id) {
		c.Exec(dropListed, int64(list), owner, id)
	}
}

// listSeqs number what is in the lists.
var listSeqs = [store.ListCount]store.Seq{store.MailList: store.SeqMessage, store.PullList: store.SeqMessage,
	store.AboutList: store.SeqMessage, store.ChildList: store.SeqTask, store.InboxList: store.SeqMessage}

// pass puts a part of what is in memory into the table, within the transaction of a batch.
func (c *conn) pass() (steps []passStep) {
	n := max(c.limits.put, putFactor*len(c.tail.journal))
	for list := range store.ListCount {
		c.tail.reach(list, c.next[listSeqs[list]])
		var rows []waiting
		s := c.tail.next(list, c.limits, n, func(owner int64, ids []int64) {
			for _, id := range ids {
				rows = append(rows, waiting{args: []any{int64(list), owner, id}})
			}
		})
		if s == nil || c.err != nil {
			continue
		}
		c.err = c.putListed(rows)
		c.Exec(moveMark, int64(list), s.mark.upto, s.mark.next, s.mark.owner)
		steps = append(steps, *s)
	}
	return steps
}

func (c *conn) putListed(rows []waiting) error {
	s, err := c.prepare(putListed)
	if err != nil {
		return err
	}
	s.several = true
	for i := range rows {
		rows[i].s = s
	}
	return c.runAll(rows)
}

// loadTail reads what is not in the table, when the store is opened.
func (c *conn) loadTail() error {
	t := c.tail
	err := c.Query(store.Query{SQL: `SELECT list, upto, next, owner_id FROM listing_mark`, Row: func(r store.Row) {
		l := &t.lists[r.Int(0)]
		l.mark = mark{r.Int(1), r.Int(2), r.Int(3)}
		l.last = l.mark.next
	}})
	if err != nil {
		return err
	}
	add := func(list store.List, owner, id int64) {
		if !t.lists[list].mark.stored(owner, id) {
			t.load(list, owner, id)
		}
	}
	from := min(t.lists[store.MailList].mark.upto, t.lists[store.PullList].mark.upto, t.lists[store.AboutList].mark.upto)
	err = c.Query(store.Query{SQL: `SELECT message_id, recipient_id, mail, pull, about_id FROM delivery WHERE message_id > $1 AND seen_at = 0 ORDER BY message_id`,
		Args: []any{from}, Row: func(r store.Row) {
			for i, list := range []store.List{store.MailList, store.PullList, store.AboutList} {
				if r.Int(2+i) != 0 {
					add(list, r.Int(1), r.Int(0))
				}
			}
		}}, store.Query{SQL: `SELECT id, parent_id FROM task WHERE id > $1 AND parent_id > 0 ORDER BY id`, Args: []any{t.lists[store.ChildList].mark.upto},
		Row: func(r store.Row) { add(store.ChildList, r.Int(1), r.Int(0)) }},
		store.Query{SQL: `SELECT message_id, task_id FROM inbox WHERE message_id > $1 ORDER BY message_id`, Args: []any{t.lists[store.InboxList].mark.upto},
			Row: func(r store.Row) { add(store.InboxList, r.Int(1), r.Int(0)) }})
	t.resume()
	return err
}

// setLists makes the tail a table of a connection.
func (c *conn) setLists(t *tail) error {
	c.tail = t
	return c.raw.SetModule("listing_tail", &sqlite.Module{
		Connect: func(*sqlite.Conn, *sqlite.VTableConnectOptions) (sqlite.VTable, *sqlite.VTableConfig, error) {
			return tailTable{t}, &sqlite.VTableConfig{Declaration: `CREATE TABLE x (list INTEGER, owner_id INTEGER, id INTEGER)`}, nil
		}})
}

// tailTable is the tail as a table. It must be asked for one list.
type tailTable struct{ *tail }

const (
	listColumn = iota
	ownerColumn
	idColumn
)

// newestFirst is added to the number of a plan whose ids descend.
const newestFirst = 4

func (t tailTable) BestIndex(in *sqlite.IndexInputs) (*sqlite.IndexOutputs, error) {
	out := &sqlite.IndexOutputs{ConstraintUsage: make([]sqlite.IndexConstraintUsage, len(in.Constraints))}
	args := 0
	for _, column := range []int{listColumn, ownerColumn} {
		for i, c := range in.Constraints {
			if c.Column == column && c.Usable && c.Op == sqlite.IndexConstraintEq && args == column {
				args++
				out.ConstraintUsage[i] = sqlite.IndexConstraintUsage{ArgvIndex: args, Omit: true}
			}
		}
	}
	if args == 0 {
		return nil, sqlite.ResultConstraint.ToError()
	}
	out.ID.Num = int32(args)
	out.EstimatedCost, out.EstimatedRows = 1<<16, 1<<16
	if args > ownerColumn {
		out.EstimatedCost, out.EstimatedRows = 4, 4
		if len(in.OrderBy) == 1 && in.OrderBy[0].Column == idColumn {
			out.OrderByConsumed = true
			if in.OrderBy[0].Desc {
				out.ID.Num |= newestFirst
			}
		}
	}
	return out, nil
}

func (t tailTable) Open() (sqlite.VTableCursor, error) { return &tailCursor{tail: t.tail}, nil }
func (t tailTable) Disconnect() error                  { return nil }
func (t tailTable) Destroy() error                     { return nil }

// tailCursor walks over the ids of one owner, or of all.
type tailCursor struct {
	tail   *tail
	list   store.List
	owners []int64 // after the current one
	owner  int64
	ids    []int64
	at     int
	newest bool // first
}

func (c *tailCursor) Filter(plan sqlite.IndexID, args []sqlite.Value) error {
	*c = tailCursor{tail: c.tail, list: store.List(args[0].Int64()), newest: plan.Num&newestFirst != 0}
	if c.list < 0 || c.list >= store.ListCount {
		return fmt.Errorf("there is no list %d", c.list)
	}
	if len(args) > 1 {
		c.owner = args[1].Int64()
		c.ids = c.tail.of(c.list, c.owner)
		return nil
	}
	c.owners = c.tail.ownersOf(c.list)
	c.nextOwner()
	return nil
}

func (c *tailCursor) nextOwner() {
	for c.at == len(c.ids) && len(c.owners) > 0 {
		c.owner, c.owners, c.at = c.owners[0], c.owners[1:], 0
		c.ids = c.tail.of(c.list, c.owner)
	}
}

func (c *tailCursor) Next() error {
	c.at++
	c.nextOwner()
	return nil
}

func (c *tailCursor) Column(i int, _ bool) (sqlite.Value, error) {
	switch i {
	case listColumn:
		return sqlite.IntegerValue(int64(c.list)), nil
	case ownerColumn:
		return sqlite.IntegerValue(c.owner), nil
	default:
		return sqlite.IntegerValue(c.id()), nil
	}
}

func (c *tailCursor) id() int64 {
	if c.newest {
		return c.ids[len(c.ids)-1-c.at]
	}
	return c.ids[c.at]
}

func (c *tailCursor) RowID() (int64, error) { return c.id(), nil }
func (c *tailCursor) EOF() bool             { return c.at == len(c.ids) }
func (c *tailCursor) Close() error          { return nil }
