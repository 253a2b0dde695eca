package store

import (
	"parley"
	"parley/internal/wake"
)

// Redacted reports whether a message was redacted.
func (tx *Tx) Redacted(id parley.MessageID) (redacted bool, err error) {
	err = tx.query(`SELECT 1 FROM redaction WHERE message_id = $1`, func(Row) { redacted = true }, int64(id))
	return redacted, err
}

// Redact replaces the text of a message and deletes its context and attachment. It
// also replaces the titles and errors of tasks that were made from that text.
func (tx *Tx) Redact(m parley.Message, by parley.AgentID, text, reason string) {
	tx.exec(`INSERT INTO redaction (message_id, by_id, at, reason) VALUES ($1, $2, $3, $4) ON CONFLICT (message_id) DO NOTHING`,
		int64(m.ID), int64(by), int64(tx.Now), reason)
	tx.exec(`UPDATE message SET body = $1, context = '' WHERE id = $2`, text, int64(m.ID))
	tx.exec(`DELETE FROM attachment WHERE message_id = $1`, int64(m.ID))
	tx.exec(`UPDATE task SET title = $1 WHERE id = $2 AND request_id = $3`, text, int64(m.Task), int64(m.ID))
	if m.Kind == parley.PostMessage || m.Kind == parley.ReplyMessage { // both may mention somebody
		tx.exec(`UPDATE task SET title = $1 WHERE pattern = 'mention' AND request_id = $2`, text, int64(m.ID))
	}
	if m.Kind == parley.FailureMessage {
		tx.exec(`UPDATE task SET error = $1 WHERE id = $2`, text, int64(m.Task))
	}
	tx.forgetText(m.ID)
}

// forgetText drops the text of a message from memory: at once, because a turn may begin before this
// is on stable storage, and again when the signal goes out, on every hub.
func (tx *Tx) forgetText(id parley.MessageID) {
	tx.conn.Recent().Forget(id)
	tx.Signal(wake.Redacted, int64(id))
}

// Copy is a message that contains the text of another.
type Copy struct {
	ID     parley.MessageID
	Task   parley.TaskID
	Author parley.AgentID
	Whole  bool // the text is all it says
}

// Copies finds the messages of a team that contain a text, starting with a given
// message. It scans all of them: use a View.
func (tx *Tx) Copies(team parley.TeamID, from parley.MessageID, text string) (list []Copy, err error) {
	contains := `instr(body, $3) > 0 OR instr(context, $3) > 0`
	if tx.conn.Engine() == PostgreSQL {
		contains = `strpos(body, $3) > 0 OR strpos(context, $3) > 0`
	}
	err = tx.query(`SELECT id, task_id, author_id, CASE WHEN body = $3 THEN 1 ELSE 0 END FROM message
		WHERE team_id = $1 AND id >= $2 AND (`+contains+`) ORDER BY id`, func(r Row) {
		list = append(list, Copy{ID: parley.MessageID(r.Int(0)), Task: parley.TaskID(r.Int(1)), Author: parley.AgentID(r.Int(2)), Whole: r.Int(3) != 0})
	}, int64(team), int64(from), text)
	return list, err
}

// TasksContaining finds the tasks of a team whose steps since a time contain a text, in
// either of the two forms that it can have within JSON. It scans all these steps: use
// a View.
func (tx *Tx) TasksContaining(team parley.TeamID, since parley.Micros, plain, escaped string) (list []parley.TaskID, err error) {
	contains := `instr(s.content, $3) > 0 OR instr(s.content, $4) > 0`
	if tx.conn.Engine() == PostgreSQL {
		contains = `strpos(s.content, $3) > 0 OR strpos(s.content, $4) > 0`
	}
	err = tx.query(`SELECT DISTINCT s.task_id FROM step s JOIN task t ON t.id = s.task_id
		WHERE s.task_id > 0 AND t.team_id = $1 AND s.at >= $2 AND (`+contains+`)`,
		func(r Row) { list = append(list, parley.TaskID(r.Int(0))) }, int64(team), int64(since), plain, escaped)
	return list, err
}

// LongMessages visits the messages of a team that say at least so many characters, with
// everything that they say. It reads all of them: use a View.
func (tx *Tx) LongMessages(team parley.TeamID, least int, visit func(id parley.MessageID, texts ...string)) error {
	return tx.query(`SELECT m.id, m.body, m.context, COALESCE(a.body, '') FROM message m LEFT JOIN attachment a ON a.message_id = m.id
		WHERE m.id > 0 AND m.team_id = $1 AND (length(m.body) >= $2 OR length(m.context) >= $2) ORDER BY m.id`,
		func(r Row) { visit(parley.MessageID(r.Int(0)), r.Text(1), r.Text(2), r.Text(3)) }, int64(team), int64(least))
}

// LongSteps visits the steps of a team since a time that have at least so many
// characters. It reads all of them: use a View.
func (tx *Tx) LongSteps(team parley.TeamID, since parley.Micros, least int, visit func(of parley.TaskID, content string)) error {
	return tx.query(`SELECT s.task_id, s.content FROM step s JOIN task t ON t.id = s.task_id
		WHERE s.task_id > 0 AND t.team_id = $1 AND s.at >= $2 AND length(s.content) >= $3`,
		func(r Row) { visit(parley.TaskID(r.Int(0)), r.Text(1)) }, int64(team), int64(since), int64(least))
}

// LongKept visits the kept messages of a team that have at least so many characters. It
// reads all of them: use a View.
func (tx *Tx) LongKept(team parley.TeamID, least int, visit func(parley.KeptMessage)) error {
	return tx.query(`SELECT `+keptCols+` FROM kept WHERE id > 0 AND team_id = $1 AND keeper_id > 0 AND length(text) >= $2 ORDER BY id`,
		func(r Row) { visit(scanKept(r)) }, int64(team), int64(least))
}

// EnrichmentMessages finds the messages that carried a question's enrichments to the
// asker.
func (tx *Tx) EnrichmentMessages(team parley.TeamID, q parley.QuestionID) (ids []parley.MessageID, err error) {
	err = tx.query(`SELECT id FROM message WHERE question_id = $2 AND question_id > 0 AND team_id = $1 AND kind IN ($3, $4) AND context <> '' ORDER BY id`,
		func(r Row) { ids = append(ids, parley.MessageID(r.Int(0))) }, int64(team), int64(q), string(parley.AnswerMessage), string(parley.UnansweredMessage))
	return ids, err
}

// ForgetContext deletes the context of a message.
func (tx *Tx) ForgetContext(id parley.MessageID) {
	tx.exec(`UPDATE message SET context = '' WHERE id = $1`, int64(id))
	tx.forgetText(id)
}

// MessageByKey finds what an author wrote under a key outside of any task.
func (tx *Tx) MessageByKey(author parley.AgentID, key string) (m parley.Message, err error) {
	err = tx.one(messageByKey, func(r Row) { m = scanMessage(r) }, int64(0), int64(author), key)
	return m, err
}

// MessagesByKeys finds what an author wrote outside of any task under a key, or under
// keys with a given beginning.
func (tx *Tx) MessagesByKeys(author parley.AgentID, key, beginning string) (list []parley.Message, err error) {
	err = tx.query(`SELECT `+messageCols+` FROM message WHERE origin_id = 0 AND author_id = $1 AND key IS NOT NULL
		AND (key = $2 OR substr(key, 1, length($3)) = $3)`, func(r Row) { list = append(list, scanMessage(r)) }, int64(author), key, beginning)
	return list, err
}

// ApprovalRequests finds the messages that asked managers to decide, by their key.
func (tx *Tx) ApprovalRequests(key string) (list []parley.Message, err error) {
	err = tx.query(`SELECT `+messageCols+` FROM message WHERE kind = 'approval_request' AND key = $1`,
		func(r Row) { list = append(list, scanMessage(r)) }, key)
	return list, err
}

// EventsContaining finds the events of a team since a time whose detail contains a text. It
// scans all of them: use a View.
func (tx *Tx) EventsContaining(team parley.TeamID, since parley.Micros, text string) (list []parley.Event, err error) {
	contains := `instr(detail, $3) > 0`
	if tx.conn.Engine() == PostgreSQL {
		contains = `strpos(detail, $3) > 0`
	}
	err = tx.query(`SELECT `+eventCols+`, 0 FROM event WHERE id > 0 AND team_id = $1 AND at >= $2 AND `+contains,
		func(r Row) { list = append(list, scanEvent(r)) }, int64(team), int64(since), text)
	return list, err
}

// SetEventDetail replaces the detail of an event. Only redaction does: the record is
// otherwise append-only.
func (tx *Tx) SetEventDetail(id parley.EventID, detail string) {
	tx.exec(`UPDATE event SET detail = $1 WHERE id = $2`, detail, int64(id))
}

// SetStep replaces the content of a step.
func (tx *Tx) SetStep(s parley.Step) {
	tx.exec(`UPDATE step SET content = $1 WHERE task_id = $2 AND turn = $3 AND n = $4`,
		string(s.Content), int64(s.Task), int64(s.Turn), int64(s.N))
}

// SetApprovalText replaces what an approval shows of its call.
func (tx *Tx) SetApprovalText(id parley.ApprovalID, args, reason string) {
	tx.exec(`UPDATE approval SET args = $1, reason = $2 WHERE id = $3`, args, reason, int64(id))
}

// SetTaskError replaces the reason why a task failed.
func (tx *Tx) SetTaskError(id parley.TaskID, text string) {
	tx.exec(`UPDATE task SET error = $1 WHERE id = $2`, text, int64(id))
}
