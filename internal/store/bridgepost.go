package store

import (
	"crypto/rand"

	"parley"
)

const postCols = `p.id, p.team_id, p.program, p.key, p.conversation, p.thread, p.reply_to, p.kind, p.agent_id, p.message_id, p.task_id, p.approval_id, p.text,
	p.state, p.part, p.tries, p.due_at, p.tried_at, p.stale, p.reason, p.created_at, p.ended_at, p.nonce`

func scanPost(r Row) parley.ChatPost {
	return parley.ChatPost{ID: parley.ChatPostID(r.Int(0)), Team: parley.TeamID(r.Int(1)), Program: r.Text(2), Key: r.Text(3), Conversation: r.Text(4),
		Thread: r.Text(5), ReplyTo: r.Text(6), Kind: parley.ChatPostKind(r.Text(7)), Agent: parley.AgentID(r.Int(8)), Message: parley.MessageID(r.Int(9)),
		Task: parley.TaskID(r.Int(10)), Approval: parley.ApprovalID(r.Int(11)), Text: r.Text(12), State: parley.ChatPostState(r.Int(13)), Part: int(r.Int(14)),
		Tries: int(r.Int(15)), Due: parley.Micros(r.Int(16)), Tried: parley.Micros(r.Int(17)), Stale: int(r.Int(18)), Reason: r.Text(19),
		At: parley.Micros(r.Int(20)), Ended: parley.Micros(r.Int(21)), Nonce: r.Text(22)}
}

// nonceLetters is how long the name of a post is, of 32 letters each.
const nonceLetters = 20

// InsertChatPost stores what is to be posted. A second post under the same key is left
// out.
func (tx *Tx) InsertChatPost(p parley.ChatPost) {
	tx.exec(`INSERT INTO bridge_post (team_id, program, key, conversation, thread, reply_to, kind, agent_id, message_id, task_id, approval_id, text, created_at, nonce)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) ON CONFLICT (team_id, program, key) DO NOTHING`,
		int64(p.Team), p.Program, p.Key, p.Conversation, p.Thread, p.ReplyTo, string(p.Kind), int64(p.Agent), int64(p.Message), int64(p.Task),
		int64(p.Approval), p.Text, int64(tx.Now), rand.Text()[:nonceLetters])
}

// NextChatPosts reads the first post of each conversation that is not at its end, oldest
// first.
func (tx *Tx) NextChatPosts(team parley.TeamID, program string) (list []parley.ChatPost, err error) {
	err = tx.query(`SELECT `+postCols+` FROM bridge_post p WHERE p.id IN (
		SELECT min(id) FROM bridge_post WHERE team_id = $1 AND program = $2 AND state < 2 GROUP BY conversation) ORDER BY p.id`,
		func(r Row) { list = append(list, scanPost(r)) }, int64(team), program)
	return list, err
}

// StaleChatPosts reads posts of which something has changed that they show. Those that
// failed come after the others.
func (tx *Tx) StaleChatPosts(team parley.TeamID, program string, limit int) (list []parley.ChatPost, err error) {
	err = tx.query(`SELECT `+postCols+` FROM bridge_post p WHERE p.team_id = $1 AND p.program = $2 AND p.stale > 0 AND p.state >= 2 AND p.part > 0 ORDER BY p.due_at, p.id LIMIT $3`,
		func(r Row) { list = append(list, scanPost(r)) }, int64(team), program, int64(limit))
	return list, err
}

// LockChatPost reads and locks a post.
func (tx *Tx) LockChatPost(id parley.ChatPostID) (p parley.ChatPost, err error) {
	err = tx.one(`SELECT `+postCols+` FROM bridge_post p WHERE p.id = $1 /*lock*/`, func(r Row) { p = scanPost(r) }, int64(id))
	return p, err
}

// UpdateChatPost stores how far a post has come.
func (tx *Tx) UpdateChatPost(p parley.ChatPost) {
	tx.exec(`UPDATE bridge_post SET state = $2, part = $3, tries = $4, due_at = $5, tried_at = $6, stale = $7, reason = $8, text = $9, ended_at = $10 WHERE id = $1`,
		int64(p.ID), int64(p.State), int64(p.Part), int64(p.Tries), int64(p.Due), int64(p.Tried), int64(p.Stale), p.Reason, p.Text, int64(p.Ended))
}

// PutPosted stores the program's id of a part of a post.
func (tx *Tx) PutPosted(p parley.ChatPost, part int, posted string) {
	tx.exec(`INSERT INTO bridge_posted (team_id, program, conversation, posted, post_id, part) VALUES ($1, $2, $3, $4, $5, $6)
		ON CONFLICT (team_id, program, conversation, posted) DO NOTHING`, int64(p.Team), p.Program, p.Conversation, posted, int64(p.ID), int64(part))
}

// PostedParts reads the program's ids of the parts of a post, in order.
func (tx *Tx) PostedParts(id parley.ChatPostID) (list []string, err error) {
	err = tx.query(`SELECT posted FROM bridge_posted WHERE post_id = $1 ORDER BY part`, func(r Row) { list = append(list, r.Text(0)) }, int64(id))
	return list, err
}

// PostedAs finds the post that a chat message of ours is.
func (tx *Tx) PostedAs(team parley.TeamID, program, conversation, posted string) (p parley.ChatPost, err error) {
	err = tx.one(`SELECT `+postCols+` FROM bridge_posted d JOIN bridge_post p ON p.id = d.post_id
		WHERE d.team_id = $1 AND d.program = $2 AND d.conversation = $3 AND d.posted = $4`, func(r Row) { p = scanPost(r) },
		int64(team), program, conversation, posted)
	return p, err
}

// PostedMessage finds what the program calls the first part of a message in a
// conversation; empty if it is not there.
func (tx *Tx) PostedMessage(program, conversation string, m parley.MessageID) (posted string, err error) {
	err = tx.query(`SELECT d.posted FROM bridge_post p JOIN bridge_posted d ON d.post_id = p.id
		WHERE p.message_id = $1 AND p.message_id > 0 AND p.program = $2 AND p.conversation = $3 ORDER BY d.part LIMIT 1`,
		func(r Row) { posted = r.Text(0) }, int64(m), program, conversation)
	return posted, err
}

// ChangedApproval has the posts of an approval shown anew. One that is being posted may
// show what was before.
func (tx *Tx) ChangedApproval(program string, id parley.ApprovalID) {
	tx.exec(`UPDATE bridge_post SET stale = stale + 1 WHERE approval_id = $1 AND approval_id > 0 AND program = $2 AND (state < 2 OR part > 0)`, int64(id), program)
}

// ChangedQuestion has the posts that ask a task of a person shown anew.
func (tx *Tx) ChangedQuestion(program string, id parley.TaskID) {
	tx.exec(`UPDATE bridge_post SET stale = stale + 1 WHERE task_id = $1 AND task_id > 0 AND program = $2 AND kind = 'question' AND (state < 2 OR part > 0)`, int64(id), program)
}

// ChangedMessage has the posts of a message shown anew.
func (tx *Tx) ChangedMessage(program string, id parley.MessageID) {
	tx.exec(`UPDATE bridge_post SET stale = stale + 1 WHERE message_id = $1 AND message_id > 0 AND program = $2 AND (state < 2 OR part > 0)`, int64(id), program)
}

// RedactedMessage has the posts of a message shown anew in every program.
func (tx *Tx) RedactedMessage(id parley.MessageID) {
	tx.exec(`UPDATE bridge_post SET stale = stale + 1 WHERE message_id = $1 AND message_id > 0 AND (state < 2 OR part > 0)`, int64(id))
}

// RedactedApproval has the posts of an approval shown anew in every program.
func (tx *Tx) RedactedApproval(id parley.ApprovalID) {
	tx.exec(`UPDATE bridge_post SET stale = stale + 1 WHERE approval_id = $1 AND approval_id > 0 AND (state < 2 OR part > 0)`, int64(id))
}

// RedactedTitles has the lists of tasks shown anew that a team was shown since a time.
func (tx *Tx) RedactedTitles(team parley.TeamID, since parley.Micros) {
	tx.exec(`UPDATE bridge_post SET stale = stale + 1 WHERE team_id = $1 AND kind = 'tasks' AND created_at >= $2 AND (state < 2 OR part > 0)`, int64(team), int64(since))
}

// ChatCounts counts what is still to be posted, and since when.
func (tx *Tx) ChatCounts(team parley.TeamID, program string) (pending int, since parley.Micros, err error) {
	err = tx.query(`SELECT count(*), COALESCE(min(created_at), 0) FROM bridge_post WHERE team_id = $1 AND program = $2 AND state < 2`,
		func(r Row) { pending, since = int(r.Int(0)), parley.Micros(r.Int(1)) }, int64(team), program)
	return pending, since, err
}

// ChatTexts visits what bridges of a team are about to say themselves.
func (tx *Tx) ChatTexts(team parley.TeamID, visit func(id parley.ChatPostID, text string)) error {
	return tx.query(`SELECT id, text FROM bridge_post WHERE team_id = $1 AND state < 2 AND text <> ''`,
		func(r Row) { visit(parley.ChatPostID(r.Int(0)), r.Text(1)) }, int64(team))
}

// SetChatText replaces what a bridge is about to say.
func (tx *Tx) SetChatText(id parley.ChatPostID, text string) {
	tx.exec(`UPDATE bridge_post SET text = $2 WHERE id = $1 AND state < 2`, int64(id), text)
}
