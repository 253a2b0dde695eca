package store

import (
	"errors"
	"time"

	"parley"
)

// A tree's budget row is locked before anything else of the tree. The row of the
// team's day comes next, then the sender and the tasks. Trees without a budget have
// no row.

func scanSpending(r Row, col int) parley.Spending {
	return parley.Spending{Input: r.Int(col), Output: r.Int(col + 1), Money: parley.Money(r.Int(col + 2)),
		Active: time.Duration(r.Int(col+3)) * time.Microsecond}
}

const budgetCols = `root_id, team_id, max_tokens, max_money, max_tasks, max_time, input, output, money, active, tasks, told`

func scanBudget(r Row) parley.TreeBudget {
	return parley.TreeBudget{
		Root: parley.TaskID(r.Int(0)), Team: parley.TeamID(r.Int(1)),
		Limit: parley.Budget{Tokens: r.Int(2), Money: parley.Money(r.Int(3)), Tasks: r.Int(4),
			Time: time.Duration(r.Int(5)) * time.Microsecond},
		Spent: scanSpending(r, 6), Tasks: r.Int(10), Told: r.Int(11) != 0,
	}
}

// InsertBudget gives a new tree, which has only its root, a budget.
func (tx *Tx) InsertBudget(b *parley.TreeBudget) {
	b.Tasks = 1
	tx.exec(`INSERT INTO budget (root_id, team_id, max_tokens, max_money, max_tasks, max_time, tasks) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
		int64(b.Root), int64(b.Team), b.Limit.Tokens, int64(b.Limit.Money), b.Limit.Tasks, b.Limit.Time.Microseconds(), b.Tasks)
}

// Budget reads the budget of a tree.
func (tx *Tx) Budget(root parley.TaskID) (b parley.TreeBudget, err error) {
	err = tx.one(`SELECT `+budgetCols+` FROM budget WHERE root_id = $1`, func(r Row) { b = scanBudget(r) }, int64(root))
	return b, err
}

// LockBudget reads and locks the budget of a tree.
func (tx *Tx) LockBudget(root parley.TaskID) (b parley.TreeBudget, err error) {
	err = tx.one(`SELECT `+budgetCols+` FROM budget WHERE root_id = $1 /*lock*/`, func(r Row) { b = scanBudget(r) }, int64(root))
	return b, err
}

// UpdateBudget stores everything of a budget that can change.
func (tx *Tx) UpdateBudget(b *parley.TreeBudget) {
	tx.exec(`UPDATE budget SET max_tokens = $1, max_money = $2, max_tasks = $3, max_time = $4,
			input = $5, output = $6, money = $7, active = $8, tasks = $9, told = $10 WHERE root_id = $11`,
		b.Limit.Tokens, int64(b.Limit.Money), b.Limit.Tasks, b.Limit.Time.Microseconds(),
		b.Spent.Input, b.Spent.Output, int64(b.Spent.Money), b.Spent.Active.Microseconds(), b.Tasks, flag(b.Told), int64(b.Root))
}

// WaitingForBudget reads and locks the tasks of a tree that wait for its budget.
func (tx *Tx) WaitingForBudget(root parley.TaskID) (list []parley.Task, err error) {
	err = tx.query(`SELECT `+taskCols+` FROM task WHERE waits > 0 AND waits = 1 AND budget_id = $1 ORDER BY id /*lock*/`,
		func(r Row) { list = append(list, scanTask(r)) }, int64(root))
	return list, err
}

// CountWaiting counts the tasks of a tree that wait for its budget.
func (tx *Tx) CountWaiting(root parley.TaskID) (n int, err error) {
	err = tx.query(`SELECT count(*) FROM task WHERE waits > 0 AND waits = 1 AND budget_id = $1`, func(r Row) { n = int(r.Int(0)) }, int64(root))
	return n, err
}

// CountWaitingForTomorrow counts the tasks of a team that wait for tomorrow's budget.
func (tx *Tx) CountWaitingForTomorrow(team parley.TeamID) (n int, err error) {
	err = tx.query(`SELECT count(*) FROM task WHERE waits > 0 AND waits = 2 AND team_id = $1`, func(r Row) { n = int(r.Int(0)) }, int64(team))
	return n, err
}

const dayCols = `team_id, day, extra_tokens, extra_money, input, output, money, active, told`

func scanDay(r Row) parley.DayBudget {
	return parley.DayBudget{Team: parley.TeamID(r.Int(0)), Day: r.Int(1),
		Extra: parley.Budget{Tokens: r.Int(2), Money: parley.Money(r.Int(3))}, Spent: scanSpending(r, 4), Told: r.Int(8) != 0}
}

// Today reads what a team has spent today. A team that has spent nothing has no row.
func (tx *Tx) Today(team parley.TeamID) (d parley.DayBudget, err error) {
	d, err = tx.today(team, "")
	if errors.Is(err, ErrNotFound) {
		return parley.DayBudget{Team: team, Day: tx.Now.Day()}, nil
	}
	return d, err
}

func (tx *Tx) today(team parley.TeamID, lock string) (d parley.DayBudget, err error) {
	err = tx.one(`SELECT `+dayCols+` FROM day WHERE team_id = $1 AND day = $2 `+lock, func(r Row) { d = scanDay(r) },
		int64(team), tx.Now.Day())
	return d, err
}

// LockToday reads and locks the budget row of a team's day, and creates it if it is
// missing.
func (tx *Tx) LockToday(team parley.TeamID) (parley.DayBudget, error) {
	d, err := tx.today(team, "/*lock*/")
	if !errors.Is(err, ErrNotFound) {
		return d, err
	}
	tx.exec(`INSERT INTO day (team_id, day) VALUES ($1, $2) ON CONFLICT (team_id, day) DO NOTHING`, int64(team), tx.Now.Day())
	return tx.today(team, "/*lock*/")
}

// UpdateDay stores everything of a day that can change.
func (tx *Tx) UpdateDay(d *parley.DayBudget) {
	tx.exec(`UPDATE day SET extra_tokens = $1, extra_money = $2, input = $3, output = $4, money = $5, active = $6, told = $7
		WHERE team_id = $8 AND day = $9`,
		d.Extra.Tokens, int64(d.Extra.Money), d.Spent.Input, d.Spent.Output, int64(d.Spent.Money), d.Spent.Active.Microseconds(),
		flag(d.Told), int64(d.Team), d.Day)
}

// WaitingForTomorrow reads and locks the tasks of a team that wait for tomorrow
// because today's budget is spent.
func (tx *Tx) WaitingForTomorrow(team parley.TeamID) (list []parley.Task, err error) {
	err = tx.query(`SELECT `+taskCols+` FROM task WHERE waits > 0 AND waits = 2 AND team_id = $1 AND state = 1 AND due_at > 0
		ORDER BY id /*lock*/`,
		func(r Row) { list = append(list, scanTask(r)) }, int64(team))
	return list, err
}

// Reserve stores what a task's next model call may spend. It replaces the reservation
// of the call before, which is over whatever its outcome.
func (tx *Tx) Reserve(r parley.Reservation) {
	tx.exec(`INSERT INTO reservation (task_id, root_id, team_id, token, turn, n, tokens, money)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
		ON CONFLICT (task_id) DO UPDATE SET token = excluded.token, turn = excluded.turn, n = excluded.n,
			tokens = excluded.tokens, money = excluded.money`,
		int64(r.Task), int64(r.Root), int64(r.Team), r.Token, int64(r.Turn), int64(r.Step), r.Tokens, int64(r.Money))
}

// Release deletes a task's reservation.
func (tx *Tx) Release(task parley.TaskID) {
	tx.exec(`DELETE FROM reservation WHERE task_id = $1`, int64(task))
}

// Reserved adds up what all tasks of a tree but one have reserved. A reservation
// counts only under the lease that made it: whatever ends the lease, even a crash,
// releases it.
func (tx *Tx) Reserved(root, except parley.TaskID) (parley.Reservation, error) {
	return tx.reserved(`r.root_id = $1`, int64(root), except)
}

// ReservedToday adds up what all tasks of a team but one have reserved of today's
// budget.
func (tx *Tx) ReservedToday(team parley.TeamID, except parley.TaskID) (parley.Reservation, error) {
	return tx.reserved(`r.team_id = $1`, int64(team), except)
}

func (tx *Tx) reserved(of string, id int64, except parley.TaskID) (sum parley.Reservation, err error) {
	err = tx.query(`SELECT CAST(coalesce(sum(r.tokens), 0) AS BIGINT), CAST(coalesce(sum(r.money), 0) AS BIGINT)
		FROM reservation r CROSS JOIN task t
		WHERE `+of+` AND r.task_id <> $2 AND t.id = r.task_id AND t.token = r.token AND t.state = 2`,
		func(r Row) { sum.Tokens, sum.Money = r.Int(0), parley.Money(r.Int(1)) }, id, int64(except))
	return sum, err
}

// SpentBelow adds up what a task and its descendants have spent according to their
// steps, also those that were removed since, and counts these tasks.
func (tx *Tx) SpentBelow(top parley.TaskID) (s parley.Spending, tasks int64, err error) {
	err = tx.conn.Query(
		Query{SQL: subtreeIDs + `SELECT CAST(coalesce(sum(s.input), 0) AS BIGINT), CAST(coalesce(sum(s.output), 0) AS BIGINT),
			CAST(coalesce(sum(s.money), 0) AS BIGINT), CAST(coalesce(sum(s.active), 0) AS BIGINT)
			FROM sub CROSS JOIN step s WHERE s.task_id = sub.tid`,
			Args: []any{int64(top)}, Row: func(r Row) { s = s.Plus(scanSpending(r, 0)) }},
		Query{SQL: subtreeIDs + `SELECT CAST(coalesce(sum(s.input), 0) AS BIGINT), CAST(coalesce(sum(s.output), 0) AS BIGINT),
			CAST(coalesce(sum(s.money), 0) AS BIGINT), CAST(coalesce(sum(s.active), 0) AS BIGINT)
			FROM sub CROSS JOIN spent s WHERE s.task_id = sub.tid`,
			Args: []any{int64(top)}, Row: func(r Row) { s = s.Plus(scanSpending(r, 0)) }},
		Query{SQL: subtreeIDs + `SELECT count(*) FROM sub`, Args: []any{int64(top)}, Row: func(r Row) { tasks = r.Int(0) }})
	return s, tasks, err
}

const subtreeIDs = `WITH RECURSIVE sub (tid) AS (SELECT id FROM task WHERE id = $1
	/*children*/ UNION ALL SELECT task.id FROM task JOIN sub ON task.parent_id = sub.tid WHERE task.parent_id > 0 /*end*/) `

// GiveBudget has all tasks of a tree draw on the budget of its root. The caller holds
// the locks of those that are open.
func (tx *Tx) GiveBudget(root parley.TaskID) {
	tx.exec(subtreeIDs+`UPDATE task SET budget_id = $1 WHERE id IN (SELECT tid FROM sub)`, int64(root))
}
