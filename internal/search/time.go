package search

import (
	"parley"
	"parley/internal/store"
)

// bound finds the ids that lie in the time asked for. Ids grow with time, so
// halving finds them; where a document may be stored late, there is room on both
// sides, and the documents themselves are compared afterwards.
func (l *lookup) bound(last int64) (err error) {
	if l.q.Kind != Messages { // others tell of a time before they were stored
		return nil
	}
	room := parley.Micros(0)
	if l.tx.OutOfOrder() {
		room = parley.Micros(store.LateAfter.Microseconds())
	}
	if l.q.Since != 0 {
		if l.first, err = l.firstAt(last, l.q.Since-room); err != nil {
			return err
		}
	}
	if l.q.Until != 0 {
		l.behind, err = l.firstAt(last, l.q.Until+room)
	}
	return err
}

// firstAt is the first id from a moment on, or the one behind the last.
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
