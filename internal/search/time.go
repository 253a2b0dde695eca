package search

import (
	"parley"
	"parley/internal/store"
)

// limitByTime finds the range of ids for the wanted time. Ids grow with time, so a
// binary search finds them. Where a document may be stored late, the range is widened
// on both sides, and the documents' own times are compared afterwards.
func (l *lookup) limitByTime(last int64) (err error) {
	if l.q.Kind != Messages { // other kinds carry a time before they were stored
		return nil
	}
	slack := parley.Micros(0)
	if l.tx.OutOfOrder() {
		slack = parley.Micros(store.LateAfter.Microseconds())
	}
	if l.q.Since != 0 {
		if l.first, err = l.firstAt(last, l.q.Since-slack); err != nil {
			return err
		}
	}
	if l.q.Until != 0 {
		l.end, err = l.firstAt(last, l.q.Until+slack)
	}
	return err
}

// firstAt is the first id from a moment on, or the one after the last.
func (l *lookup) firstAt(last int64, moment parley.Micros) (int64, error) {
	low, high := int64(1), last+1
	for low < high {
		middle := low + (high-low)/2
		id, at, err := l.tx.DocumentFrom(l.q.Kind, middle)
		if err != nil {
			return 0, err
		}
		if id == 0 || at >= moment {
			high = middle
		} else {
			low = id + 1
		}
	}
	return low, nil
}
