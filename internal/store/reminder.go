package store

import (
	"time"

	"parley"
	"parley/internal/wake"
)

// SetReminder has somebody reminded of a task, or moves the reminder that there is.
func (tx *Tx) SetReminder(r parley.Reminder) {
	tx.exec(`INSERT INTO reminder (task_id, agent_id, team_id, due_at, created_at) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (task_id, agent_id) DO UPDATE SET due_at = excluded.due_at, created_at = excluded.created_at`,
		int64(r.Task), int64(r.Agent), int64(r.Team), int64(r.Due), int64(tx.Now))
	if r.Due.Until(tx.Now) < time.Hour {
		tx.Signal(wake.Clock, int64(r.Task))
	}
}

// Reminders reads who is to be reminded of a task, by id.
func (tx *Tx) Reminders(of parley.TaskID) (list []parley.Reminder, err error) {
	err = tx.query(`SELECT `+reminderCols+` FROM reminder WHERE task_id = $1 ORDER BY agent_id`,
		func(r Row) { list = append(list, scanReminder(r)) }, int64(of))
	return list, err
}

const reminderCols = `task_id, agent_id, team_id, due_at, created_at`

func scanReminder(r Row) parley.Reminder {
	return parley.Reminder{Task: parley.TaskID(r.Int(0)), Agent: parley.AgentID(r.Int(1)), Team: parley.TeamID(r.Int(2)),
		Due: parley.Micros(r.Int(3)), CreatedAt: parley.Micros(r.Int(4))}
}

// NextReminder reads when the next reminder is due; 0 if there is none.
func (tx *Tx) NextReminder() (at parley.Micros, err error) {
	err = tx.query(`SELECT due_at FROM reminder ORDER BY due_at LIMIT 1`, func(r Row) { at = parley.Micros(r.Int(0)) })
	return at, err
}

// DueReminders reads reminders whose time has come.
func (tx *Tx) DueReminders(limit int) (list []parley.Reminder, err error) {
	err = tx.query(`SELECT `+reminderCols+` FROM reminder WHERE due_at <= $1 ORDER BY due_at LIMIT $2`,
		func(r Row) { list = append(list, scanReminder(r)) }, int64(tx.Now), int64(limit))
	return list, err
}

// TakeReminder removes a reminder that is due, and reports whether it was there: of two who
// take it at once, one gets it.
func (tx *Tx) TakeReminder(task parley.TaskID, agent parley.AgentID) (taken bool, err error) {
	tx.wrote = true
	err = tx.query(`DELETE FROM reminder WHERE task_id = $1 AND agent_id = $2 AND due_at <= $3 RETURNING task_id`,
		func(Row) { taken = true }, int64(task), int64(agent), int64(tx.Now))
	return taken, err
}

// Idle is an open task and when it was last seen to make progress.
type Idle struct {
	Task  parley.Task
	Since parley.Micros
}

// IdleTasks reads the open tasks of an agent of which nobody was told yet, after a place,
// each with its last step.
func (tx *Tx) IdleTasks(agent parley.AgentID, after parley.TaskID, limit int) (list []Idle, err error) {
	err = tx.query(`SELECT `+taskCols+`, (SELECT max(s.at) FROM step s WHERE s.task_id = task.id) FROM task
		WHERE agent_id = $1 AND state <= 3 AND id > $2
		AND NOT EXISTS (SELECT 1 FROM nudge WHERE nudge.task_id = task.id) ORDER BY +id LIMIT $3`,
		func(r Row) {
			i := Idle{Task: scanTask(r), Since: parley.Micros(r.Int(taskColCount))}
			i.Since = max(i.Since, i.Task.CreatedAt, i.Task.StartedAt, i.Task.Due)
			list = append(list, i)
		}, int64(agent), int64(after), int64(limit))
	return list, err
}

// ProgressIn reads when a task or one below it last made progress.
func (tx *Tx) ProgressIn(id parley.TaskID) (at parley.Micros, err error) {
	err = tx.query(subtreeIDs+`SELECT CASE WHEN t.ended_at > t.created_at THEN t.ended_at ELSE t.created_at END, t.started_at,
			(SELECT max(s.at) FROM step s WHERE s.task_id = t.id) FROM sub CROSS JOIN task t WHERE t.id = sub.tid`,
		func(r Row) { at = max(at, parley.Micros(r.Int(0)), parley.Micros(r.Int(1)), parley.Micros(r.Int(2))) }, int64(id))
	return at, err
}

// Nudge stores that the requester of a task was told that nothing happens. It reports false
// if somebody else was first.
func (tx *Tx) Nudge(id parley.TaskID) (first bool, err error) {
	tx.wrote = true
	err = tx.query(`INSERT INTO nudge (task_id, at) VALUES ($1, $2) ON CONFLICT (task_id) DO NOTHING RETURNING task_id`,
		func(Row) { first = true }, int64(id), int64(tx.Now))
	return first, err
}
