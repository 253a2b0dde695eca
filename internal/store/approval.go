package store

import (
	"time"

	"parley"
	"parley/internal/wake"
)

// An approval belongs to a task, which counts its pending ones, and changes only
// under that task's lock. An approval from outside may have no task: then its own row
// is locked, after everything that its contact needs. Statements that look for
// pending approvals repeat "state = 1" literally, as their indexes do.

const approvalCols = `id, team_id, task_id, turn, call, agent_id, tool, args, digest, target_id, rule, reason, state,
	created_at, expires_at, decided_at, decided_by, comment, message_id, failure, people_only, letters`

func scanApproval(r Row) parley.Approval {
	return parley.Approval{
		ID: parley.ApprovalID(r.Int(0)), Team: parley.TeamID(r.Int(1)), Task: parley.TaskID(r.Int(2)), Turn: int(r.Int(3)),
		Call: r.Text(4), Agent: parley.AgentID(r.Int(5)), Tool: r.Text(6), Args: r.Text(7), Digest: r.Text(8),
		Target: parley.AgentID(r.Int(9)), Rule: r.Text(10), Reason: r.Text(11), State: parley.ApprovalState(r.Int(12)),
		CreatedAt: parley.Micros(r.Int(13)), ExpiresAt: parley.Micros(r.Int(14)), DecidedAt: parley.Micros(r.Int(15)),
		DecidedBy: parley.AgentID(r.Int(16)), Comment: r.Text(17), Message: parley.MessageID(r.Int(18)), Failure: r.Text(19),
		PeopleOnly: r.Int(20) != 0, Letters: r.Text(21),
	}
}

// InsertApproval stores a new approval as pending and gives it its number and
// letters. The caller increments the count of its task.
func (tx *Tx) InsertApproval(a *parley.Approval) {
	a.ID = parley.ApprovalID(tx.conn.NextID(SeqApproval))
	a.Letters = parley.NewApprovalLetters()
	a.State, a.CreatedAt = parley.ApprovalPending, tx.Now
	if a.Call == "" {
		a.Call = a.ID.String() // unique, and never looked up
	}
	tx.exec(`INSERT INTO approval (id, team_id, task_id, turn, call, agent_id, tool, args, digest, target_id, rule, reason,
			state, created_at, expires_at, people_only, letters)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)`,
		int64(a.ID), int64(a.Team), int64(a.Task), int64(a.Turn), a.Call, int64(a.Agent), a.Tool, a.Args, a.Digest,
		int64(a.Target), a.Rule, a.Reason, int64(a.State), int64(a.CreatedAt), int64(a.ExpiresAt), flag(a.PeopleOnly), a.Letters)
	if a.ExpiresAt.Until(tx.Now) < time.Hour {
		tx.Signal(wake.Clock, int64(a.Task))
	}
}

func (tx *Tx) Approval(id parley.ApprovalID) (a parley.Approval, err error) {
	err = tx.one(`SELECT `+approvalCols+` FROM approval WHERE id = $1`, func(r Row) { a = scanApproval(r) }, int64(id))
	return a, err
}

// LockApproval reads and locks an approval. Its task must be locked before.
func (tx *Tx) LockApproval(id parley.ApprovalID) (a parley.Approval, err error) {
	err = tx.one(`SELECT `+approvalCols+` FROM approval WHERE id = $1 /*lock*/`, func(r Row) { a = scanApproval(r) }, int64(id))
	return a, err
}

// UpdateApproval stores the decision: the write half of a compare-and-set.
func (tx *Tx) UpdateApproval(a *parley.Approval) {
	tx.exec(`UPDATE approval SET state = $1, decided_at = $2, decided_by = $3, comment = $4, message_id = $5, failure = $6 WHERE id = $7`,
		int64(a.State), int64(a.DecidedAt), int64(a.DecidedBy), a.Comment, int64(a.Message), a.Failure, int64(a.ID))
}

// RenameCall gives the call of an approval another name, under which it is found.
func (tx *Tx) RenameCall(id parley.ApprovalID, call string) {
	tx.exec(`UPDATE approval SET call = $1 WHERE id = $2`, call, int64(id))
}

// ApprovalOf reads the approval of one call. A caller from outside has turn 0.
func (tx *Tx) ApprovalOf(task parley.TaskID, turn int, call string) (a parley.Approval, err error) {
	err = tx.one(`SELECT `+approvalCols+` FROM approval WHERE task_id = $1 AND turn = $2 AND call = $3`,
		func(r Row) { a = scanApproval(r) }, int64(task), int64(turn), call)
	return a, err
}

// PendingOutside reads the pending approvals of callers from outside, of all teams,
// the next to expire first.
func (tx *Tx) PendingOutside() (list []parley.Approval, err error) {
	err = tx.query(`SELECT `+approvalCols+` FROM approval WHERE state = 1 AND turn = 0 ORDER BY expires_at, id`,
		func(r Row) { list = append(list, scanApproval(r)) })
	return list, err
}

// ApprovalsOf reads the approvals of a task, oldest first.
func (tx *Tx) ApprovalsOf(task parley.TaskID) (list []parley.Approval, err error) {
	err = tx.query(`SELECT `+approvalCols+` FROM approval WHERE task_id = $1 ORDER BY turn, id`,
		func(r Row) { list = append(list, scanApproval(r)) }, int64(task))
	return list, err
}

// ApprovalsForMessage reads the approvals that led to a message.
func (tx *Tx) ApprovalsForMessage(m parley.MessageID) (list []parley.Approval, err error) {
	err = tx.query(`SELECT `+approvalCols+` FROM approval WHERE message_id > 0 AND message_id = $1`,
		func(r Row) { list = append(list, scanApproval(r)) }, int64(m))
	return list, err
}

// PendingApprovals reads the pending approvals of a team, oldest first.
func (tx *Tx) PendingApprovals(team parley.TeamID, limit int) (list []parley.Approval, err error) {
	err = tx.query(`SELECT `+approvalCols+` FROM approval WHERE team_id = $1 AND state = 1 ORDER BY id LIMIT $2`,
		func(r Row) { list = append(list, scanApproval(r)) }, int64(team), int64(limit))
	return list, err
}

// Approvals reads the approvals of a team, newest first.
func (tx *Tx) Approvals(team parley.TeamID, limit int) (list []parley.Approval, err error) {
	err = tx.query(`SELECT `+approvalCols+` FROM approval WHERE team_id = $1 ORDER BY id DESC LIMIT $2`,
		func(r Row) { list = append(list, scanApproval(r)) }, int64(team), int64(limit))
	return list, err
}

// NextApprovalExpiry reads when the next pending approval expires; 0 if there is
// none.
func (tx *Tx) NextApprovalExpiry() (at parley.Micros, err error) {
	err = tx.query(`SELECT expires_at FROM approval WHERE state = 1 ORDER BY expires_at LIMIT 1`,
		func(r Row) { at = parley.Micros(r.Int(0)) })
	return at, err
}

// ExpiredApprovals reads pending approvals that have expired.
func (tx *Tx) ExpiredApprovals(limit int) (ids []parley.ApprovalID, err error) {
	err = tx.query(`SELECT id FROM approval WHERE state = 1 AND expires_at <= $1 ORDER BY expires_at LIMIT $2`,
		func(r Row) { ids = append(ids, parley.ApprovalID(r.Int(0))) }, int64(tx.Now), int64(limit))
	return ids, err
}
