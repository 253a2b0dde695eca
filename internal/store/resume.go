package store

import (
	"errors"

	"parley"
)

// ResumedBy finds the task that goes on where another one failed; ErrNotFound if
// there is none.
func (tx *Tx) ResumedBy(id parley.TaskID) (t parley.Task, err error) {
	err = tx.one(`SELECT `+taskCols+` FROM task WHERE resumes = $1 AND resumes > 0`, func(r Row) { t = scanTask(r) }, int64(id))
	return t, err
}

// StepExtent reads how far the stored steps of a task go: the last turn of which
// there is one, and how many there are.
func (tx *Tx) StepExtent(of parley.TaskID) (turn, count int, err error) {
	err = tx.one(`SELECT COALESCE(max(turn), 0), count(*) FROM step WHERE task_id = $1`, func(r Row) {
		turn, count = int(r.Int(0)), int(r.Int(1))
	}, int64(of))
	return turn, count, err
}

// TakeInbox gives a new task everything that came back to another one, under the same
// numbers: the steps that it takes over name them. The caller stores the task.
func (tx *Tx) TakeInbox(t *parley.Task, from parley.Task) {
	t.InboxCount = from.InboxCount
	taken := `INSERT INTO inbox (task_id, n, message_id) SELECT CAST($1 AS BIGINT), n, message_id FROM inbox /*list inbox*/ i WHERE task_id = $2`
	if _, lists := tx.conn.(Lister); !lists {
		tx.exec(taken, int64(t.ID), int64(from.ID))
		return
	}
	tx.wrote = true
	var ids []int64
	// What fails here fails the transaction.
	_ = tx.query(taken+` RETURNING message_id`, func(r Row) { ids = append(ids, r.Int(0)) }, int64(t.ID), int64(from.ID))
	for _, id := range ids {
		tx.addTo(InboxList, int64(t.ID), id)
	}
}

// MadeBefore finds what an author wrote under a key in one of some tasks.
func (tx *Tx) MadeBefore(in []parley.TaskID, author parley.AgentID, key string) (m parley.Message, err error) {
	for _, id := range in {
		err := tx.one(messageByKey, func(r Row) { m = scanMessage(r) }, int64(id), int64(author), key)
		if err == nil || !errors.Is(err, ErrNotFound) {
			return m, err
		}
	}
	return m, nil
}

// ResumedRoots reads the roots of the trees that share steps with a tree: a task in
// one goes on where a task in the other failed.
func (tx *Tx) ResumedRoots(root parley.TaskID) (list []parley.TaskID, err error) {
	err = tx.query(`SELECT s.root_id FROM task s JOIN task o ON o.id = s.resumes WHERE s.resumes > 0 AND o.root_id = $1
		UNION SELECT o.root_id FROM task s JOIN task o ON o.id = s.resumes WHERE s.resumes > 0 AND s.root_id = $1`,
		func(r Row) { list = append(list, parley.TaskID(r.Int(0))) }, int64(root))
	return list, err
}
