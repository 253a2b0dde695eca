package store

import (
	"parley"
)

// PairQuery says which messages are counted between pairs.
type PairQuery struct {
	Team  parley.TeamID
	Agent parley.AgentID // only pairs with this one; 0: all
	// Since is inclusive, Until exclusive; 0 is open.
	Since, Until parley.Micros
	// Limit is how many messages are looked at, the newest first, also of other teams.
	Limit int
}

// Pair is how many messages two have exchanged.
type Pair struct {
	A, B  parley.AgentID // A < B
	Count int
	Last  parley.MessageID
}

// Pairs counts the messages of a span of time between pairs: those in the dm of two, and
// those in a channel that mention somebody or answer a mention. cut says that there were
// more messages in the span than the limit lets it look at.
//
// Messages have no index by time, which each of them would pay for. Their numbers grow
// with time, so the first one of the span is found by halving, and only what came after
// it is read.
func (tx *Tx) Pairs(q PairQuery) (list []Pair, cut bool, err error) {
	first, err := tx.firstMessageSince(q.Since)
	if err != nil {
		return nil, false, err
	}
	last := int64(1<<63 - 1)
	if q.Until != 0 {
		if last, err = tx.firstMessageSince(q.Until); err != nil {
			return nil, false, err
		}
		last-- // of the first message after the span
	}
	args := []any{int64(q.Team), int64(q.Agent), first, last, int64(q.Limit)}
	err = tx.query(pairs, func(r Row) {
		list = append(list, Pair{A: parley.AgentID(r.Int(0)), B: parley.AgentID(r.Int(1)), Count: int(r.Int(2)), Last: parley.MessageID(r.Int(3))})
	}, args...)
	if err != nil {
		return nil, false, err
	}
	err = tx.query(`SELECT 1 FROM message WHERE id >= $1 AND id <= $2 ORDER BY id DESC LIMIT 1 OFFSET $3`, func(Row) { cut = true }, first, last, int64(q.Limit))
	return list, cut, err
}

// pairs takes a message of a dm as one between its two, and one of a channel as one
// between its author and each whom it mentions, and between the two of the mention that
// it answers. What the hub says to somebody in their own name is between nobody.
const pairs = `WITH m AS (SELECT id, team_id, thread_id, author_id, task_id FROM message WHERE id >= $3 AND id <= $4 ORDER BY id DESC LIMIT $5),
	x (a, b, id) AS (
		SELECT c.a_id, c.b_id, m.id FROM m JOIN thread t ON t.id = m.thread_id JOIN channel c ON c.id = t.channel_id
			WHERE m.team_id = $1 AND c.kind = 'dm' AND c.a_id <> c.b_id
		UNION ALL
		SELECT k.requester_id, k.agent_id, m.id FROM m JOIN task k ON k.request_id = m.id AND k.pattern = 'mention' WHERE m.team_id = $1
		UNION ALL
		SELECT k.requester_id, k.agent_id, m.id FROM m JOIN task k ON k.id = m.task_id AND k.pattern = 'mention' AND m.author_id = k.agent_id
			WHERE m.team_id = $1 AND m.task_id > 0)
	SELECT CASE WHEN a < b THEN a ELSE b END AS one, CASE WHEN a < b THEN b ELSE a END AS two, count(*), max(id) FROM x
	WHERE a <> b AND (a = $2 OR b = $2 OR $2 = 0)
	GROUP BY CASE WHEN a < b THEN a ELSE b END, CASE WHEN a < b THEN b ELSE a END
	ORDER BY 3 DESC, 1, 2`

// firstMessageSince is the number of the first message from a time on, or one more than
// that of the last.
func (tx *Tx) firstMessageSince(at parley.Micros) (int64, error) {
	var low, high int64
	if err := tx.query(`SELECT max(id) FROM message`, func(r Row) { high = r.Int(0) + 1 }); err != nil || at == 0 {
		return 0, err
	}
	low = 1
	for low < high {
		middle, id, young := low+(high-low)/2, int64(0), false
		err := tx.query(`SELECT id, at FROM message WHERE id >= $1 ORDER BY id LIMIT 1`, func(r Row) { id, young = r.Int(0), parley.Micros(r.Int(1)) >= at }, middle)
		switch {
		case err != nil:
			return 0, err
		case id == 0 || young:
			high = middle
		default:
			low = id + 1
		}
	}
	return low, nil
}

// LastSaid is the last message between two, and the task that it belongs to.
type LastSaid struct {
	At    parley.Micros
	Task  parley.TaskID
	State parley.State // of the task; 0 if it belongs to none
}

// LastSaid reads when messages were stored and how their tasks stand.
func (tx *Tx) LastSaid(ids []parley.MessageID) (of map[parley.MessageID]LastSaid, err error) {
	of = make(map[parley.MessageID]LastSaid, len(ids))
	plain := make([]int64, len(ids))
	for i, id := range ids {
		plain[i] = int64(id)
	}
	err = tx.queryIDs(`SELECT m.id, m.at, k.id, k.state FROM message m LEFT JOIN task k ON k.id = m.task_id WHERE m.id IN (`+idPlaceholders+`)`, plain, func(r Row) {
		of[parley.MessageID(r.Int(0))] = LastSaid{At: parley.Micros(r.Int(1)), Task: parley.TaskID(r.Int(2)), State: parley.State(r.Int(3))}
	})
	return of, err
}
