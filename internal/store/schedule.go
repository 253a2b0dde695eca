package store

import (
	"parley"
	"parley/internal/wake"
)

const scheduleCols = `team_id, agent_id, entry, timing, next_at, last_at, task_id, missed, problem`

func scanSchedule(r Row) parley.Schedule {
	return parley.Schedule{Team: parley.TeamID(r.Int(0)), Agent: parley.AgentID(r.Int(1)), Entry: r.Text(2), Timing: r.Text(3),
		Next: parley.Micros(r.Int(4)), Last: parley.Micros(r.Int(5)), Task: parley.TaskID(r.Int(6)), Missed: int(r.Int(7)), Problem: r.Text(8)}
}

// Schedules reads how far the schedules of a team's agents have come.
func (tx *Tx) Schedules(team parley.TeamID) (list []parley.Schedule, err error) {
	err = tx.query(`SELECT `+scheduleCols+` FROM schedule WHERE team_id = $1 ORDER BY agent_id, entry`,
		func(r Row) { list = append(list, scanSchedule(r)) }, int64(team))
	return list, err
}

// Schedule reads one entry of an agent's schedule.
func (tx *Tx) Schedule(team parley.TeamID, agent parley.AgentID, entry string) (parley.Schedule, error) {
	return tx.schedule(team, agent, entry, "")
}

// LockSchedule is Schedule for a transaction that moves its next time on.
func (tx *Tx) LockSchedule(team parley.TeamID, agent parley.AgentID, entry string) (parley.Schedule, error) {
	return tx.schedule(team, agent, entry, " /*lock*/")
}

func (tx *Tx) schedule(team parley.TeamID, agent parley.AgentID, entry, lock string) (s parley.Schedule, err error) {
	err = tx.one(`SELECT `+scheduleCols+` FROM schedule WHERE team_id = $1 AND agent_id = $2 AND entry = $3`+lock,
		func(r Row) { s = scanSchedule(r) }, int64(team), int64(agent), entry)
	return s, err
}

// InsertSchedule stores a new entry. If another hub was first, its entry stays.
func (tx *Tx) InsertSchedule(s parley.Schedule) {
	tx.exec(`INSERT INTO schedule (team_id, agent_id, entry, timing, next_at) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (team_id, agent_id, entry) DO NOTHING`, int64(s.Team), int64(s.Agent), s.Entry, s.Timing, int64(s.Next))
}

// UpdateSchedule stores all of an entry that was locked.
func (tx *Tx) UpdateSchedule(s parley.Schedule) {
	tx.exec(`UPDATE schedule SET timing = $4, next_at = $5, last_at = $6, task_id = $7, missed = $8, problem = $9
		WHERE team_id = $1 AND agent_id = $2 AND entry = $3`,
		int64(s.Team), int64(s.Agent), s.Entry, s.Timing, int64(s.Next), int64(s.Last), int64(s.Task), int64(s.Missed), s.Problem)
}

// DeleteSchedule removes an entry that is gone from its file.
func (tx *Tx) DeleteSchedule(team parley.TeamID, agent parley.AgentID, entry string) {
	tx.exec(`DELETE FROM schedule WHERE team_id = $1 AND agent_id = $2 AND entry = $3`, int64(team), int64(agent), entry)
}

// DeleteSchedules removes all entries of an agent that is gone from the files.
func (tx *Tx) DeleteSchedules(team parley.TeamID, agent parley.AgentID) {
	tx.exec(`DELETE FROM schedule WHERE team_id = $1 AND agent_id = $2`, int64(team), int64(agent))
	tx.exec(`DELETE FROM schedule_hold WHERE team_id = $1 AND agent_id = $2`, int64(team), int64(agent))
}

// ScheduleHeld reports whether nothing may be made for an agent's schedule: somebody holds
// it, or the team is paused.
func (tx *Tx) ScheduleHeld(team parley.TeamID, agent parley.AgentID) (held bool, err error) {
	err = tx.query(`SELECT 1 FROM schedule_hold WHERE team_id = $1 AND agent_id = $2 UNION ALL SELECT 1 FROM team WHERE id = $1 AND paused > 0`,
		func(Row) { held = true }, int64(team), int64(agent))
	return held, err
}

// HeldSchedules reads the agents of a team whose schedules somebody holds.
func (tx *Tx) HeldSchedules(team parley.TeamID) (ids []parley.AgentID, err error) {
	err = tx.query(`SELECT agent_id FROM schedule_hold WHERE team_id = $1 ORDER BY agent_id`,
		func(r Row) { ids = append(ids, parley.AgentID(r.Int(0))) }, int64(team))
	return ids, err
}

// HoldSchedule holds the schedule of an agent. The caller has locked the agent.
func (tx *Tx) HoldSchedule(team parley.TeamID, agent, by parley.AgentID) {
	tx.exec(`INSERT INTO schedule_hold (team_id, agent_id, by_id, at) VALUES ($1, $2, $3, $4) ON CONFLICT (team_id, agent_id) DO NOTHING`,
		int64(team), int64(agent), int64(by), int64(tx.Now))
	tx.Signal(wake.Team, int64(team))
}

// ReleaseSchedule lets the schedule of an agent go on.
func (tx *Tx) ReleaseSchedule(team parley.TeamID, agent parley.AgentID) {
	tx.exec(`DELETE FROM schedule_hold WHERE team_id = $1 AND agent_id = $2`, int64(team), int64(agent))
	tx.Signal(wake.Team, int64(team))
}
