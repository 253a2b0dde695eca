package store

import (
	"sync"

	"parley"
)

// Recent keeps messages that were written or read lately. A stored message
// never changes, so what is here is right; a conversation that goes on finds its
// history here instead of reading it again for every turn.
//
// It holds two generations: when the young one is full it becomes the old one,
// and what nobody asked for in the meantime is gone. The zero value is empty and
// ready for use.
type Recent struct {
	mu         sync.Mutex
	young, old map[parley.MessageID]parley.Message
	bytes      int // of the young
}

// generationBytes bounds one generation; there are two.
const generationBytes = 16 << 20

// get finds a message and keeps it for another generation.
func (r *Recent) get(id parley.MessageID) (parley.Message, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if m, ok := r.young[id]; ok {
		return m, true
	}
	m, ok := r.old[id]
	if ok {
		r.add(m)
	}
	return m, ok
}

func (r *Recent) put(m parley.Message) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.add(m)
}

func (r *Recent) add(m parley.Message) {
	if r.young == nil || r.bytes > generationBytes {
		r.old, r.young, r.bytes = r.young, map[parley.MessageID]parley.Message{}, 0
	}
	r.young[m.ID] = m
	r.bytes += 200 + len(m.Body) + len(m.Context)
}
