package store

import (
	"parley"
	"parley/internal/wake"
)

const sessionCols = `s.id, s.agent_id, s.token_id, s.browser, s.created_at, s.used_at`

const sessionColCount = 6

func scanSession(r Row) parley.Session {
	return parley.Session{ID: parley.SessionID(r.Int(0)), Agent: parley.AgentID(r.Int(1)), Token: parley.TokenID(r.Int(2)), Browser: r.Text(3),
		CreatedAt: parley.Micros(r.Int(4)), UsedAt: parley.Micros(r.Int(5))}
}

// sessionLives is the condition under which a session can be used: its owner is in the
// team, and the token behind it is valid. $1 is the time, $2 the last use that is too
// long ago.
const sessionLives = `s.used_at > $2 AND a.removed = 0 AND (s.token_id = 0 OR t.id IS NOT NULL AND t.revoked_at = 0 AND (t.expires_at = 0 OR t.expires_at > $1))`

const liveSessions = ` FROM session s JOIN agent a ON a.id = s.agent_id LEFT JOIN token t ON t.id = s.token_id WHERE ` + sessionLives

// SessionOwner finds the session with this hash together with its owner, in one
// statement, since the page asks with every request. A session that has ended is not
// found.
func (tx *Tx) SessionOwner(hash string) (s parley.Session, owner parley.Agent, err error) {
	err = tx.one(`SELECT `+sessionCols+`, a.team_id, a.name, a.kind`+liveSessions+` AND s.hash = $3`,
		func(r Row) {
			s = scanSession(r)
			owner = parley.Agent{ID: s.Agent, Team: parley.TeamID(r.Int(sessionColCount)), Name: r.Text(sessionColCount + 1), Kind: parley.AgentKind(r.Text(sessionColCount + 2))}
		}, int64(tx.Now), int64(tx.tooLongAgo()), hash)
	return s, owner, err
}

// LiveSessions reads which sessions of a range of ids can be used.
func (tx *Tx) LiveSessions(from, to parley.SessionID) (ids []parley.SessionID, err error) {
	err = tx.query(`SELECT s.id`+liveSessions+` AND s.id >= $3 AND s.id <= $4 ORDER BY s.id`,
		func(r Row) { ids = append(ids, parley.SessionID(r.Int(0))) }, int64(tx.Now), int64(tx.tooLongAgo()), int64(from), int64(to))
	return ids, err
}

// Sessions reads the sessions of a team that can be used, oldest first.
func (tx *Tx) Sessions(team parley.TeamID) (list []parley.Session, err error) {
	err = tx.query(`SELECT `+sessionCols+liveSessions+` AND a.team_id = $3 ORDER BY s.id`,
		func(r Row) { list = append(list, scanSession(r)) }, int64(tx.Now), int64(tx.tooLongAgo()), int64(team))
	return list, err
}

func (tx *Tx) tooLongAgo() parley.Micros { return tx.Now.Add(-parley.SessionIdle) }

// InsertSession stores a new session under the hash of its secret. SessionOwner has its
// id.
func (tx *Tx) InsertSession(hash string, s parley.Session) {
	tx.exec(`INSERT INTO session (hash, agent_id, token_id, browser, created_at, used_at) VALUES ($1, $2, $3, $4, $5, $5)`,
		hash, int64(s.Agent), int64(s.Token), s.Browser, int64(tx.Now))
}

// SetSessionUsed stores that a session was in use.
func (tx *Tx) SetSessionUsed(id parley.SessionID, at parley.Micros) {
	tx.exec(`UPDATE session SET used_at = $1 WHERE id = $2 AND used_at < $1`, int64(at), int64(id))
}

// RemoveSession ends a session, and tells the doors of every hub.
func (tx *Tx) RemoveSession(id parley.SessionID) {
	tx.exec(`DELETE FROM session WHERE id = $1`, int64(id))
	tx.Signal(wake.Tokens, 0)
}

// InsertLink stores a link under the hash of its code.
func (tx *Tx) InsertLink(hash string, l parley.SigninLink) {
	tx.exec(`INSERT INTO signin_link (hash, agent_id, token_id, expires_at) VALUES ($1, $2, $3, $4)`,
		hash, int64(l.Agent), int64(l.Token), int64(l.ExpiresAt))
}

const linkCols = `l.agent_id, l.token_id, l.expires_at, l.used_at`

func scanLink(r Row) parley.SigninLink {
	return parley.SigninLink{Agent: parley.AgentID(r.Int(0)), Token: parley.TokenID(r.Int(1)), ExpiresAt: parley.Micros(r.Int(2)), UsedAt: parley.Micros(r.Int(3))}
}

// LinkOf reads the link whose code has this hash, and the name of the person.
func (tx *Tx) LinkOf(hash string) (l parley.SigninLink, name string, err error) {
	err = tx.one(`SELECT `+linkCols+`, a.name FROM signin_link l JOIN agent a ON a.id = l.agent_id WHERE l.hash = $1`,
		func(r Row) { l, name = scanLink(r), r.Text(4) }, hash)
	return l, name, err
}

// LockLink reads and locks the link whose code has this hash.
func (tx *Tx) LockLink(hash string) (l parley.SigninLink, err error) {
	err = tx.one(`SELECT `+linkCols+` FROM signin_link l WHERE l.hash = $1 /*lock*/`, func(r Row) { l = scanLink(r) }, hash)
	return l, err
}

// SetLinkUsed uses a link up.
func (tx *Tx) SetLinkUsed(hash string) {
	tx.exec(`UPDATE signin_link SET used_at = $1 WHERE hash = $2`, int64(tx.Now), hash)
}

// RemoveOldSessions removes sessions that were not used for too long, and links that
// ended before a time.
func (tx *Tx) RemoveOldSessions(links parley.Micros) {
	tx.exec(`DELETE FROM session WHERE used_at <= $1`, int64(tx.tooLongAgo()))
	tx.exec(`DELETE FROM signin_link WHERE expires_at < $1`, int64(links))
}
