package store

import "parley"

// A transaction that makes a task depend on another one locks that other task and
// counts the dependent there. The other task ends under the same lock: either it has
// ended before and the dependent sees it, or its end finds that somebody waits.

// InsertDependency makes a task wait for the end of another one, which the caller has
// locked.
func (tx *Tx) InsertDependency(task parley.TaskID, on *parley.Task) {
	on.Dependents++
	tx.exec(`INSERT INTO task_dependency (task_id, on_id) VALUES ($1, $2) ON CONFLICT (task_id, on_id) DO NOTHING`, int64(task), int64(on.ID))
	tx.exec(`UPDATE task SET dependents = $1 WHERE id = $2`, int64(on.Dependents), int64(on.ID))
}

// Dependencies reads the tasks that a task depends on, oldest first.
func (tx *Tx) Dependencies(of parley.TaskID) (list []parley.Task, err error) {
	err = tx.query(`SELECT `+taskCols+` FROM task WHERE id IN (SELECT on_id FROM task_dependency WHERE task_id = $1) ORDER BY id`,
		func(r Row) { list = append(list, scanTask(r)) }, int64(of))
	return list, err
}

// WaitsFor reads the open tasks that a task must wait for before it can end: those it
// depends on, and the children it waits for.
func (tx *Tx) WaitsFor(id parley.TaskID) (ids []parley.TaskID, err error) {
	err = tx.query(`SELECT d.on_id AS id FROM task_dependency d JOIN task t ON t.id = d.on_id WHERE d.task_id = $1 AND t.state <= 3
		UNION SELECT c.id FROM task /*list child*/ c WHERE c.parent_id = $1 AND c.parent_id > 0 AND c.state <= 3 AND c.callback IN (1, 2, 4) ORDER BY id`,
		func(r Row) { ids = append(ids, parley.TaskID(r.Int(0))) }, int64(id))
	return ids, err
}

// SettledDependents reads tasks that still wait although their dependencies are
// settled: none is open any more, or one has failed.
func (tx *Tx) SettledDependents(limit int) (ids []parley.TaskID, err error) {
	err = tx.query(`SELECT w.id FROM task w WHERE w.waits > 0 AND w.waits = 3 AND w.state = 3 AND (
		EXISTS (SELECT 1 FROM task_dependency d JOIN task t ON t.id = d.on_id WHERE d.task_id = w.id AND t.state > 4)
		OR NOT EXISTS (SELECT 1 FROM task_dependency d JOIN task t ON t.id = d.on_id WHERE d.task_id = w.id AND t.state <= 3))
		ORDER BY +w.id LIMIT $1`,
		func(r Row) { ids = append(ids, parley.TaskID(r.Int(0))) }, int64(limit))
	return ids, err
}

// InsertTaskPath stores which file a task is about.
func (tx *Tx) InsertTaskPath(t *parley.Task, path string) {
	tx.exec(`INSERT INTO task_path (task_id, team_id, path) VALUES ($1, $2, $3) ON CONFLICT (task_id, path) DO NOTHING`,
		int64(t.ID), int64(t.Team), path)
}
