package store

import (
	"parley"
	"parley/internal/wake"
)

const messageCols = `id, team_id, thread_id, n, prev_id, author_id, kind, body, context, task_id, origin_id, key, at, priority, question_id`

const messageColCount = 15

const messageColsOfM = `m.id, m.team_id, m.thread_id, m.n, m.prev_id, m.author_id, m.kind, m.body, m.context,
	m.task_id, m.origin_id, m.key, m.at, m.priority, m.question_id`

func scanMessage(r Row) parley.Message {
	return parley.Message{
		ID: parley.MessageID(r.Int(0)), Team: parley.TeamID(r.Int(1)), Thread: parley.ThreadID(r.Int(2)),
		N: int(r.Int(3)), Prev: parley.MessageID(r.Int(4)), Author: parley.AgentID(r.Int(5)),
		Kind: parley.MessageKind(r.Text(6)), Body: r.Text(7), Context: r.Text(8),
		Task: parley.TaskID(r.Int(9)), Origin: parley.TaskID(r.Int(10)), Key: r.Text(11), At: parley.Micros(r.Int(12)),
		Priority: parley.Priority(r.Int(13)), Question: parley.QuestionID(r.Int(14)),
	}
}

func (tx *Tx) Message(id parley.MessageID) (m parley.Message, err error) {
	err = tx.one(`SELECT `+messageCols+` FROM message WHERE id = $1`, func(r Row) { m = scanMessage(r) }, int64(id))
	return m, err
}

// MessagesFrom reads what a task's turns sent to others, oldest first.
func (tx *Tx) MessagesFrom(origin parley.TaskID) (list []parley.Message, err error) {
	err = tx.query(`SELECT `+messageCols+` FROM message WHERE origin_id = $1 AND key IS NOT NULL ORDER BY id`,
		func(r Row) { list = append(list, scanMessage(r)) }, int64(origin))
	return list, err
}

// Back reads at most limit messages of a thread, newest first: the given one, the one
// before it, and so on, while their numbers are above downTo.
func (tx *Tx) Back(in parley.ThreadID, from parley.MessageID, downTo, limit int) (list []parley.Message, err error) {
	recent := tx.conn.Recent()
	list, next := recent.Back(in, from, downTo, limit)
	if next == 0 {
		return list, nil
	}
	known := len(list)
	add := func(m parley.Message) { list = append(list, m) }
	if tx.conn.Engine() == SQLite {
		err = tx.walkBack(next, downTo, limit-len(list), add)
	} else {
		err = tx.query(back, func(r Row) { add(scanMessage(r)) }, int64(next), int64(downTo), int64(limit-len(list)))
	}
	recent.putRead(list[known:])
	return list, err
}

// walkBack reads message by message. Where a statement costs no round trip, a
// recursive statement costs more to set up than it saves.
func (tx *Tx) walkBack(from parley.MessageID, downTo, limit int, add func(parley.Message)) error {
	for id := from; id != 0 && limit > 0; limit-- {
		m, err := tx.Message(id)
		if err == ErrNotFound { // retention has removed it and everything before
			return nil
		}
		if err != nil {
			return err
		}
		if m.N <= downTo {
			return nil
		}
		add(m)
		id = m.Prev
	}
	return nil
}

const back = `WITH RECURSIVE m AS (
	SELECT ` + messageCols + ` FROM message WHERE id = $1 AND n > $2
	UNION ALL
	SELECT p.id, p.team_id, p.thread_id, p.n, p.prev_id, p.author_id, p.kind, p.body, p.context, p.task_id, p.origin_id,
		p.key, p.at, p.priority, p.question_id
	FROM message p JOIN m ON p.id = m.prev_id WHERE p.n > $2)
	SELECT ` + messageCols + ` FROM m LIMIT $3`

// News reads, oldest first, what an agent has not seen in a thread after a number:
// notifications, ends of its tasks that it did not wait for in a task, and posts by
// people that did not mention it. What somebody says to its answer is none. The results
// of what it asked for reach it in its task's inbox.
func (tx *Tx) News(in parley.Thread, of parley.AgentID, after, limit int) (list []parley.Message, err error) {
	err = tx.query(news, func(r Row) { list = append(list, scanMessage(r)) },
		int64(in.Last), int64(after), int64(of), int64(limit))
	return list, err
}

// CROSS JOIN keeps SQLite from starting with all deliveries.
const news = `WITH RECURSIVE l (id, prev_id) AS (
	SELECT id, prev_id FROM message WHERE id = $1 AND n > $2
	UNION ALL
	SELECT p.id, p.prev_id FROM message p JOIN l ON p.id = l.prev_id WHERE p.n > $2)
	SELECT ` + messageColsOfM + ` FROM l CROSS JOIN message m CROSS JOIN delivery d
	LEFT JOIN task t ON t.id = m.task_id
	WHERE m.id = l.id AND d.message_id = m.id AND d.recipient_id = $3 AND d.seen_at = 0
	AND (m.kind = 'notification' OR m.kind IN ('reply', 'delegation_result', 'delegation_failed') AND t.callback = 0 AND t.pattern <> 'answer'
		OR m.kind = 'post' AND NOT EXISTS (SELECT 1 FROM task k WHERE k.request_id = m.id AND k.pattern = 'mention' AND k.agent_id = $3))
	ORDER BY m.n LIMIT $4`

// Post appends a message to its thread and opens a delivery record for each
// recipient.
func (tx *Tx) Post(m *parley.Message, to ...Recipient) error {
	t, err := tx.LockThread(m.Thread)
	if err != nil {
		return err
	}
	m.ID = parley.MessageID(tx.conn.NextID(SeqMessage))
	m.At = tx.Now
	m.Prev, m.N = t.Last, t.Count+1
	t.Last, t.Count = m.ID, m.N
	tx.takeReadings(t)
	tx.insertMessage(m, t, to)
	for _, r := range to {
		if r.Pulls {
			tx.Signal(wake.Mail, int64(r.ID))
		}
	}
	tx.conn.Recent().putPosted(m) // harmless if the transaction fails: its number is never used again
	return nil
}

const (
	insertMessage  = `INSERT INTO message (` + messageCols + `) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15) /*later*/`
	insertDelivery = `INSERT INTO delivery (message_id, recipient_id, pull, delivered_at, mail, about_id) VALUES ($1, $2, $3, $4, $5, $6) /*later*/`
	appendToThread = `UPDATE thread SET last_message = $1, message_count = $2, a_read = $3, b_read = $4 WHERE id = $5 /*later*/`
	// putThread is the same for a driver that changes several rows at once.
	putThread = `INSERT INTO thread (` + threadCols + `) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
		ON CONFLICT (id) DO UPDATE SET last_message = excluded.last_message, message_count = excluded.message_count,
		a_read = excluded.a_read, b_read = excluded.b_read /*later*/`
	// postToOne does the work of the three in one statement, which is faster on
	// PostgreSQL for one transaction by itself.
	postToOne = `WITH m AS (` + insertMessage + `),
		d AS (INSERT INTO delivery (message_id, recipient_id, pull, delivered_at, mail, about_id) VALUES ($1, $16, $17, $18, $21, $22))
		UPDATE thread SET last_message = $1, message_count = $4, a_read = $19, b_read = $20 WHERE id = $3`
)

func (tx *Tx) insertMessage(m *parley.Message, t *parley.Thread, to []Recipient) {
	came := &tx.conn.Recent().came
	came.add(inThread, int64(t.ID))
	for _, r := range to {
		if r.Mail || r.About != 0 {
			came.add(inMail, int64(r.ID))
		}
	}
	var key any
	if m.Key != "" {
		key = m.Key
	}
	args := []any{int64(m.ID), int64(m.Team), int64(m.Thread), int64(m.N), int64(m.Prev), int64(m.Author), string(m.Kind),
		m.Body, m.Context, int64(m.Task), int64(m.Origin), key, int64(m.At), int64(m.Priority), int64(m.Question)}
	if len(to) == 1 && tx.conn.Engine() == PostgreSQL && !tx.conn.Gathers() {
		tx.exec(postToOne, append(args, int64(to[0].ID), flag(to[0].Pulls), int64(to[0].deliveredAt(tx)),
			int64(t.Read[0]), int64(t.Read[1]), flag(to[0].Mail), int64(to[0].About))...)
		return
	}
	tx.exec(insertMessage, args...)
	tx.conn.Hot().keepThread(*t)
	if tx.conn.Engine() == SQLite {
		tx.exec(putThread, int64(t.ID), int64(t.Channel), int64(t.Last), int64(t.Count), int64(t.First), int64(t.Read[0]), int64(t.Read[1]), flag(t.Kept))
	} else {
		tx.exec(appendToThread, int64(t.Last), int64(t.Count), int64(t.Read[0]), int64(t.Read[1]), int64(t.ID))
	}
	for _, r := range to {
		tx.conn.Hot().mailCame(r)
		tx.enlist(r, int64(m.ID))
		tx.exec(insertDelivery, int64(m.ID), int64(r.ID), flag(r.Pulls), int64(r.deliveredAt(tx)), flag(r.Mail), int64(r.About))
	}
}

// Recipient is an agent that a message is for.
type Recipient struct {
	ID parley.AgentID
	// Pulls is true of an agent that fetches its messages.
	Pulls bool
	// Delivered says that this transaction itself hands the message to the
	// recipient's runtime.
	Delivered bool
	// Mail is true of what starts no turn: the recipient's next turn shows it.
	Mail bool
	// About is the task whose running turn shows the mail between two steps; 0 if
	// none does.
	About parley.TaskID
}

// AnyTask stands in Recipient.About for every task of the recipient.
const AnyTask parley.TaskID = -1

func (r Recipient) deliveredAt(tx *Tx) parley.Micros {
	if r.Delivered {
		return tx.Now
	}
	return 0
}

const deliveryCols = `message_id, recipient_id, pull, delivered_at, seen_at, answered_at, mail`

func scanDelivery(r Row) parley.Delivery {
	return parley.Delivery{
		Message: parley.MessageID(r.Int(0)), Recipient: parley.AgentID(r.Int(1)), Pull: r.Int(2) != 0,
		Delivered: parley.Micros(r.Int(3)), Seen: parley.Micros(r.Int(4)), Answered: parley.Micros(r.Int(5)),
		Mail: r.Int(6) != 0,
	}
}

// Deliveries reads what became of a message at each recipient.
func (tx *Tx) Deliveries(id parley.MessageID) (list []parley.Delivery, err error) {
	err = tx.query(`SELECT `+deliveryCols+` FROM delivery WHERE message_id = $1 ORDER BY recipient_id`,
		func(r Row) { list = append(list, scanDelivery(r)) }, int64(id))
	return list, err
}

// Mail reads the messages that an agent has yet to fetch, oldest first.
func (tx *Tx) Mail(to parley.AgentID, limit int) (list []parley.Message, err error) {
	err = tx.query(`SELECT `+messageColsOfM+`
		, d.message_id FROM delivery /*list pull*/ d CROSS JOIN message m
		WHERE m.id = d.message_id AND d.recipient_id = $1 AND d.pull = 1 AND d.seen_at = 0 ORDER BY d.message_id LIMIT $2`,
		func(r Row) { list = append(list, scanMessage(r)) }, int64(to), int64(limit))
	return list, err
}

// InsertAttachment stores the full text of a message whose body is too short for it.
func (tx *Tx) InsertAttachment(id parley.MessageID, text string) {
	tx.exec(`INSERT INTO attachment (message_id, body) VALUES ($1, $2)`, int64(id), text)
}

// Attachment reads the full text of a message that has one.
func (tx *Tx) Attachment(id parley.MessageID) (text string, err error) {
	err = tx.one(`SELECT body FROM attachment WHERE message_id = $1`, func(r Row) { text = r.Text(0) }, int64(id))
	return text, err
}
