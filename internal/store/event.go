package store

import (
	"fmt"

	"parley"
	"parley/internal/wake"
)

// Record appends to the record of what happened.
func (tx *Tx) Record(e parley.Event) {
	tx.exec(`INSERT INTO event (id, team_id, at, kind, actor_id, target_id, task_id, message_id, detail)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
		tx.conn.NextID(SeqEvent), int64(e.Team), int64(tx.Now), string(e.Kind), int64(e.Actor), int64(e.Target),
		int64(e.Task), int64(e.Message), e.Detail)
	tx.Signal(wake.Events, int64(e.Team))
}

// Events reads what was recorded after a cursor, oldest first, and the cursor
// to go on from. The empty cursor is the beginning. Readers that follow the
// record see every event exactly once: on an engine where transactions commit
// in another order than they draw their numbers, what is still in flight holds
// back what came after it.
func (tx *Tx) Events(team parley.TeamID, cursor string, limit int) (list []parley.Event, next string, err error) {
	after, err := parseCursor(cursor)
	if err != nil {
		return nil, "", err
	}
	sql, args := eventsSQLite, []any{int64(team), after.id, int64(limit)}
	if tx.conn.Engine() == PostgreSQL {
		sql, args = eventsPostgreSQL, []any{int64(team), after.xid, after.id, int64(limit)}
	}
	last := after
	err = tx.query(sql, func(r Row) {
		last = eventCursor{id: r.Int(0), xid: r.Int(9)}
		list = append(list, parley.Event{
			ID: parley.EventID(r.Int(0)), Team: parley.TeamID(r.Int(1)), At: parley.Micros(r.Int(2)),
			Kind: parley.EventKind(r.Text(3)), Actor: parley.AgentID(r.Int(4)), Target: parley.AgentID(r.Int(5)),
			Task: parley.TaskID(r.Int(6)), Message: parley.MessageID(r.Int(7)), Detail: r.Text(8), Cursor: last.String(),
		})
	}, args...)
	return list, last.String(), err
}

// LatestEvent is the cursor behind which lies what is recorded from now on.
func (tx *Tx) LatestEvent() (string, error) {
	sql := `SELECT id, 0 FROM event ORDER BY id DESC LIMIT 1`
	if tx.conn.Engine() == PostgreSQL {
		sql = `SELECT id, xid FROM event WHERE xid < pg_snapshot_xmin(pg_current_snapshot())::text::bigint + event_base()
			ORDER BY xid DESC, id DESC LIMIT 1`
	}
	var last eventCursor
	err := tx.query(sql, func(r Row) { last = eventCursor{id: r.Int(0), xid: r.Int(1)} })
	return last.String(), err
}

const (
	eventsSQLite = `SELECT id, team_id, at, kind, actor_id, target_id, task_id, message_id, detail, 0
		FROM event WHERE team_id = $1 AND id > $2 ORDER BY id LIMIT $3`
	eventsPostgreSQL = `SELECT id, team_id, at, kind, actor_id, target_id, task_id, message_id, detail, xid
		FROM event WHERE team_id = $1 AND (xid, id) > ($2, $3)
		AND xid < pg_snapshot_xmin(pg_current_snapshot())::text::bigint + event_base() ORDER BY xid, id LIMIT $4`
)

// eventCursor is a place in the record. SQLite commits in the order of ids;
// PostgreSQL needs the transaction's number too.
type eventCursor struct{ xid, id int64 }

func (c eventCursor) String() string { return fmt.Sprintf("%d.%d", c.xid, c.id) }

func parseCursor(s string) (c eventCursor, err error) {
	if s == "" {
		return c, nil
	}
	if _, err := fmt.Sscanf(s, "%d.%d", &c.xid, &c.id); err != nil {
		return c, parley.Errorf(parley.Invalid, "%q is not a place in the event record.", s)
	}
	return c, nil
}
