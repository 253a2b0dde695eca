package store

import "parley"

// The claims of a team change under the lock of the team's row, which LockTeam takes
// after the lock of the claiming task.

const claimCols = `c.team_id, c.path, c.from_line, c.to_line, c.agent_id, c.task_id, c.until`

// inForce is true of a claim or an intent that has neither expired nor outlived the
// task it was made for.
const inForce = `c.until > $2 AND (c.task_id = 0 OR EXISTS (SELECT 1 FROM task t WHERE t.id = c.task_id AND t.state <= 3))`

func scanClaim(r Row) parley.Claim {
	return parley.Claim{Team: parley.TeamID(r.Int(0)), Path: r.Text(1), Lines: parley.Lines{From: int(r.Int(2)), To: int(r.Int(3))},
		Agent: parley.AgentID(r.Int(4)), Task: parley.TaskID(r.Int(5)), Until: parley.Micros(r.Int(6))}
}

// Claims reads the claims of a team, by path and line.
func (tx *Tx) Claims(team parley.TeamID) (list []parley.Claim, err error) {
	err = tx.query(`SELECT `+claimCols+` FROM claim c WHERE c.team_id = $1 AND `+inForce+` ORDER BY c.path, c.from_line, c.to_line, c.agent_id, c.task_id`,
		func(r Row) { list = append(list, scanClaim(r)) }, int64(team), int64(tx.Now))
	return list, err
}

// ClaimsOn reads the claims on one path, by line.
func (tx *Tx) ClaimsOn(team parley.TeamID, path string) (list []parley.Claim, err error) {
	err = tx.query(`SELECT `+claimCols+` FROM claim c WHERE c.team_id = $1 AND `+inForce+` AND c.path = $3 ORDER BY c.from_line, c.to_line, c.agent_id, c.task_id`,
		func(r Row) { list = append(list, scanClaim(r)) }, int64(team), int64(tx.Now), path)
	return list, err
}

// PutClaim stores or renews a claim.
func (tx *Tx) PutClaim(c parley.Claim) {
	tx.exec(`INSERT INTO claim (team_id, path, from_line, to_line, agent_id, task_id, until) VALUES ($1, $2, $3, $4, $5, $6, $7)
		ON CONFLICT (team_id, path, from_line, to_line, agent_id, task_id) DO UPDATE SET until = excluded.until`,
		int64(c.Team), c.Path, int64(c.Lines.From), int64(c.Lines.To), int64(c.Agent), int64(c.Task), int64(c.Until))
}

func (tx *Tx) DeleteClaim(c parley.Claim) {
	tx.exec(`DELETE FROM claim WHERE team_id = $1 AND path = $2 AND from_line = $3 AND to_line = $4 AND agent_id = $5 AND task_id = $6`,
		int64(c.Team), c.Path, int64(c.Lines.From), int64(c.Lines.To), int64(c.Agent), int64(c.Task))
}

// SweepClaims removes the expired claims and intents of a team.
func (tx *Tx) SweepClaims(team parley.TeamID) {
	tx.exec(`DELETE FROM claim WHERE team_id = $1 AND until <= $2`, int64(team), int64(tx.Now))
	tx.exec(`DELETE FROM intent WHERE team_id = $1 AND until <= $2`, int64(team), int64(tx.Now))
}

// PutIntent stores or renews a task's intent to work on a path.
func (tx *Tx) PutIntent(team parley.TeamID, path string, agent parley.AgentID, task parley.TaskID, until parley.Micros) {
	tx.exec(`INSERT INTO intent (team_id, path, agent_id, task_id, until) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (team_id, path, agent_id, task_id) DO UPDATE SET until = excluded.until`,
		int64(team), path, int64(agent), int64(task), int64(until))
}

// Busy is an agent that works on a path, with the latest task in which it does.
type Busy struct {
	Agent parley.AgentID
	Task  parley.TaskID // 0 if outside of tasks
}

// BusyOn reads which agents have a claim, an intent or an open task on a path.
func (tx *Tx) BusyOn(team parley.TeamID, path string) (list []Busy, err error) {
	err = tx.query(`SELECT c.agent_id, c.task_id FROM claim c WHERE c.team_id = $1 AND `+inForce+` AND c.path = $3
		UNION SELECT c.agent_id, c.task_id FROM intent c WHERE c.team_id = $1 AND `+inForce+` AND c.path = $3
		UNION SELECT k.agent_id, k.id FROM task_path p JOIN task k ON k.id = p.task_id WHERE p.team_id = $1 AND p.path = $3 AND k.state <= 3
		ORDER BY 1, 2`, func(r Row) {
		b := Busy{Agent: parley.AgentID(r.Int(0)), Task: parley.TaskID(r.Int(1))}
		if last := len(list) - 1; last >= 0 && list[last].Agent == b.Agent {
			list[last] = b
			return
		}
		list = append(list, b)
	}, int64(team), int64(tx.Now), path)
	return list, err
}
