package store

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"parley"
	"parley/internal/wake"
)

// Record appends an event.
func (tx *Tx) Record(e parley.Event) {
	tx.exec(`INSERT INTO event (id, team_id, at, kind, actor_id, target_id, task_id, message_id, detail)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) /*later*/`,
		tx.conn.NextID(SeqEvent), int64(e.Team), int64(tx.Now), string(e.Kind), int64(e.Actor), int64(e.Target),
		int64(e.Task), int64(e.Message), e.Detail)
	tx.Signal(wake.Events, int64(e.Team))
}

// EventFilter picks events of a team. A zero field matches everything.
type EventFilter struct {
	Team parley.TeamID
	// Agent is the actor or the target.
	Agent parley.AgentID
	// Sees is a reader who may see only events of which it is the actor or the
	// target.
	Sees parley.AgentID
	Task parley.TaskID
	// Tree includes the descendants of Task.
	Tree bool
	// Kind is one kind, or a pattern with a star: contact.*
	Kind string
	// Kinds are several kinds.
	Kinds []parley.EventKind
	// Since is inclusive, Until exclusive.
	Since, Until parley.Micros
}

// where writes the filter as SQL conditions for a statement that already has args.
func (f EventFilter) where(args []any) (string, []any) {
	var b strings.Builder
	and := func(condition string, values ...any) {
		for i, v := range values {
			args = append(args, v)
			condition = strings.ReplaceAll(condition, "?"+strconv.Itoa(i+1), "$"+strconv.Itoa(len(args)))
		}
		b.WriteString(" AND " + condition)
	}
	and("team_id = ?1", int64(f.Team))
	for _, id := range []parley.AgentID{f.Agent, f.Sees} {
		if id != 0 {
			and("(actor_id = ?1 OR target_id = ?1)", int64(id))
		}
	}
	switch {
	case f.Task != 0 && f.Tree:
		and("task_id IN ("+treeIDs+")", int64(f.Task))
	case f.Task != 0:
		and("task_id = ?1", int64(f.Task))
	}
	if strings.Contains(f.Kind, "*") {
		and(`kind LIKE ?1 ESCAPE '\'`, strings.NewReplacer(`\`, `\\`, "%", `\%`, "_", `\_`, "*", "%").Replace(f.Kind))
	} else if f.Kind != "" {
		and("kind = ?1", f.Kind)
	}
	if len(f.Kinds) > 0 {
		names := make([]string, len(f.Kinds))
		for i, k := range f.Kinds {
			args = append(args, string(k))
			names[i] = "$" + strconv.Itoa(len(args))
		}
		and("kind IN (" + strings.Join(names, ", ") + ")")
	}
	if f.Since != 0 {
		and("at >= ?1", int64(f.Since))
	}
	if f.Until != 0 {
		and("at < ?1", int64(f.Until))
	}
	return b.String(), args
}

// Matches reports whether the filter picks an event. It cannot decide about a Tree,
// which only the database knows.
func (f EventFilter) Matches(e parley.Event) bool {
	concerns := func(id parley.AgentID) bool { return id == 0 || e.Actor == id || e.Target == id }
	return e.Team == f.Team && concerns(f.Agent) && concerns(f.Sees) && !f.Tree && (f.Task == 0 || e.Task == f.Task) &&
		f.matchesKind(string(e.Kind)) && (len(f.Kinds) == 0 || slices.Contains(f.Kinds, e.Kind)) && e.At >= f.Since && (f.Until == 0 || e.At < f.Until)
}

func (f EventFilter) matchesKind(kind string) bool {
	before, after, several := strings.Cut(f.Kind, "*")
	if !several {
		return f.Kind == "" || f.Kind == kind
	}
	return len(kind) >= len(before)+len(after) && strings.HasPrefix(kind, before) && strings.HasSuffix(kind, after)
}

const treeIDs = `WITH RECURSIVE tree (tid) AS (
	SELECT id FROM task WHERE id = ?1
	/*children*/ UNION ALL SELECT task.id FROM task JOIN tree ON task.parent_id = tree.tid WHERE task.parent_id > 0 /*end*/)
	SELECT tid FROM tree`

// Events reads what was recorded after a cursor, oldest first, and the cursor to
// continue from. The empty cursor is the beginning. Readers that follow the record
// see every event exactly once: where transactions may commit in a different order
// than they draw their numbers, events wait for earlier ones that are still in
// flight.
func (tx *Tx) Events(team parley.TeamID, cursor string, limit int) (list []parley.Event, next string, err error) {
	return tx.EventsOf(EventFilter{Team: team}, cursor, limit)
}

// EventsOf is Events with a filter. The cursor moves past events that do not match,
// so that they are not read again.
func (tx *Tx) EventsOf(f EventFilter, cursor string, limit int) (list []parley.Event, next string, err error) {
	after, err := parseCursor(cursor)
	if err != nil {
		return nil, "", err
	}
	// Read this first: an event that is recorded between the two reads must not be
	// skipped.
	latest, err := tx.latestEvent()
	if err != nil {
		return nil, "", err
	}
	where, args := f.where([]any{after.id, int64(limit)})
	sql := `SELECT ` + eventCols + `, 0 FROM event WHERE id > $1` + where + ` ORDER BY id LIMIT $2`
	if tx.conn.Engine() == PostgreSQL {
		where, args = f.where([]any{after.id, int64(limit), after.xid})
		sql = `SELECT ` + eventCols + `, xid FROM event WHERE (xid, id) > ($3, $1)` + belowHorizon + where + ` ORDER BY xid, id LIMIT $2`
	}
	last := after
	err = tx.query(sql, func(r Row) {
		e := scanEvent(r)
		last = eventCursor{id: r.Int(0), xid: r.Int(9)}
		list = append(list, e)
	}, args...)
	if len(list) < limit && last.before(latest) {
		last = latest
	}
	return list, last.String(), err
}

// LastEvents reads the newest events that match a filter, oldest first, and the
// cursor after everything it looked at. It reads backwards, so it holds no more in
// memory than it returns.
func (tx *Tx) LastEvents(f EventFilter, limit int) (list []parley.Event, next string, err error) {
	latest, err := tx.latestEvent()
	if err != nil {
		return nil, "", err
	}
	where, args := f.where([]any{latest.id, int64(limit)})
	sql := `SELECT ` + eventCols + `, 0 FROM event WHERE id <= $1` + where + ` ORDER BY id DESC LIMIT $2`
	if tx.conn.Engine() == PostgreSQL {
		where, args = f.where([]any{latest.id, int64(limit), latest.xid})
		sql = `SELECT ` + eventCols + `, xid FROM event WHERE (xid, id) <= ($3, $1)` + where + ` ORDER BY xid DESC, id DESC LIMIT $2`
	}
	err = tx.query(sql, func(r Row) { list = append(list, scanEvent(r)) }, args...)
	slices.Reverse(list)
	return list, latest.String(), err
}

const (
	eventCols = `id, team_id, at, kind, actor_id, target_id, task_id, message_id, detail`
	// belowHorizon leaves out events that a transaction in flight may still precede.
	belowHorizon = ` AND xid < pg_snapshot_xmin(pg_current_snapshot())::text::bigint + event_base()`
)

func scanEvent(r Row) parley.Event {
	return parley.Event{
		ID: parley.EventID(r.Int(0)), Team: parley.TeamID(r.Int(1)), At: parley.Micros(r.Int(2)),
		Kind: parley.EventKind(r.Text(3)), Actor: parley.AgentID(r.Int(4)), Target: parley.AgentID(r.Int(5)),
		Task: parley.TaskID(r.Int(6)), Message: parley.MessageID(r.Int(7)), Detail: r.Text(8),
		Cursor: eventCursor{id: r.Int(0), xid: r.Int(9)}.String(),
	}
}

// LatestEvent is the cursor after everything recorded so far.
func (tx *Tx) LatestEvent() (string, error) {
	last, err := tx.latestEvent()
	return last.String(), err
}

func (tx *Tx) latestEvent() (last eventCursor, err error) {
	sql := `SELECT id, 0 FROM event ORDER BY id DESC LIMIT 1`
	if tx.conn.Engine() == PostgreSQL {
		sql = `SELECT id, xid FROM event WHERE true` + belowHorizon + ` ORDER BY xid DESC, id DESC LIMIT 1`
	}
	err = tx.query(sql, func(r Row) { last = eventCursor{id: r.Int(0), xid: r.Int(1)} })
	return last, err
}

// eventCursor is a place in the event record. SQLite commits in the order of ids;
// PostgreSQL needs the transaction's number as well.
type eventCursor struct{ xid, id int64 }

func (c eventCursor) String() string { return fmt.Sprintf("%d.%d", c.xid, c.id) }

func (c eventCursor) before(d eventCursor) bool {
	return c.xid < d.xid || c.xid == d.xid && c.id < d.id
}

// CursorBefore reports whether a place in the record is before another. One that cannot be
// read is before all others.
func CursorBefore(a, b string) bool {
	first, _ := parseCursor(a)
	second, _ := parseCursor(b)
	return first.before(second)
}

func parseCursor(s string) (c eventCursor, err error) {
	if s == "" {
		return c, nil
	}
	_, err = fmt.Sscanf(s, "%d.%d", &c.xid, &c.id)
	if err != nil || c.String() != s || c.xid < 0 || c.id < 0 {
		return eventCursor{}, parley.Errorf(parley.Invalid, "%q is not a place in the event record.", parley.Clip(s, 40))
	}
	return c, nil
}
