package store

import "parley"

// StepTimes reads the steps of tasks without what they say: when each was stored, of what
// kind it is and what it cost.
func (tx *Tx) StepTimes(tasks []parley.TaskID) (of map[parley.TaskID][]parley.Step, err error) {
	of = make(map[parley.TaskID][]parley.Step, len(tasks))
	queries := make([]Query, 0, len(tasks))
	for _, id := range tasks {
		queries = append(queries, Query{SQL: `SELECT task_id, turn, n, kind, '', at, input, output, money, active FROM step WHERE task_id = $1 ORDER BY turn, n`,
			Args: []any{int64(id)}, Row: func(r Row) { of[id] = append(of[id], scanStep(r)) }})
	}
	if len(queries) > 0 {
		err = tx.conn.Query(queries...)
	}
	return of, err
}
