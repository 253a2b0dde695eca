package store

import "parley"

// CostQuery says whose spending is added up, and by what.
type CostQuery struct {
	Team  parley.TeamID
	Agent parley.AgentID // 0: all
	Since parley.Micros
	By    parley.CostBy
	// Own adds up by the tasks themselves, not by the trees that they belong to.
	Own bool
}

// Cost adds up what a team has spent: the steps that are there, and the sums of those
// that were removed. By day it returns quarters of an hour, since the day depends on
// who looks. It walks over all tasks, which a report once in a while can afford; an
// index of the steps by time would be written with each of them.
func (tx *Tx) Cost(q CostQuery) (list []parley.Cost, err error) {
	key, model := "agent_id", "''"
	group := &key
	switch {
	case q.By == parley.CostByModel:
		key, model = "0", "model"
		group = &model
	case q.By == parley.CostByDay:
		key = "at"
	case q.By == parley.CostByTask && q.Own:
		key = "task_id"
	case q.By == parley.CostByTask:
		key = "root_id"
	}
	err = tx.query(`SELECT `+key+`, `+model+`, `+costSums+` FROM (`+costRows+`) AS sub GROUP BY `+*group+` ORDER BY `+*group, func(r Row) {
		c := scanCost(r, 2)
		c.Model = r.Text(1)
		switch q.By {
		case parley.CostByModel:
		case parley.CostByTask:
			c.Task = parley.TaskID(r.Int(0))
		case parley.CostByDay:
			c.At = parley.Micros(r.Int(0))
		default:
			c.Agent = parley.AgentID(r.Int(0))
		}
		list = append(list, c)
	}, int64(q.Team), int64(q.Since), int64(q.Agent))
	return list, err
}

func scanCost(r Row, col int) parley.Cost {
	return parley.Cost{Calls: r.Int(col), Spent: scanSpending(r, col+1), Cached: r.Int(col + 5), Estimated: r.Int(col+6) > 0}
}

const (
	costSums = `CAST(sum(calls) AS BIGINT), CAST(sum(input) AS BIGINT), CAST(sum(output) AS BIGINT), CAST(sum(money) AS BIGINT),
		CAST(sum(active) AS BIGINT), CAST(sum(cached) AS BIGINT), CAST(sum(estimated) AS BIGINT)`

	// quarter is the beginning of a step's quarter of an hour.
	quarter = `s.at - s.at % 900000000`

	callOf = `CASE WHEN s.kind = 'reply' THEN 1 ELSE 0 END`

	// spentOf is more than 0 for a step that counts. It is the same for steps and for the
	// sums that are kept of them, so that a report does not change with retention.
	spentOf = `s.input + s.output + s.money + s.active`

	costRows = `SELECT t.agent_id, t.root_id, s.task_id, s.model, ` + quarter + ` AS at, ` + callOf + ` AS calls,
			s.input, s.output, s.money, s.active, s.cached, s.estimated
		FROM task t CROSS JOIN step s WHERE t.id > 0 AND t.team_id = $1 AND (t.ended_at = 0 OR t.ended_at >= $2) AND s.task_id = t.id
			AND s.at >= $2 AND ` + spentOf + ` > 0 AND (t.agent_id = $3 OR $3 = 0)
		UNION ALL SELECT agent_id, root_id, task_id, model, at, calls, input, output, money, active, cached, estimated
		FROM spent WHERE team_id = $1 AND at >= $2 AND (agent_id = $3 OR $3 = 0)`

	// sumUp keeps what the steps have spent that go with a message.
	sumUp = `INSERT INTO spent (task_id, at, model, team_id, root_id, agent_id, calls, input, output, cached, money, active, estimated)
		SELECT s.task_id, ` + quarter + `, s.model, t.team_id, t.root_id, t.agent_id, CAST(sum(` + callOf + `) AS BIGINT),
			CAST(sum(s.input) AS BIGINT), CAST(sum(s.output) AS BIGINT), CAST(sum(s.cached) AS BIGINT), CAST(sum(s.money) AS BIGINT),
			CAST(sum(s.active) AS BIGINT), CAST(sum(s.estimated) AS BIGINT)
		FROM step s JOIN task t ON t.id = s.task_id WHERE s.task_id IN (` + requestedTasks + `)
			AND ` + spentOf + ` > 0
		GROUP BY s.task_id, ` + quarter + `, s.model, t.team_id, t.root_id, t.agent_id
		ON CONFLICT (task_id, at, model) DO UPDATE SET calls = spent.calls + excluded.calls, input = spent.input + excluded.input,
			output = spent.output + excluded.output, cached = spent.cached + excluded.cached, money = spent.money + excluded.money,
			active = spent.active + excluded.active, estimated = spent.estimated + excluded.estimated`
)
