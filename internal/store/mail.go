package store

import (
	"slices"

	"parley"
)

// Unread mail is read through a list of its own, "mail = 1 AND seen_at = 0", and what
// running turns are shown through another (List).

// hasMail is the beginning of a column that says whether somebody has unread mail. It
// rides on statements that are made anyway, so that nobody without mail pays for it. It looks
// for one row, since an EXISTS lets PostgreSQL read all unread mail when many ask at once.
const hasMail = `COALESCE((SELECT 1 FROM delivery /*list mail*/ d WHERE d.mail = 1 AND d.seen_at = 0 AND d.recipient_id `

// orNone ends such a column.
const orNone = ` LIMIT 1), 0)`

// mailAbout is true of unread mail for $1 about the task $2, or about any.
const mailAbout = `d.recipient_id = $1 AND d.about_id IN ($2, -1) AND d.about_id <> 0 AND d.seen_at = 0`

// MailFilter picks unread mail.
type MailFilter struct {
	To     parley.AgentID
	Except parley.ThreadID  // not of this thread; 0 leaves none out
	Within parley.ChannelID // only of this dm; 0 is all
	After  parley.MessageID
	// Longest leaves out texts with more characters; 0 leaves none out.
	Longest int
	Limit   int
}

// UnreadMail reads unread mail, oldest first.
func (tx *Tx) UnreadMail(f MailFilter) (list []parley.Message, err error) {
	longest := f.Longest
	if longest == 0 {
		longest = 1 << 40
	}
	err = tx.query(`SELECT `+messageColsOfM+`, d.message_id`+unreadMail+`
		AND d.message_id > $4 AND length(m.body) + length(m.context) <= $5 ORDER BY d.message_id LIMIT $6`,
		func(r Row) { list = append(list, scanMessage(r)) },
		int64(f.To), int64(f.Except), int64(f.Within), int64(f.After), int64(longest), int64(f.Limit))
	return list, err
}

// CROSS JOIN keeps SQLite from starting with all messages.
const unreadMail = ` FROM delivery /*list mail*/ d CROSS JOIN message m CROSS JOIN thread t
	WHERE d.recipient_id = $1 AND d.mail = 1 AND d.seen_at = 0 AND m.id = d.message_id AND t.id = m.thread_id
	AND m.thread_id <> $2 AND ($3 = 0 OR t.channel_id = $3)`

// MailSenders reads how much unread mail there is, and who sent it, by id.
func (tx *Tx) MailSenders(f MailFilter) (count int, from []parley.AgentID, err error) {
	err = tx.query(`SELECT m.author_id, count(*)`+unreadMail+` AND d.message_id > $4 GROUP BY m.author_id ORDER BY m.author_id`, func(r Row) {
		from = append(from, parley.AgentID(r.Int(0)))
		count += int(r.Int(1))
	}, int64(f.To), int64(f.Except), int64(f.Within), int64(f.After))
	return count, from, err
}

// MailAbout reads unread mail about a task that is being worked on, or about any,
// oldest first, without that of its own thread.
func (tx *Tx) MailAbout(of parley.AgentID, task parley.TaskID, except parley.ThreadID, limit int) (list []parley.Message, err error) {
	err = tx.query(`SELECT `+messageColsOfM+` FROM delivery /*list about*/ d CROSS JOIN message m
		WHERE `+mailAbout+` AND m.id = d.message_id AND m.thread_id <> $3 ORDER BY m.id LIMIT $4`,
		func(r Row) { list = append(list, scanMessage(r)) }, int64(of), int64(task), int64(except), int64(limit))
	return list, err
}

// MailNote is a piece of mail without what it says.
type MailNote struct {
	ID     parley.MessageID
	From   parley.AgentID
	Urgent bool // a person said so
}

// MailNotes is MailAbout without what the mail says, and newest first: what is told of
// stays unread, so the oldest would soon be all that there is.
func (tx *Tx) MailNotes(of parley.AgentID, task parley.TaskID, except parley.ThreadID, limit int) (list []MailNote, err error) {
	err = tx.query(`SELECT m.id, m.author_id, d.about_id FROM delivery /*list about*/ d CROSS JOIN message m
		WHERE `+mailAbout+` AND m.id = d.message_id AND m.thread_id <> $3 ORDER BY m.id DESC LIMIT $4`,
		func(r Row) {
			list = append(list, MailNote{parley.MessageID(r.Int(0)), parley.AgentID(r.Int(1)), parley.TaskID(r.Int(2)) == AnyTask})
		}, int64(of), int64(task), int64(except), int64(limit))
	return list, err
}

// TakeMail marks messages as seen at once and returns those that nobody had seen: of
// two transactions that take the same, the second waits and does not get it. All that
// the transaction marks as seen has to be among them, so that every transaction locks
// deliveries in the order of their messages. The lock of a thread comes before.
func (tx *Tx) TakeMail(ids []parley.MessageID, by parley.AgentID) (fresh []parley.MessageID, err error) {
	tx.wrote = true
	ids = slices.Clone(ids)
	slices.Sort(ids)
	var qs []Query
	for _, id := range slices.Compact(ids) {
		tx.delist(int64(by), int64(id))
		qs = append(qs, Query{SQL: markStatements[seen] + ` RETURNING message_id`, Args: []any{int64(tx.Now), int64(id), int64(by)},
			Row: func(r Row) { fresh = append(fresh, parley.MessageID(r.Int(0))) }})
	}
	err = tx.conn.Query(qs...)
	return fresh, err
}

// Unread is how much an agent has not read, and since when.
type Unread struct {
	Count int
	Since parley.Micros
}

// Unread counts what the agents of a team have not read: their mail, and what clients
// have yet to fetch. People have their inbox.
func (tx *Tx) Unread(team parley.TeamID) (map[parley.AgentID]Unread, error) {
	out := map[parley.AgentID]Unread{}
	for _, which := range [][2]string{{"mail", "d.mail = 1"}, {"pull", "a.kind = 'client' AND d.pull = 1"}} {
		err := tx.query(`SELECT d.recipient_id, count(*), min(m.at) FROM agent a CROSS JOIN delivery /*list `+which[0]+`*/ d CROSS JOIN message m
			WHERE a.team_id = $1 AND d.recipient_id = a.id AND `+which[1]+` AND d.seen_at = 0 AND m.id = d.message_id
			GROUP BY d.recipient_id`, func(r Row) {
			out[parley.AgentID(r.Int(0))] = Unread{Count: int(r.Int(1)), Since: parley.Micros(r.Int(2))}
		}, int64(team))
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}
