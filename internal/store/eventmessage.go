package store

import (
	"slices"

	"parley"
)

// MessageOf finds the message that was stored with an event. Several events may name a
// message; the one of its own transaction counts, which has its time.
func (tx *Tx) MessageOf(e parley.Event) (m parley.Message, ok bool, err error) {
	switch e.Kind {
	case parley.EventFailed:
		t, err := tx.Task(e.Task)
		if err != nil {
			return m, false, err
		}
		return tx.newest(t.Thread, func(m parley.Message) bool { return m.Kind == parley.FailureMessage && m.Task == t.ID })
	case parley.EventQuestionExpired, parley.EventQuestionFailed:
		id, err := parley.ParseQuestionID(e.Detail)
		if err != nil {
			return m, false, nil
		}
		dm, err := tx.DM(e.Target, e.Target)
		if err != nil {
			return m, false, err
		}
		return tx.newest(dm.Main, func(m parley.Message) bool { return m.Kind == parley.UnansweredMessage && m.Question == id })
	}
	if e.Message == 0 {
		return m, false, nil
	}
	m, err = tx.Message(e.Message)
	return m, m.At == e.At, err
}

// newest finds a message among the newest of a thread.
func (tx *Tx) newest(in parley.ThreadID, match func(parley.Message) bool) (m parley.Message, ok bool, err error) {
	thread, err := tx.Thread(in)
	if err != nil {
		return m, false, err
	}
	for from, left := thread.Last, 50; from != 0 && left > 0; {
		list, err := tx.Back(in, from, 0, min(left, 20)) // which is usually in memory
		if err != nil || len(list) == 0 {
			return m, false, err
		}
		if i := slices.IndexFunc(list, match); i >= 0 {
			return list[i], true, nil
		}
		from, left = list[len(list)-1].Prev, left-len(list)
	}
	return m, false, nil
}
