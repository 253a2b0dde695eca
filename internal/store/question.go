package store

import (
	"cmp"
	"errors"
	"strings"
	"time"

	"parley"
	"parley/internal/wake"
)

// A question and its routes change only under the question's lock, which comes after
// that of the asking task. Statements that look for open questions repeat "state = 1"
// literally, as their index does.

const questionCols = `id, team_id, asker_id, task_id, target_id, body, context, state, hops, key, created_at, expires_at, closed_at, next_at`

func scanQuestion(r Row) parley.Question {
	return parley.Question{
		ID: parley.QuestionID(r.Int(0)), Team: parley.TeamID(r.Int(1)), Asker: parley.AgentID(r.Int(2)),
		Task: parley.TaskID(r.Int(3)), Target: parley.AgentID(r.Int(4)), Text: r.Text(5), Context: r.Text(6),
		State: parley.QuestionState(r.Int(7)), Hops: int(r.Int(8)), Key: r.Text(9),
		CreatedAt: parley.Micros(r.Int(10)), ExpiresAt: parley.Micros(r.Int(11)), ClosedAt: parley.Micros(r.Int(12)), NextAt: parley.Micros(r.Int(13)),
	}
}

// NewQuestionID draws a question's number before the question is stored, since the
// messages that ask it name it.
func (tx *Tx) NewQuestionID() parley.QuestionID {
	return parley.QuestionID(tx.conn.NextID(SeqQuestion))
}

// InsertQuestion stores a new question as open, under the number that NewQuestionID
// drew. Without a NextAt the clock looks at it when it expires.
func (tx *Tx) InsertQuestion(q *parley.Question) {
	q.State, q.CreatedAt, q.NextAt = parley.QuestionOpen, tx.Now, cmp.Or(q.NextAt, q.ExpiresAt)
	var key any
	if q.Key != "" {
		key = q.Key
	}
	tx.exec(`INSERT INTO question (id, team_id, asker_id, task_id, target_id, body, context, state, key, created_at, expires_at, next_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
		int64(q.ID), int64(q.Team), int64(q.Asker), int64(q.Task), int64(q.Target), q.Text, q.Context, int64(q.State), key,
		int64(q.CreatedAt), int64(q.ExpiresAt), int64(q.NextAt))
	if q.NextAt.Until(tx.Now) < time.Hour {
		tx.Signal(wake.Clock, int64(q.Task))
	}
}

func (tx *Tx) Question(id parley.QuestionID) (q parley.Question, err error) {
	err = tx.one(`SELECT `+questionCols+` FROM question WHERE id = $1`, func(r Row) { q = scanQuestion(r) }, int64(id))
	return q, err
}

// LockQuestion reads and locks a question. The asking task must be locked before.
func (tx *Tx) LockQuestion(id parley.QuestionID) (q parley.Question, err error) {
	err = tx.one(`SELECT `+questionCols+` FROM question WHERE id = $1 /*lock*/`, func(r Row) { q = scanQuestion(r) }, int64(id))
	return q, err
}

// QuestionByKey finds the question that one of some tasks asked earlier under a key.
func (tx *Tx) QuestionByKey(tasks []parley.TaskID, asker parley.AgentID, key string) (q parley.Question, err error) {
	for _, task := range tasks {
		err = tx.one(`SELECT `+questionCols+` FROM question WHERE task_id = $1 AND asker_id = $2 AND key = $3`,
			func(r Row) { q = scanQuestion(r) }, int64(task), int64(asker), key)
		if !errors.Is(err, ErrNotFound) {
			break
		}
	}
	return q, err
}

// UpdateQuestion stores everything of a question that can change: the write half
// of a compare-and-set.
func (tx *Tx) UpdateQuestion(q *parley.Question) {
	tx.exec(`UPDATE question SET state = $1, hops = $2, closed_at = $3, next_at = $4 WHERE id = $5`,
		int64(q.State), int64(q.Hops), int64(q.ClosedAt), int64(q.NextAt), int64(q.ID))
	if q.State == parley.QuestionOpen && q.NextAt <= tx.Now {
		tx.Signal(wake.Clock, int64(q.Task))
	}
}

// QuestionFilter picks questions for a list.
type QuestionFilter struct {
	Team parley.TeamID
	// Agent picks the questions that it asked or was asked; 0 picks all.
	Agent parley.AgentID
	// Reader picks among these what the reader asked or was asked; 0 picks all.
	Reader parley.AgentID
	Open   bool
	Limit  int
}

// Questions reads questions for a list, newest first.
func (tx *Tx) Questions(f QuestionFilter) (list []parley.Question, err error) {
	where := []string{"team_id = $1"}
	args := []any{int64(f.Team), int64(f.Limit)}
	for _, who := range []parley.AgentID{f.Agent, f.Reader} {
		if who == 0 {
			continue
		}
		args = append(args, int64(who))
		where = append(where, involved[len(args)])
	}
	if f.Open {
		where = append(where, "state = 1")
	}
	err = tx.query(`SELECT `+questionCols+` FROM question WHERE `+strings.Join(where, " AND ")+` ORDER BY id DESC LIMIT $2`,
		func(r Row) { list = append(list, scanQuestion(r)) }, args...)
	return list, err
}

// involved is the condition that an agent asked a question or was asked it, by the
// number of the statement's argument.
var involved = map[int]string{
	3: `(asker_id = $3 OR EXISTS (SELECT 1 FROM question_route r WHERE r.question_id = question.id AND r.agent_id = $3))`,
	4: `(asker_id = $4 OR EXISTS (SELECT 1 FROM question_route r WHERE r.question_id = question.id AND r.agent_id = $4))`,
}

const routeCols = `question_id, n, agent_id, by_id, task_id, hop, enrichment, state, answer_id, at`

func scanRoute(r Row) parley.Route {
	return parley.Route{
		Question: parley.QuestionID(r.Int(0)), N: int(r.Int(1)), Agent: parley.AgentID(r.Int(2)), By: parley.AgentID(r.Int(3)),
		Task: parley.TaskID(r.Int(4)), Hop: int(r.Int(5)), Enrichment: r.Text(6), State: parley.RouteState(r.Int(7)),
		Answer: parley.MessageID(r.Int(8)), At: parley.Micros(r.Int(9)),
	}
}

// InsertRoute stores that an agent is asked a question.
func (tx *Tx) InsertRoute(r *parley.Route) {
	r.State, r.At = parley.RouteAsked, tx.Now
	tx.exec(`INSERT INTO question_route (`+routeCols+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
		int64(r.Question), int64(r.N), int64(r.Agent), int64(r.By), int64(r.Task), int64(r.Hop), r.Enrichment, int64(r.State),
		int64(r.Answer), int64(r.At))
}

// Routes reads whom a question has reached, in the order they were asked.
func (tx *Tx) Routes(of parley.QuestionID) (list []parley.Route, err error) {
	err = tx.query(`SELECT `+routeCols+` FROM question_route WHERE question_id = $1 ORDER BY n`,
		func(r Row) { list = append(list, scanRoute(r)) }, int64(of))
	return list, err
}

// UpdateRoute stores what one of those asked did with a question.
func (tx *Tx) UpdateRoute(r *parley.Route) {
	tx.exec(`UPDATE question_route SET state = $1, answer_id = $2 WHERE question_id = $3 AND n = $4`,
		int64(r.State), int64(r.Answer), int64(r.Question), int64(r.N))
}

// NextQuestion reads when the clock has to look at an open question next; 0 if there
// is none.
func (tx *Tx) NextQuestion() (at parley.Micros, err error) {
	err = tx.query(`SELECT next_at FROM question WHERE state = 1 ORDER BY next_at LIMIT 1`,
		func(r Row) { at = parley.Micros(r.Int(0)) })
	return at, err
}

// DueQuestions reads open questions that the clock has to look at: they have expired,
// or more are to be asked.
func (tx *Tx) DueQuestions(limit int) (ids []parley.QuestionID, err error) {
	err = tx.query(`SELECT id FROM question WHERE state = 1 AND next_at <= $1 ORDER BY next_at LIMIT $2`,
		func(r Row) { ids = append(ids, parley.QuestionID(r.Int(0))) }, int64(tx.Now), int64(limit))
	return ids, err
}

// SetQuestionText replaces the text and context of a question.
func (tx *Tx) SetQuestionText(id parley.QuestionID, text, context string) {
	tx.exec(`UPDATE question SET body = $1, context = $2 WHERE id = $3`, text, context, int64(id))
}

// SetEnrichment replaces what an agent added to a question on its way.
func (tx *Tx) SetEnrichment(r parley.Route) {
	tx.exec(`UPDATE question_route SET enrichment = $1 WHERE question_id = $2 AND n = $3`, r.Enrichment, int64(r.Question), int64(r.N))
}

// OldQuestions counts the questions of a team that closed before a time.
func (tx *Tx) OldQuestions(team parley.TeamID, before parley.Micros) (n int, err error) {
	err = tx.query(`SELECT count(*) FROM question WHERE `+oldQuestions, func(r Row) { n = int(r.Int(0)) }, int64(team), int64(before))
	return n, err
}

// RemoveQuestions removes the questions that OldQuestions counts, with their routes.
func (tx *Tx) RemoveQuestions(team parley.TeamID, before parley.Micros) {
	tx.exec(`DELETE FROM question_route WHERE question_id IN (SELECT id FROM question WHERE `+oldQuestions+`)`, int64(team), int64(before))
	tx.exec(`DELETE FROM question WHERE `+oldQuestions, int64(team), int64(before))
}

// The newest question of all stays, since the next numbers follow it.
const oldQuestions = `id > 0 AND team_id = $1 AND state > 1 AND closed_at < $2 AND id < (SELECT max(id) FROM question)`
