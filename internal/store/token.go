package store

import (
	"parley"
	"parley/internal/wake"
)

const tokenCols = `t.id, t.agent_id, t.label, t.created_by, t.created_at, t.expires_at, t.used_at, t.revoked_at, t.revoked_by`

const tokenColCount = 9

func scanToken(r Row) parley.Token {
	return parley.Token{
		ID: parley.TokenID(r.Int(0)), Agent: parley.AgentID(r.Int(1)), Label: r.Text(2), CreatedBy: parley.AgentID(r.Int(3)),
		CreatedAt: parley.Micros(r.Int(4)), ExpiresAt: parley.Micros(r.Int(5)), UsedAt: parley.Micros(r.Int(6)),
		RevokedAt: parley.Micros(r.Int(7)), RevokedBy: parley.AgentID(r.Int(8)),
	}
}

// TokenByHash finds the token with this hash.
func (tx *Tx) TokenByHash(hash string) (t parley.Token, err error) {
	err = tx.one(`SELECT `+tokenCols+` FROM token t WHERE t.hash = $1`, func(r Row) { t = scanToken(r) }, hash)
	return t, err
}

// TokenOwner finds the token with this hash together with its owner, in one
// statement: every request from outside needs both.
func (tx *Tx) TokenOwner(hash string) (t parley.Token, owner parley.Agent, err error) {
	err = tx.one(`SELECT `+tokenCols+`, a.team_id, a.name, a.kind, a.removed FROM token t JOIN agent a ON a.id = t.agent_id WHERE t.hash = $1`,
		func(r Row) {
			t = scanToken(r)
			owner = parley.Agent{ID: t.Agent, Team: parley.TeamID(r.Int(tokenColCount)), Name: r.Text(tokenColCount + 1),
				Kind: parley.AgentKind(r.Text(tokenColCount + 2)), Removed: r.Int(tokenColCount+3) != 0}
		}, hash)
	return t, owner, err
}

// LockToken reads and locks a token of a team.
func (tx *Tx) LockToken(team parley.TeamID, id parley.TokenID) (t parley.Token, err error) {
	err = tx.one(`SELECT `+tokenCols+` FROM token t WHERE t.id = $1 AND t.agent_id IN (SELECT id FROM agent WHERE team_id = $2) /*lock*/`,
		func(r Row) { t = scanToken(r) }, int64(id), int64(team))
	return t, err
}

// Tokens reads all tokens of a team, oldest first.
func (tx *Tx) Tokens(team parley.TeamID) (list []parley.Token, err error) {
	err = tx.query(`SELECT `+tokenCols+` FROM token t JOIN agent a ON a.id = t.agent_id WHERE a.team_id = $1 ORDER BY t.id`,
		func(r Row) { list = append(list, scanToken(r)) }, int64(team))
	return list, err
}

// DeadTokens reads which tokens of a range of ids were revoked, or have lost their
// owner.
func (tx *Tx) DeadTokens(from, to parley.TokenID) (ids []parley.TokenID, err error) {
	err = tx.query(`SELECT t.id FROM token t JOIN agent a ON a.id = t.agent_id WHERE t.id >= $1 AND t.id <= $2 AND (t.revoked_at > 0 OR a.removed > 0) ORDER BY t.id`,
		func(r Row) { ids = append(ids, parley.TokenID(r.Int(0))) }, int64(from), int64(to))
	return ids, err
}

// InsertToken stores a new token under its hash, never the token. TokenByHash has its
// id.
func (tx *Tx) InsertToken(hash string, t parley.Token) {
	tx.exec(`INSERT INTO token (hash, agent_id, label, created_by, created_at, expires_at) VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (hash) DO NOTHING`,
		hash, int64(t.Agent), t.Label, int64(t.CreatedBy), int64(tx.Now), int64(t.ExpiresAt))
}

// ReplaceToken gives a token another secret, by its hash.
func (tx *Tx) ReplaceToken(id parley.TokenID, hash string) {
	tx.exec(`UPDATE token SET hash = $1 WHERE id = $2`, hash, int64(id))
}

// RevokeToken ends a token, and tells the doors of every hub.
func (tx *Tx) RevokeToken(t parley.Token, by parley.AgentID) {
	tx.exec(`UPDATE token SET revoked_at = $1, revoked_by = $2 WHERE id = $3`, int64(tx.Now), int64(by), int64(t.ID))
	tx.Signal(wake.Tokens, int64(t.ID))
}

// SetTokenUsed stores that a token was in use.
func (tx *Tx) SetTokenUsed(id parley.TokenID, at parley.Micros) {
	tx.exec(`UPDATE token SET used_at = $1 WHERE id = $2 AND used_at < $1`, int64(at), int64(id))
}
