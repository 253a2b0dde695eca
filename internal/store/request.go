package store

import (
	"time"

	"parley"
)

// Request is a change that a caller asked for under a key of its own. It is stored
// together with the change, so that asking again finds it.
type Request struct {
	Agent parley.AgentID
	Key   string
	About string // a digest of what was asked for
	Made  int64  // the number of what it made; 0 if nothing
}

// requestLife is how long a request is remembered: far longer than anybody repeats
// one whose answer was lost.
const requestLife = 24 * time.Hour

// TakeKey stores a request, unless there is one under its key already: that one is
// then returned. A transaction that takes a key waits for another that is taking it.
func (tx *Tx) TakeKey(r Request) (first bool, found Request, err error) {
	tx.wrote = true
	err = tx.query(`INSERT INTO request (agent_id, key, about, at) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING RETURNING 1`,
		func(Row) { first = true }, int64(r.Agent), r.Key, r.About, int64(tx.Now))
	if err != nil {
		return false, r, err
	}
	if first {
		tx.exec(`DELETE FROM request WHERE at < $1`, int64(tx.Now.Add(-requestLife)))
		return true, r, nil
	}
	found = r
	err = tx.one(`SELECT about, made_id FROM request WHERE agent_id = $1 AND key = $2`,
		func(row Row) { found.About, found.Made = row.Text(0), row.Int(1) }, int64(r.Agent), r.Key)
	return false, found, err
}

// SetMade adds to a request what it made.
func (tx *Tx) SetMade(agent parley.AgentID, key string, made int64) {
	tx.exec(`UPDATE request SET made_id = $3 WHERE agent_id = $1 AND key = $2`, int64(agent), key, made)
}

// FreeKey forgets a request that has made nothing.
func (tx *Tx) FreeKey(agent parley.AgentID, key string) {
	tx.exec(`DELETE FROM request WHERE agent_id = $1 AND key = $2 AND made_id = 0`, int64(agent), key)
}
