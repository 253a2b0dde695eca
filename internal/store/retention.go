package store

import "parley"

// Old rows are found by walking the record in its own order: every message would pay
// for an index by time. A walk continues after its last place and stops at a page on
// which everything is young.

// OldMessages is a page of a walk over a team's messages.
type OldMessages struct {
	// Remove lists the messages that nothing needs any more.
	Remove []parley.MessageID
	// Next is where the walk continues. Done says that everything after it is young.
	Next parley.MessageID
	Done bool
}

// OldMessages looks at the next messages after a place. A message may be removed if
// it is older than before, its recipients have seen it, and all tasks of the trees it
// belongs to ended before that time too, with those of the trees that go on with their
// steps. The newest message of all stays, since the
// next numbers follow it.
func (tx *Tx) OldMessages(team parley.TeamID, after parley.MessageID, before parley.Micros, limit int) (p OldMessages, err error) {
	rows, young := 0, 0
	err = tx.query(oldMessages, func(r Row) {
		rows++
		p.Next = parley.MessageID(r.Int(0))
		if parley.Micros(r.Int(1)) >= before {
			young++
		}
		if r.Int(2) != 0 {
			p.Remove = append(p.Remove, p.Next)
		}
	}, int64(team), int64(after), int64(limit), int64(before))
	p.Done = rows < limit || young == rows
	return p, err
}

const oldMessages = `WITH RECURSIVE going (root_id, ended_at) AS (` + goingOn + `)
	SELECT m.id, m.at, CASE WHEN m.at < $4 AND m.id < (SELECT max(id) FROM message)
	AND NOT EXISTS (SELECT 1 FROM task t JOIN task r ON r.id = t.root_id WHERE t.id IN (m.task_id, m.origin_id)
		AND (t.ended_at = 0 OR t.ended_at >= $4 OR r.ended_at = 0 OR r.ended_at >= $4
			OR EXISTS (SELECT 1 FROM task o WHERE o.state <= 3 AND o.root_id = t.root_id)
			OR EXISTS (SELECT 1 FROM going WHERE going.root_id = t.root_id)))
	AND NOT EXISTS (SELECT 1 FROM task t WHERE t.pattern = 'mention' AND t.request_id = m.id AND (t.ended_at = 0 OR t.ended_at >= $4))
	AND NOT EXISTS (SELECT 1 FROM delivery d WHERE d.message_id = m.id AND d.seen_at = 0
		AND (d.pull = 1 OR d.mail = 1 OR m.kind = 'notification' OR m.kind IN ('reply', 'delegation_result', 'delegation_failed')
			AND EXISTS (SELECT 1 FROM task t WHERE t.id = m.task_id AND t.callback = 0 AND t.pattern <> 'answer')))
	THEN 1 ELSE 0 END
	FROM message m WHERE m.team_id = $1 AND m.id > $2 ORDER BY m.id LIMIT $3`

// goingOn finds the trees of which a task was resumed, with the end of the task that
// goes on: one that is open, or young, or whose own tree has such a one.
const goingOn = `SELECT o.root_id, s.ended_at FROM task s JOIN task o ON o.id = s.resumes
		WHERE s.resumes > 0 AND (s.ended_at = 0 OR s.ended_at >= $4)
	UNION SELECT o.root_id, going.ended_at FROM going JOIN task s ON s.root_id = going.root_id JOIN task o ON o.id = s.resumes
		WHERE s.resumes > 0`

// RemoveMessages removes messages and everything attached to them. A task whose
// request is removed loses its steps, of which only what they spent is kept, its inbox, its decided approvals and the texts
// in its row; the row itself stays. The approval of a contact from outside goes with
// the contact.
func (tx *Tx) RemoveMessages(ids []parley.MessageID) {
	for _, id := range ids {
		tx.exec(sumUp, int64(id))
		for _, table := range []string{"step", "inbox", "approval", "task_path", "file_change", "file_content", "reminder", "nudge"} {
			if table == "inbox" {
				tx.removeInboxes(id)
				continue
			}
			tx.exec(`DELETE FROM `+table+` WHERE task_id IN (`+requestedTasks+`)`+keepNewest[table], int64(id))
		}
		tx.exec(`DELETE FROM approval WHERE message_id > 0 AND message_id = $1`+keepNewest["approval"], int64(id))
		tx.exec(`UPDATE task SET request_id = 0, title = '', error = '' WHERE id IN (`+requestedTasks+`)`, int64(id))
		tx.exec(`UPDATE task SET result_id = 0 WHERE id = (SELECT task_id FROM message WHERE id = $1) AND result_id = $1`, int64(id))
		tx.exec(`UPDATE task SET result_id = 0 WHERE result_id = $1 AND id IN (SELECT r.task_id FROM message m
			JOIN question_route r ON r.question_id = m.question_id WHERE m.id = $1 AND m.question_id > 0)`, int64(id))
		tx.exec(`DELETE FROM attachment WHERE message_id = $1`, int64(id))
		tx.removeDeliveries(id)
		tx.exec(`DELETE FROM message WHERE id = $1`, int64(id))
	}
}

// removeDeliveries removes the deliveries of a message, also from the lists: what was
// shown between steps and not marked is no reason to keep it.
func (tx *Tx) removeDeliveries(id parley.MessageID) {
	if _, lists := tx.conn.(Lister); lists {
		var unseen []int64
		// What fails here fails the transaction.
		_ = tx.query(`SELECT recipient_id FROM delivery WHERE message_id = $1 AND seen_at = 0`, func(r Row) { unseen = append(unseen, r.Int(0)) }, int64(id))
		for _, recipient := range unseen {
			tx.delist(recipient, int64(id))
		}
	}
	tx.exec(`DELETE FROM delivery WHERE message_id = $1`, int64(id))
}

// removeInboxes removes the inboxes of the tasks that a message requested.
func (tx *Tx) removeInboxes(request parley.MessageID) {
	l, lists := tx.conn.(Lister)
	if !lists {
		tx.exec(`DELETE FROM inbox WHERE task_id IN (`+requestedTasks+`)`, int64(request))
		return
	}
	type entry struct{ task, message int64 }
	var all []entry
	// What fails here fails the transaction.
	_ = tx.query(`SELECT r.id, i.message_id FROM (`+requestedTasks+`) r CROSS JOIN inbox /*list inbox*/ i WHERE i.task_id = r.id`,
		func(r Row) { all = append(all, entry{r.Int(0), r.Int(1)}) }, int64(request))
	for _, e := range all {
		l.TakeFrom(InboxList, e.task, e.message)
		tx.exec(`DELETE FROM inbox WHERE message_id = $1 AND task_id = $2`, e.message, e.task)
	}
}

// requestedTasks finds the tasks that a message requested: one, or several by
// mentions.
const requestedTasks = `SELECT t.id FROM message m JOIN task t ON t.id = m.task_id WHERE m.id = $1 AND t.request_id = $1
	UNION ALL SELECT id FROM task WHERE pattern = 'mention' AND request_id = $1`

// OldRequests counts the requests from outside that were made in no task, led to no
// message and were decided before a time.
func (tx *Tx) OldRequests(team parley.TeamID, before parley.Micros) (n int, err error) {
	err = tx.query(`SELECT count(*) FROM approval WHERE `+oldRequests, func(r Row) { n = int(r.Int(0)) }, int64(team), int64(before))
	return n, err
}

// RemoveRequests removes the requests that OldRequests counts.
func (tx *Tx) RemoveRequests(team parley.TeamID, before parley.Micros) {
	tx.exec(`DELETE FROM approval WHERE `+oldRequests, int64(team), int64(before))
}

const oldRequests = `id > 0 AND team_id = $1 AND task_id = 0 AND message_id = 0 AND state > 1 AND decided_at < $2 AND id < (SELECT max(id) FROM approval)`

// keepNewest keeps the newest approval of all, since the next numbers follow it.
var keepNewest = map[string]string{"approval": ` AND id < (SELECT max(id) FROM approval)`}

// OldEvents is a page of a walk over a team's events.
type OldEvents struct {
	Count int // of old events
	Next  string
	Done  bool // everything after it is young
}

// OldEvents looks at the next events after a cursor; the empty one is the beginning.
// The newest event of all stays.
func (tx *Tx) OldEvents(team parley.TeamID, cursor string, before parley.Micros, limit int) (p OldEvents, err error) {
	latest, err := tx.latestEvent()
	if err != nil {
		return p, err
	}
	list, next, err := tx.Events(team, cursor, limit)
	young := 0
	for _, e := range list {
		switch {
		case e.At >= before:
			young++
		case e.Cursor != latest.String():
			p.Count++
		}
	}
	p.Next, p.Done = next, len(list) < limit || young == len(list)
	return p, err
}

// RemoveEvents removes the old events of a team after one cursor and up to another.
func (tx *Tx) RemoveEvents(team parley.TeamID, after, upto string, before parley.Micros) error {
	from, err := parseCursor(after)
	if err != nil {
		return err
	}
	to, err := parseCursor(upto)
	if err != nil {
		return err
	}
	latest, err := tx.latestEvent()
	if err != nil {
		return err
	}
	sql, args := `DELETE FROM event WHERE team_id = $1 AND at < $2 AND id <> $3 AND id > $4 AND id <= $5`,
		[]any{int64(team), int64(before), latest.id, from.id, to.id}
	if tx.conn.Engine() == PostgreSQL {
		sql = `DELETE FROM event WHERE team_id = $1 AND at < $2 AND id <> $3 AND (xid, id) > ($6, $4) AND (xid, id) <= ($7, $5)`
		args = append(args, from.xid, to.xid)
	}
	tx.exec(sql, args...)
	return nil
}
