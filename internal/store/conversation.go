package store

import (
	"cmp"
	"slices"

	"parley"
)

// What a page of a conversation shows of its messages, read for all of them at once.

// onwardSpan is how many ids after a message are searched for those that follow it.
const onwardSpan = 50_000

// Onward reads at most limit messages that follow the given one in its thread, oldest
// first. Messages are linked backwards, so these are searched among the next ids: it may
// find fewer than there are, but leaves none out between those that it finds.
func (tx *Tx) Onward(from parley.Message, limit int) (list []parley.Message, err error) {
	// Hubs draw ids in blocks, so one that follows may have a lower id.
	err = tx.query(`SELECT `+messageCols+` FROM message WHERE id > $1 AND id < $2 AND thread_id = $3 AND n > $4 AND n <= $5`,
		func(r Row) { list = append(list, scanMessage(r)) },
		int64(from.ID)-onwardSpan/10, int64(from.ID)+onwardSpan, int64(from.Thread), int64(from.N), int64(from.N+limit))
	slices.SortFunc(list, func(a, b parley.Message) int { return cmp.Compare(a.N, b.N) })
	for i, m := range list {
		if m.N != from.N+1+i {
			return list[:i], err
		}
	}
	return list, err
}

// DeliveriesOf reads what became of messages at each recipient.
func (tx *Tx) DeliveriesOf(ids []parley.MessageID) (of map[parley.MessageID][]parley.Delivery, err error) {
	of = map[parley.MessageID][]parley.Delivery{}
	err = tx.queryIDs(`SELECT `+deliveryCols+` FROM delivery WHERE message_id IN (`+idPlaceholders+`) ORDER BY message_id, recipient_id`,
		numbers(ids), func(r Row) {
			d := scanDelivery(r)
			of[d.Message] = append(of[d.Message], d)
		})
	return of, err
}

// AttachmentsOf reads how long the whole texts of messages are, in bytes, of those that
// have one.
func (tx *Tx) AttachmentsOf(ids []parley.MessageID) (of map[parley.MessageID]int, err error) {
	of = map[parley.MessageID]int{}
	err = tx.queryIDs(`SELECT message_id, octet_length(body) FROM attachment WHERE message_id IN (`+idPlaceholders+`)`,
		numbers(ids), func(r Row) { of[parley.MessageID(r.Int(0))] = int(r.Int(1)) })
	return of, err
}

// TasksOf reads tasks by id.
func (tx *Tx) TasksOf(ids []parley.TaskID) (of map[parley.TaskID]parley.Task, err error) {
	of = map[parley.TaskID]parley.Task{}
	err = tx.queryIDs(`SELECT `+taskCols+` FROM task WHERE id IN (`+idPlaceholders+`)`,
		numbers(ids), func(r Row) { t := scanTask(r); of[t.ID] = t })
	return of, err
}

// MentionTasks reads the tasks that mentions in messages have opened.
func (tx *Tx) MentionTasks(ids []parley.MessageID) (of map[parley.MessageID][]parley.Task, err error) {
	of = map[parley.MessageID][]parley.Task{}
	err = tx.queryIDs(`SELECT `+taskCols+` FROM task WHERE request_id IN (`+idPlaceholders+`) AND pattern = 'mention' ORDER BY id`,
		numbers(ids), func(r Row) { t := scanTask(r); of[t.Request] = append(of[t.Request], t) })
	return of, err
}

func numbers[T ~int64](ids []T) []int64 {
	out := make([]int64, len(ids))
	for i, id := range ids {
		out[i] = int64(id)
	}
	return out
}
