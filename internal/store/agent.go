package store

import (
	"time"

	"parley"
	"parley/internal/wake"
)

const (
	agentCols  = `id, team_id, name, kind, turns, removed, offline, sleeping_until, home, connected_until, drawn_at, debt`
	agentTable = `agent JOIN rate ON agent_id = id`
)

const agentColCount = 12

func scanAgent(r Row) parley.Agent {
	return parley.Agent{
		ID: parley.AgentID(r.Int(0)), Team: parley.TeamID(r.Int(1)), Name: r.Text(2),
		Kind: parley.AgentKind(r.Text(3)), Turns: int(r.Int(4)), Removed: r.Int(5) != 0,
		Offline: r.Int(6) != 0, SleepingUntil: parley.Micros(r.Int(7)), Home: r.Text(8), ConnectedUntil: parley.Micros(r.Int(9)),
		Rate: parley.Rate{At: parley.Micros(r.Int(10)), Debt: time.Duration(r.Int(11)) * time.Microsecond},
	}
}

func scanTeam(r Row) parley.Team {
	return parley.Team{ID: parley.TeamID(r.Int(0)), Name: r.Text(1), Paused: r.Int(2) != 0}
}

// TeamByName finds a team, ignoring case.
func (tx *Tx) TeamByName(name string) (t parley.Team, err error) {
	err = tx.one(`SELECT id, name, paused FROM team WHERE folded = $1`, func(r Row) { t = scanTeam(r) }, parley.FoldName(name))
	return t, err
}

func (tx *Tx) Team(id parley.TeamID) (t parley.Team, err error) {
	err = tx.one(`SELECT id, name, paused FROM team WHERE id = $1`, func(r Row) { t = scanTeam(r) }, int64(id))
	return t, err
}

// LockTeam reads and locks one team.
func (tx *Tx) LockTeam(id parley.TeamID) (t parley.Team, err error) {
	err = tx.one(`SELECT id, name, paused FROM team WHERE id = $1 /*lock*/`, func(r Row) { t = scanTeam(r) }, int64(id))
	return t, err
}

// SetPaused stores whether a team is paused, and tells the workers.
func (tx *Tx) SetPaused(id parley.TeamID, paused bool) {
	tx.exec(`UPDATE team SET paused = $1 WHERE id = $2`, flag(paused), int64(id))
	tx.Signal(wake.Team, int64(id))
}

func (tx *Tx) PausedTeams() (ids []parley.TeamID, err error) {
	err = tx.query(`SELECT id FROM team WHERE paused > 0 ORDER BY id`, func(r Row) { ids = append(ids, parley.TeamID(r.Int(0))) })
	return ids, err
}

// InsertTeam stores a new team and gives it its id.
func (tx *Tx) InsertTeam(t *parley.Team) {
	t.ID = parley.TeamID(tx.conn.NextID(SeqTeam))
	tx.exec(`INSERT INTO team (id, name, folded) VALUES ($1, $2, $3)`, int64(t.ID), t.Name, parley.FoldName(t.Name))
}

// Agent reads one agent.
func (tx *Tx) Agent(id parley.AgentID) (a parley.Agent, err error) {
	err = tx.one(`SELECT `+agentCols+` FROM `+agentTable+` WHERE id = $1`, func(r Row) { a = scanAgent(r) }, int64(id))
	return a, err
}

// AgentByName finds an agent of a team, ignoring case.
func (tx *Tx) AgentByName(team parley.TeamID, name string) (a parley.Agent, err error) {
	err = tx.one(`SELECT `+agentCols+` FROM `+agentTable+` WHERE team_id = $1 AND folded = $2`,
		func(r Row) { a = scanAgent(r) }, int64(team), parley.FoldName(name))
	return a, err
}

// LockAgent reads and locks one agent.
func (tx *Tx) LockAgent(id parley.AgentID) (a parley.Agent, err error) {
	err = tx.one(`SELECT `+agentCols+` FROM `+agentTable+` WHERE id = $1 /*lock*/`, func(r Row) { a = scanAgent(r) }, int64(id))
	return a, err
}

// Agents reads a team's agents in the order of their names.
func (tx *Tx) Agents(team parley.TeamID) (list []parley.Agent, err error) {
	err = tx.EachAgent(team, func(a parley.Agent) { list = append(list, a) })
	return list, err
}

// EachAgent goes through a team's agents in the order of their names.
func (tx *Tx) EachAgent(team parley.TeamID, do func(parley.Agent)) error {
	return tx.query(`SELECT `+agentCols+` FROM `+agentTable+` WHERE team_id = $1 ORDER BY folded`,
		func(r Row) { do(scanAgent(r)) }, int64(team))
}

// InsertAgent stores a new agent and gives it its id.
func (tx *Tx) InsertAgent(a *parley.Agent) {
	a.ID = parley.AgentID(tx.conn.NextID(SeqAgent))
	tx.exec(`INSERT INTO agent (id, team_id, name, folded, kind, turns, home) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
		int64(a.ID), int64(a.Team), a.Name, parley.FoldName(a.Name), string(a.Kind), int64(a.Turns), a.Home)
	tx.exec(`INSERT INTO rate (agent_id) VALUES ($1)`, int64(a.ID))
}

// UpdateAgent stores what the team's files say about an agent.
func (tx *Tx) UpdateAgent(a parley.Agent) {
	tx.exec(`UPDATE agent SET name = $1, kind = $2, turns = $3, removed = $4, home = $5 WHERE id = $6`,
		a.Name, string(a.Kind), int64(a.Turns), flag(a.Removed), a.Home, int64(a.ID))
}

func (tx *Tx) SetOffline(id parley.AgentID, offline bool) {
	tx.exec(`UPDATE agent SET offline = $1 WHERE id = $2 /*later*/`, flag(offline), int64(id))
	tx.conn.Hot().forgetAgent(id)
}

// SetSleep stores until when an agent sleeps; 0 wakes it.
func (tx *Tx) SetSleep(id parley.AgentID, until parley.Micros) {
	tx.exec(`UPDATE agent SET sleeping_until = $1 WHERE id = $2 /*later*/`, int64(until), int64(id))
	tx.conn.Hot().forgetAgent(id)
}

// SetConnected stores until when a client counts as connected.
func (tx *Tx) SetConnected(id parley.AgentID, until parley.Micros) {
	tx.exec(`UPDATE agent SET connected_until = $1 WHERE id = $2 /*later*/`, int64(until), int64(id))
	tx.conn.Hot().forgetAgent(id)
}

// SetRate stores the bucket of a sender.
func (tx *Tx) SetRate(id parley.AgentID, r parley.Rate) {
	tx.conn.Hot().setRate(id, r)
	if tx.conn.Engine() == SQLite {
		tx.exec(putRate, int64(id), int64(r.At), r.Debt.Microseconds())
		return
	}
	tx.exec(`UPDATE rate SET drawn_at = $1, debt = $2 WHERE agent_id = $3 /*later*/`, int64(r.At), r.Debt.Microseconds(), int64(id))
}

// putRate changes a row that is there. Unlike an update it can change several at once.
const putRate = `INSERT INTO rate (agent_id, drawn_at, debt) VALUES ($1, $2, $3)
	ON CONFLICT (agent_id) DO UPDATE SET drawn_at = excluded.drawn_at, debt = excluded.debt /*later*/`

// OpenTasks counts the open tasks of each agent of a team.
func (tx *Tx) OpenTasks(team parley.TeamID) (map[parley.AgentID]parley.OpenTasks, error) {
	m := map[parley.AgentID]parley.OpenTasks{}
	err := tx.query(`SELECT agent_id, state, CASE WHEN approvals > 0 THEN 1 WHEN waits = 1 THEN 2 WHEN waits = 3 THEN 3 WHEN waits = 5 THEN 5 ELSE 0 END AS held, count(*),
		CAST(sum(open_children) AS BIGINT), max(provider) FROM task WHERE state <= 3 AND team_id = $1 GROUP BY agent_id, state, held`,
		func(r Row) {
			id := parley.AgentID(r.Int(0))
			o := m[id]
			addOpen(&o, parley.State(r.Int(1)), r.Int(2), int(r.Int(3)), int(r.Int(4)), r.Text(5))
			m[id] = o
		}, int64(team))
	return m, err
}

// AgentOpenTasks counts the open tasks of one agent.
func (tx *Tx) AgentOpenTasks(id parley.AgentID) (o parley.OpenTasks, err error) {
	err = tx.query(`SELECT state, CASE WHEN approvals > 0 THEN 1 WHEN waits = 1 THEN 2 WHEN waits = 3 THEN 3 WHEN waits = 5 THEN 5 ELSE 0 END AS held, count(*),
		CAST(sum(open_children) AS BIGINT), max(provider) FROM task WHERE state <= 3 AND agent_id = $1 GROUP BY state, held`,
		func(r Row) {
			addOpen(&o, parley.State(r.Int(0)), r.Int(1), int(r.Int(2)), int(r.Int(3)), r.Text(4))
		}, int64(id))
	return o, err
}

func addOpen(o *parley.OpenTasks, s parley.State, held int64, n, children int, provider string) {
	if held == 3 { // not begun: still waits for its dependencies
		s = parley.Queued
	}
	switch s {
	case parley.Queued:
		o.Queued += n
	case parley.Running:
		o.Running += n
	case parley.Waiting:
		o.Waiting += n
		o.Children += children
		switch held {
		case 1:
			o.Held += n
		case 2:
			o.Unfunded += n
		case 5:
			o.Refused += n
			o.Provider = provider
		}
	}
}

// People reads the persons of a team who are there, by id.
func (tx *Tx) People(team parley.TeamID) (list []parley.Agent, err error) {
	err = tx.query(`SELECT `+agentCols+` FROM `+agentTable+` WHERE team_id = $1 AND kind = 'person' AND removed = 0 ORDER BY id`,
		func(r Row) { list = append(list, scanAgent(r)) }, int64(team))
	return list, err
}
