package store

import (
	"slices"

	"parley"
)

// What somebody fetches is read through the list of what they have not seen, "pull = 1
// AND seen_at = 0", and work through the index of the open tasks, which SQLite uses only
// for statements that repeat its condition literally.

// Unseen is a message that waits for somebody who fetches it.
type Unseen struct {
	Message   parley.Message
	Delivered bool // handed out before
	// Task is the open task of the recipient that the message asks for; zero if none.
	Task parley.Task
}

// Unseen reads what an agent has not seen, the most urgent and then the oldest
// first. With queued it includes requests whose tasks nobody has taken; else those
// come from the queue, when they can begin.
func (tx *Tx) Unseen(to parley.AgentID, queued bool, limit int) (list []Unseen, err error) {
	err = tx.query(`SELECT `+messageColsOfM+`, d.delivered_at, coalesce(t.id, 0)`+unseen+`
		ORDER BY CASE WHEN m.priority = 0 THEN 2 ELSE m.priority END DESC, d.message_id LIMIT $3`, func(r Row) {
		w := Unseen{Message: scanMessage(r), Delivered: r.Int(messageColCount) != 0}
		w.Task.ID = parley.TaskID(r.Int(messageColCount + 1))
		list = append(list, w)
	}, int64(to), flag(queued), int64(limit))
	if err != nil {
		return nil, err
	}
	for i := range list {
		if id := list[i].Task.ID; id != 0 {
			if list[i].Task, err = tx.Task(id); err != nil {
				return nil, err
			}
		}
	}
	return list, nil
}

// CountUnseen counts what Unseen finds, up to limit, without some messages.
func (tx *Tx) CountUnseen(to parley.AgentID, queued bool, limit int, without ...parley.MessageID) (n int, err error) {
	err = tx.query(`SELECT d.message_id`+unseen+` LIMIT $3`, func(r Row) {
		if n < limit && !slices.Contains(without, parley.MessageID(r.Int(0))) {
			n++
		}
	}, int64(to), flag(queued), int64(limit+len(without)))
	return n, err
}

// A request names its task, and whom a post or a closing text mentions has one for it.
const unseen = ` FROM delivery /*list pull*/ d CROSS JOIN message m
	LEFT JOIN task t ON t.id = CASE WHEN m.kind IN ('post', 'reply')
			THEN (SELECT max(k.id) FROM task k WHERE k.request_id = m.id AND k.pattern = 'mention' AND k.agent_id = $1)
			ELSE m.task_id END
		AND t.request_id = m.id AND t.agent_id = $1
	WHERE d.recipient_id = $1 AND d.pull = 1 AND d.seen_at = 0 AND m.id = d.message_id
	AND ($2 = 1 OR t.id IS NULL OR t.state = 2)`

// CountClaimable counts the tasks of an agent that can be taken now, up to limit.
func (tx *Tx) CountClaimable(agent parley.AgentID, limit int) (n int, err error) {
	err = tx.query(`SELECT 1 FROM task WHERE agent_id = $1 AND state = 1 AND state <= 3 AND due_at = 0
		AND NOT EXISTS (SELECT 1 FROM team WHERE team.id = task.team_id AND team.paused > 0) LIMIT $2`,
		func(Row) { n++ }, int64(agent), int64(limit))
	return n, err
}

// OpenTasksOf reads the open tasks of an agent, the most urgent and then the oldest
// first.
func (tx *Tx) OpenTasksOf(agent parley.AgentID, limit int) (list []parley.Task, err error) {
	err = tx.query(`SELECT `+taskCols+` FROM task WHERE agent_id = $1 AND state <= 3 ORDER BY priority DESC, +id LIMIT $2`,
		func(r Row) { list = append(list, scanTask(r)) }, int64(agent), int64(limit))
	return list, err
}

// Forsaken reads the tasks that clients hold who are not connected any more.
func (tx *Tx) Forsaken(limit int) (ids []parley.TaskID, err error) {
	err = tx.query(`SELECT t.id FROM agent a CROSS JOIN task t WHERE a.kind = 'client' AND a.connected_until <= $1
		AND t.agent_id = a.id AND t.state = 2 AND t.state <= 3 AND t.worker_id = 0 ORDER BY +t.id LIMIT $2`,
		func(r Row) { ids = append(ids, parley.TaskID(r.Int(0))) }, int64(tx.Now), int64(limit))
	return ids, err
}

// Unsee makes a message one that its recipient has yet to see: whoever was handed it
// is gone.
func (tx *Tx) Unsee(id parley.MessageID, by parley.AgentID) {
	tx.exec(`UPDATE delivery SET seen_at = 0 WHERE message_id = $1 AND recipient_id = $2 AND answered_at = 0`, int64(id), int64(by))
	tx.relist(int64(by), int64(id))
	tx.conn.Recent().came.add(inMail, int64(by))
}

// Recall takes back a message that its recipient has not seen: it is not handed out any
// more.
func (tx *Tx) Recall(id parley.MessageID, from parley.AgentID) {
	tx.exec(`UPDATE delivery SET pull = 0 WHERE message_id = $1 AND recipient_id = $2 AND seen_at = 0`, int64(id), int64(from))
	tx.delist(int64(from), int64(id), PullList)
}

// AskedBy reads the task of an agent that a message asked for; zero if it asked for
// none.
func (tx *Tx) AskedBy(m parley.Message, of parley.AgentID) (t parley.Task, err error) {
	scan := func(r Row) { t = scanTask(r) }
	if m.Kind == parley.PostMessage || m.Kind == parley.ReplyMessage {
		err = tx.query(`SELECT `+taskCols+` FROM task WHERE request_id = $1 AND pattern = 'mention' AND agent_id = $2 ORDER BY id`, scan, int64(m.ID), int64(of))
		return t, err
	}
	err = tx.query(`SELECT `+taskCols+` FROM task WHERE id = $1 AND request_id = $2 AND agent_id = $3`, scan, int64(m.Task), int64(m.ID), int64(of))
	return t, err
}
