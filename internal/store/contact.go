package store

import "parley"

// ContactState is what a contact is decided by.
type ContactState struct {
	Sender parley.Agent
	Target parley.Agent // without its rate
	// Task is the task that the sender works on; zero if none.
	Task parley.Task
	// Before is the contact made earlier under the same key; zero if none.
	Before parley.Message
	// DM is the channel of the two; zero before the first contact.
	DM parley.Channel
	// Mail says that the target has unread mail.
	Mail bool
}

// ContactState reads everything that a contact needs in one round trip, and locks what the
// contact will change: the sender's rate, the sender's task (its count of children)
// and the conversation (its next message).
func (tx *Tx) ContactState(from, to parley.AgentID, in parley.TaskID, key string) (ContactState, error) {
	var s ContactState
	thread := new(parley.Thread)
	a, b := int64(min(from, to)), int64(max(from, to))
	hot := tx.conn.Hot()
	var qs []Query
	if !hot.parties(from, to, &s) {
		qs = append(qs, Query{SQL: bothAgents, Args: []any{int64(from), int64(to)}, Row: func(r Row) {
			s.Sender, s.Target = scanAgent(r), scanAgent(shifted{r, agentColCount})
			s.Mail = r.Int(2*agentColCount) != 0
			hot.keepParties(&s)
		}})
	}
	if t, ok := hot.task(in); ok {
		s.Task = t
	} else if in != 0 {
		qs = append(qs, Query{SQL: `SELECT ` + taskCols + ` FROM task WHERE id = $1 /*lock*/`, Args: []any{int64(in)},
			Row: func(r Row) { s.Task = scanTask(r); hot.keepTask(s.Task) }})
	}
	if key != "" {
		qs = append(qs, Query{SQL: messageByKey,
			Args: []any{int64(in), int64(from), key}, Row: func(r Row) { s.Before = scanMessage(r) }})
	}
	if c, t, ok := hot.dm(parley.AgentID(a), parley.AgentID(b)); ok {
		s.DM, *thread = c, t
	} else {
		qs = append(qs, Query{SQL: `SELECT ` + threadColsOfT + `, c.team_id
			FROM channel c JOIN thread t ON t.id = c.main_thread WHERE c.a_id = $1 AND c.b_id = $2 /*lock thread*/`,
			Args: []any{a, b}, Row: func(r Row) {
				*thread = scanThread(r)
				s.DM = parley.Channel{ID: thread.Channel, Team: parley.TeamID(r.Int(threadColCount)), Kind: parley.DM,
					A: parley.AgentID(a), B: parley.AgentID(b), Main: thread.ID}
				hot.keepDM(s.DM, *thread)
			}})
	}
	if err := tx.conn.Query(qs...); err != nil {
		return s, err
	}
	if s.Sender.ID == 0 || s.Target.ID == 0 || s.Task.ID != in {
		return s, ErrNotFound
	}
	if thread.ID != 0 {
		tx.keepThread(thread)
	}
	return s, nil
}

// SentWithKey finds what an author sent under a key in the first of some tasks in
// which there is any: one message, or several whose keys continue the key with a slash.
func (tx *Tx) SentWithKey(origins []parley.TaskID, author parley.AgentID, key string) (list []parley.Message, err error) {
	for _, origin := range origins {
		err = tx.query(`SELECT `+messageCols+` FROM message WHERE origin_id = $1 AND author_id = $2 AND key IS NOT NULL
			AND (key = $3 OR substr(key, 1, length($4)) = $4) ORDER BY id`,
			func(r Row) { list = append(list, scanMessage(r)) }, int64(origin), int64(author), key, key+"/")
		if err != nil || len(list) > 0 {
			break
		}
	}
	return list, err
}

const messageByKey = `SELECT ` + messageCols + ` FROM message WHERE origin_id = $1 AND author_id = $2 AND key = $3`

const bothAgents = `SELECT s.id, s.team_id, s.name, s.kind, s.turns, s.removed, s.offline, s.sleeping_until, s.home, s.connected_until, r.drawn_at, r.debt,
	a.id, a.team_id, a.name, a.kind, a.turns, a.removed, a.offline, a.sleeping_until, a.home, a.connected_until, 0, 0, ` + hasMail + `= a.id` + orNone + `
	FROM agent s CROSS JOIN agent a CROSS JOIN rate r WHERE s.id = $1 AND a.id = $2 AND r.agent_id = $1 /*lock rate*/`

// shifted is a row seen from a later column on.
type shifted struct {
	Row
	by int
}

func (r shifted) Int(col int) int64    { return r.Row.Int(r.by + col) }
func (r shifted) Text(col int) string  { return r.Row.Text(r.by + col) }
func (r shifted) Bytes(col int) []byte { return r.Row.Bytes(r.by + col) }
