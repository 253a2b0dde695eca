package store

import "parley"

// Telling is how far a team's people were told through one target. The lease keeps
// several hubs from telling the same.
type Telling struct {
	Team   parley.TeamID
	Target string
	// Cursor is the place in the event record up to which everything was told. Event is
	// the one after it that is being told, and Told the last person who was told of it.
	Cursor string
	Event  parley.EventID
	Told   parley.AgentID
	// Tries counts how often the next person could not be told of Event, and Refusals
	// how often it was the target that refused. Nothing is tried before Due.
	Tries    int
	Refusals int
	Due      parley.Micros
	// Holder is the hub that is telling, until LeaseUntil.
	Holder     string
	LeaseUntil parley.Micros
	// Problem is why the last try failed; empty after a success.
	Problem string
	// GivenUp counts the tellings that were given up, the last one at GivenUpAt.
	GivenUp   int
	GivenUpAt parley.Micros
}

const tellingCols = `team_id, target, cursor, event_id, told_id, tries, refusals, due_at, holder, lease_until, problem, given_up, given_up_at`

// Telling reads how far a target has come.
func (tx *Tx) Telling(team parley.TeamID, target string) (Telling, error) {
	return tx.telling(team, target, "")
}

// LockTelling is Telling for a transaction that changes it.
func (tx *Tx) LockTelling(team parley.TeamID, target string) (Telling, error) {
	return tx.telling(team, target, " /*lock*/")
}

func (tx *Tx) telling(team parley.TeamID, target, lock string) (t Telling, err error) {
	err = tx.one(`SELECT `+tellingCols+` FROM telling WHERE team_id = $1 AND target = $2`+lock, func(r Row) {
		t = Telling{Team: parley.TeamID(r.Int(0)), Target: r.Text(1), Cursor: r.Text(2), Event: parley.EventID(r.Int(3)),
			Told: parley.AgentID(r.Int(4)), Tries: int(r.Int(5)), Refusals: int(r.Int(6)), Due: parley.Micros(r.Int(7)), Holder: r.Text(8),
			LeaseUntil: parley.Micros(r.Int(9)), Problem: r.Text(10), GivenUp: int(r.Int(11)), GivenUpAt: parley.Micros(r.Int(12))}
	}, int64(team), target)
	return t, err
}

// BeginTelling stores where a new target begins. If another hub was first, its place
// stays.
func (tx *Tx) BeginTelling(team parley.TeamID, target, cursor string) {
	tx.exec(`INSERT INTO telling (team_id, target, cursor) VALUES ($1, $2, $3) ON CONFLICT (team_id, target) DO NOTHING`,
		int64(team), target, cursor)
}

// UpdateTelling stores all of a telling that was locked.
func (tx *Tx) UpdateTelling(t Telling) {
	tx.exec(`UPDATE telling SET cursor = $3, event_id = $4, told_id = $5, tries = $6, refusals = $7, due_at = $8, holder = $9,
		lease_until = $10, problem = $11, given_up = $12, given_up_at = $13 WHERE team_id = $1 AND target = $2`,
		int64(t.Team), t.Target, t.Cursor, int64(t.Event), int64(t.Told), int64(t.Tries), int64(t.Refusals), int64(t.Due), t.Holder, int64(t.LeaseUntil),
		t.Problem, int64(t.GivenUp), int64(t.GivenUpAt))
}
