package store

import (
	"cmp"
	"slices"

	"parley"
)

// Marks record what became of messages and how far agents have read. Two turns of one
// agent in one thread mark each other's messages. All marks of a transaction are
// therefore written at its end and sorted, so that every transaction locks their rows
// in the same order.
type marks struct {
	deliveries []deliveryMark
	readings   []readingMark
	groups     []groupMark
}

type deliveryMark struct {
	message   parley.MessageID
	recipient parley.AgentID
	state     deliveryState
}

// deliveryState is what became of a message; each state includes the ones before it.
type deliveryState int

const (
	delivered deliveryState = iota
	seen
	answered
)

type readingMark struct {
	thread parley.ThreadID
	agent  parley.AgentID
	n      int
}

type groupMark struct {
	channel parley.ChannelID
	agent   parley.AgentID
	n       int
	own     bool // the agent's own message: counts only if everything before it was read
}

// MarkDelivered records that a message was given to the recipient's runtime.
func (tx *Tx) MarkDelivered(id parley.MessageID, to parley.AgentID) { tx.mark(id, to, delivered) }

// MarkSeen records that a message was seen, and so delivered too.
func (tx *Tx) MarkSeen(id parley.MessageID, by parley.AgentID) { tx.mark(id, by, seen) }

func (tx *Tx) MarkAnswered(id parley.MessageID, by parley.AgentID) { tx.mark(id, by, answered) }

func (tx *Tx) mark(id parley.MessageID, recipient parley.AgentID, state deliveryState) {
	tx.wrote = true
	tx.marks.deliveries = append(tx.marks.deliveries, deliveryMark{id, recipient, state})
}

// SetRead moves an agent's read position in a thread forward, never back.
func (tx *Tx) SetRead(thread parley.ThreadID, by parley.AgentID, n int) {
	tx.wrote = true
	tx.marks.readings = append(tx.marks.readings, readingMark{thread, by, n})
}

// takeReadings moves the read positions of a thread into its row, which is about to
// be written anyway.
func (tx *Tx) takeReadings(t *parley.Thread) {
	tx.marks.readings = slices.DeleteFunc(tx.marks.readings, func(r readingMark) bool {
		if r.thread == t.ID {
			t.SetRead(r.agent, r.n)
		}
		return r.thread == t.ID
	})
}

// writeMarks writes the marks that were deferred to the end.
func (tx *Tx) writeMarks() {
	slices.SortFunc(tx.marks.readings, func(a, b readingMark) int {
		return cmp.Or(cmp.Compare(a.thread, b.thread), cmp.Compare(a.agent, b.agent), cmp.Compare(a.n, b.n))
	})
	for _, r := range tx.marks.readings {
		tx.conn.Hot().forgetThread(r.thread)
		tx.exec(`UPDATE thread SET
				a_read = CASE WHEN a_id = $2 AND a_read < $3 THEN $3 ELSE a_read END,
				b_read = CASE WHEN a_id <> $2 AND b_read < $3 THEN $3 ELSE b_read END
			WHERE id = $1 /*later alone*/`, int64(r.thread), int64(r.agent), int64(r.n))
	}
	slices.SortFunc(tx.marks.groups, func(a, b groupMark) int {
		return cmp.Or(cmp.Compare(a.channel, b.channel), cmp.Compare(a.agent, b.agent), cmp.Compare(a.n, b.n))
	})
	for _, g := range tx.marks.groups {
		least := 0
		if g.own {
			least = g.n - 1
		}
		tx.exec(`UPDATE member SET read_n = $3 WHERE channel_id = $1 AND agent_id = $2 AND read_n < $3 AND read_n >= $4`,
			int64(g.channel), int64(g.agent), int64(g.n), int64(least))
	}
	slices.SortFunc(tx.marks.deliveries, func(a, b deliveryMark) int {
		return cmp.Or(cmp.Compare(a.message, b.message), cmp.Compare(a.recipient, b.recipient), cmp.Compare(b.state, a.state))
	})
	for i, d := range tx.marks.deliveries {
		if i > 0 && tx.marks.deliveries[i-1].message == d.message && tx.marks.deliveries[i-1].recipient == d.recipient {
			continue // the mark just written includes it
		}
		tx.conn.Hot().mailSeen(d.recipient)
		if d.state >= seen {
			tx.delist(int64(d.recipient), int64(d.message))
		}
		tx.exec(laterMarks[d.state], int64(tx.Now), int64(d.message), int64(d.recipient))
	}
	tx.marks = marks{}
}

var markStatements = [...]string{
	delivered: `UPDATE delivery SET delivered_at = $1 WHERE message_id = $2 AND recipient_id = $3 AND delivered_at = 0`,
	seen: `UPDATE delivery SET seen_at = $1, delivered_at = CASE WHEN delivered_at = 0 THEN $1 ELSE delivered_at END
		WHERE message_id = $2 AND recipient_id = $3 AND seen_at = 0`,
	answered: `UPDATE delivery SET answered_at = $1,
		delivered_at = CASE WHEN delivered_at = 0 THEN $1 ELSE delivered_at END,
		seen_at = CASE WHEN seen_at = 0 THEN $1 ELSE seen_at END
		WHERE message_id = $2 AND recipient_id = $3 AND answered_at = 0`,
}

// laterMarks are the same, for marks whose rows nobody waits to be told of.
var laterMarks = [...]string{
	delivered: markStatements[delivered] + ` /*later*/`,
	seen:      markStatements[seen] + ` /*later*/`,
	answered:  markStatements[answered] + ` /*later*/`,
}
