package store

import (
	"parley"
)

// The queue is read through an index of the open tasks, "state <= 3". SQLite uses it
// only for statements that repeat this condition literally, even where "state = 1"
// already implies it. "ORDER BY +id" keeps SQLite from reading the whole table in id
// order instead.

// InsertWorker registers a hub that will take leases.
func (tx *Tx) InsertWorker(name string, aliveUntil parley.Micros) int64 {
	id := tx.conn.NextID(SeqWorker)
	tx.exec(`INSERT INTO worker (id, name, alive_until) VALUES ($1, $2, $3)`, id, name, int64(aliveUntil))
	return id
}

// Heartbeat renews all leases of a worker at once. It inserts the row again if others
// have removed it, since an idle worker looks dead to them.
func (tx *Tx) Heartbeat(worker int64, name string, aliveUntil parley.Micros) {
	tx.exec(`INSERT INTO worker (id, name, alive_until) VALUES ($1, $2, $3)
		ON CONFLICT (id) DO UPDATE SET alive_until = excluded.alive_until`, worker, name, int64(aliveUntil))
}

// DeleteWorker removes a worker that holds no leases.
func (tx *Tx) DeleteWorker(worker int64) { tx.exec(`DELETE FROM worker WHERE id = $1`, worker) }

// DeleteDeadWorker removes a worker whose leases have expired. If it has come back
// since it was found dead, its row has a new time and stays.
func (tx *Tx) DeleteDeadWorker(worker int64) {
	tx.exec(`DELETE FROM worker WHERE id = $1 AND alive_until < $2`, worker, int64(tx.Now))
}

// DeadWorkers reads the workers whose leases have expired, except the caller.
func (tx *Tx) DeadWorkers(except int64) (ids []int64, err error) {
	err = tx.query(`SELECT id FROM worker WHERE alive_until < $1 AND id <> $2 ORDER BY id`,
		func(r Row) { ids = append(ids, r.Int(0)) }, int64(tx.Now), except)
	return ids, err
}

// OtherWorkers reads all workers except the caller.
func (tx *Tx) OtherWorkers(except int64) (ids []int64, err error) {
	err = tx.query(`SELECT id FROM worker WHERE id <> $1 ORDER BY id`, func(r Row) { ids = append(ids, r.Int(0)) }, except)
	return ids, err
}

// Leased reads the leases that a worker holds.
func (tx *Tx) Leased(worker int64) (list []parley.Lease, err error) {
	err = tx.query(`SELECT id, parent_id, team_id, agent_id, worker_id, token, budget_id,
		CASE WHEN pattern <> 'mention' THEN 0 WHEN chain_id > 0 THEN chain_id ELSE root_id END FROM task
		WHERE state = 2 AND state <= 3 AND worker_id = $1 ORDER BY +id`, func(r Row) {
		list = append(list, parley.Lease{Task: parley.TaskID(r.Int(0)), Parent: parley.TaskID(r.Int(1)),
			Team: parley.TeamID(r.Int(2)), Agent: parley.AgentID(r.Int(3)), Worker: r.Int(4), Token: r.Int(5),
			Budget: parley.TaskID(r.Int(6)), Mention: parley.TaskID(r.Int(7))})
	}, worker)
	return list, err
}

// Claimable reads and locks up to limit tasks of an agent that can run now, the most
// urgent and then the oldest first. It skips what another hub is taking at this
// moment. Nothing of a paused team can run.
func (tx *Tx) Claimable(agent parley.AgentID, limit int) (list []parley.Task, err error) {
	err = tx.query(`SELECT `+taskCols+` FROM task WHERE agent_id = $1 AND state = 1 AND state <= 3 AND due_at = 0
		AND NOT EXISTS (SELECT 1 FROM team WHERE team.id = task.team_id AND team.paused > 0)
		ORDER BY priority DESC, id LIMIT $2 /*skip locked*/`,
		func(r Row) { list = append(list, scanTask(r)) }, int64(agent), int64(limit))
	return list, err
}

// AgentsWithWork reads the native agents that have something to claim, including
// those of paused teams.
func (tx *Tx) AgentsWithWork() (ids []parley.AgentID, err error) {
	err = tx.query(`SELECT DISTINCT t.agent_id FROM task t JOIN agent a ON a.id = t.agent_id
		WHERE t.state = 1 AND t.state <= 3 AND t.due_at = 0 AND a.kind = 'native' ORDER BY t.agent_id`,
		func(r Row) { ids = append(ids, parley.AgentID(r.Int(0))) })
	return ids, err
}

// NextDue reads when the next delayed task is due; 0 if none is.
func (tx *Tx) NextDue() (at parley.Micros, err error) {
	err = tx.query(`SELECT min(due_at) FROM task WHERE state = 1 AND due_at > 0
		UNION ALL SELECT min(due_at) FROM task WHERE state = 3 AND due_at > 0`,
		func(r Row) {
			if due := parley.Micros(r.Int(0)); at == 0 || due != 0 && due < at {
				at = due
			}
		})
	return at, err
}

// DueWaiting reads and locks tasks that wait for a time that has come.
func (tx *Tx) DueWaiting(limit int) (list []parley.Task, err error) {
	err = tx.query(`SELECT `+taskCols+` FROM task WHERE state = 3 AND due_at > 0 AND due_at <= $1
		ORDER BY due_at LIMIT $2 /*skip locked*/`,
		func(r Row) { list = append(list, scanTask(r)) }, int64(tx.Now), int64(limit))
	return list, err
}

// DueTasks reads and locks delayed tasks whose time has come.
func (tx *Tx) DueTasks(limit int) (list []parley.Task, err error) {
	err = tx.query(`SELECT `+taskCols+` FROM task WHERE state = 1 AND due_at > 0 AND due_at <= $1
		ORDER BY due_at LIMIT $2 /*skip locked*/`,
		func(r Row) { list = append(list, scanTask(r)) }, int64(tx.Now), int64(limit))
	return list, err
}

// DelayedTasks reads and locks the delayed tasks of an agent.
func (tx *Tx) DelayedTasks(agent parley.AgentID) (list []parley.Task, err error) {
	err = tx.query(`SELECT `+taskCols+` FROM task WHERE agent_id = $1 AND state = 1 AND state <= 3 AND due_at > 0
		ORDER BY id /*lock*/`,
		func(r Row) { list = append(list, scanTask(r)) }, int64(agent))
	return list, err
}

// NextDeadline reads the earliest deadline of an open task; 0 if there is none. It
// scans the index of the open tasks: an index of its own would cost every task two
// writes, for a look once an hour.
func (tx *Tx) NextDeadline() (at parley.Micros, err error) {
	err = tx.query(`SELECT min(deadline_at) FROM task WHERE state <= 3 AND deadline_at > 0`,
		func(r Row) { at = parley.Micros(r.Int(0)) })
	return at, err
}

// Overdue reads open tasks whose deadline has passed.
func (tx *Tx) Overdue(limit int) (ids []parley.TaskID, err error) {
	err = tx.query(`SELECT id FROM task WHERE state <= 3 AND deadline_at > 0 AND deadline_at <= $1 LIMIT $2`,
		func(r Row) { ids = append(ids, parley.TaskID(r.Int(0))) }, int64(tx.Now), int64(limit))
	return ids, err
}

// QueuedOf reads the queued tasks of an agent, including delayed ones.
func (tx *Tx) QueuedOf(agent parley.AgentID) (ids []parley.TaskID, err error) {
	err = tx.query(`SELECT id FROM task WHERE agent_id = $1 AND state = 1 AND state <= 3 ORDER BY id`,
		func(r Row) { ids = append(ids, parley.TaskID(r.Int(0))) }, int64(agent))
	return ids, err
}

// OpenOf reads the open tasks of an agent.
func (tx *Tx) OpenOf(agent parley.AgentID) (ids []parley.TaskID, err error) {
	err = tx.query(`SELECT id FROM task WHERE agent_id = $1 AND state <= 3 ORDER BY id`,
		func(r Row) { ids = append(ids, parley.TaskID(r.Int(0))) }, int64(agent))
	return ids, err
}

// OpenAsks reads the open asks of an agent whose askers still wait.
func (tx *Tx) OpenAsks(agent parley.AgentID) (list []parley.Task, err error) {
	err = tx.query(`SELECT `+taskCols+` FROM task
		WHERE agent_id = $1 AND state <= 3 AND pattern = 'ask' AND callback <> 2 AND wait_until > $2 ORDER BY id`,
		func(r Row) { list = append(list, scanTask(r)) }, int64(agent), int64(tx.Now))
	return list, err
}
