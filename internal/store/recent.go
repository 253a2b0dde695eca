package store

import (
	"sync"

	"parley"
)

// Recent caches what was stored or read lately and can no longer change: messages,
// and tasks that have ended. So whatever is here is right, even if other hubs work on
// the same database; whatever is not here must be read. An ongoing conversation finds
// its history here, and a waiter finds the end of its task. The zero value is empty
// and ready for use.
type Recent struct {
	mu       sync.Mutex
	messages generations[parley.MessageID, *parley.Message]
	ended    generations[parley.TaskID, *parley.Task]
	// redacted are messages whose text was removed: a reader that loaded one just
	// before may still try to put it back.
	redacted map[parley.MessageID]bool
	limit    int // bytes of both generations; 0: the usual share
}

// Limit sets how much is kept, in bytes.
func (r *Recent) Limit(bytes int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.limit = bytes
}

// generation is how much one of two generations may hold. Ended tasks get a part of it
// for themselves: they are small, and a waiter needs the end of its task.
func (r *Recent) generation() (messages, ended int) {
	limit := r.limit
	if limit == 0 {
		limit = Memory(0).Texts()
	}
	ended = limit / 2 / 8
	return limit/2 - ended, ended
}

// Forget drops a redacted message, and all ended tasks, since one of them may quote
// it. 0 drops all messages, for when it is not known which ones were redacted.
func (r *Recent) Forget(id parley.MessageID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ended = generations[parley.TaskID, *parley.Task]{}
	if id == 0 {
		r.messages = generations[parley.MessageID, *parley.Message]{}
		return
	}
	delete(r.messages.young, id)
	delete(r.messages.old, id)
	if r.redacted == nil {
		r.redacted = map[parley.MessageID]bool{}
	}
	r.redacted[id] = true
}

// What a message and a task take besides their texts, roughly.
const (
	messageBytes = 250
	taskBytes    = 500
)

// Back finds messages of a thread as Tx.Back does, as many as are cached. The rest
// must be read, starting with next; next is 0 if nothing is missing.
func (r *Recent) Back(from parley.MessageID, downTo, limit int) (list []parley.Message, next parley.MessageID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for next = from; next != 0 && len(list) < limit; {
		m, ok := r.message(next)
		if !ok {
			return list, next
		}
		if m.N <= downTo {
			return list, 0
		}
		if list == nil {
			list = make([]parley.Message, 0, min(limit, m.N-downTo))
		}
		list = append(list, *m)
		next = m.Prev
	}
	return list, 0
}

// Outcome finds an ended task and the text of its result.
func (r *Recent) Outcome(id parley.TaskID) (t parley.Task, text string, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	ended, ok := r.ended.get(id)
	if !ok {
		return t, "", false
	}
	if ended.State != parley.Completed || ended.Result == 0 {
		return *ended, "", true
	}
	m, ok := r.message(ended.Result)
	if !ok {
		return t, "", false
	}
	return *ended, m.Body, true
}

// message finds a message and keeps it for another generation.
func (r *Recent) message(id parley.MessageID) (*parley.Message, bool) {
	m, young := r.messages.young[id]
	if young {
		return m, true
	}
	m, ok := r.messages.old[id]
	if ok {
		r.add(m)
	}
	return m, ok
}

func (r *Recent) add(m *parley.Message) {
	if r.redacted[m.ID] {
		return
	}
	limit, _ := r.generation()
	r.messages.put(m.ID, m, messageBytes+len(m.Body)+len(m.Context), limit)
}

func (r *Recent) put(m parley.Message) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.add(&m)
}

// putPosted takes a new message. A notification is kept only if the message before it
// is: nobody may read it for a long time, and many of them would push out what is in
// use.
func (r *Recent) putPosted(m parley.Message) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if m.Kind == parley.NotificationMessage {
		if _, ok := r.messages.get(m.Prev); !ok {
			return
		}
	}
	r.add(&m)
}

func (r *Recent) putEnded(list []parley.Task) {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, limit := r.generation()
	for _, t := range list { // a copy each, or one task would keep the whole list
		r.ended.put(t.ID, &t, taskBytes+len(t.Title)+len(t.Error), limit)
	}
}

// generations holds two: when the young one is full it replaces the old one, whose
// content is dropped. What would fill a generation by itself is not kept at all.
type generations[K comparable, V any] struct {
	young, old map[K]V
	size       int // of the young one
}

func (g *generations[K, V]) get(k K) (V, bool) {
	v, ok := g.young[k]
	if !ok {
		v, ok = g.old[k]
	}
	return v, ok
}

func (g *generations[K, V]) put(k K, v V, size, limit int) {
	if size > limit {
		return
	}
	if g.young == nil || g.size+size > limit {
		g.old, g.young, g.size = g.young, map[K]V{}, 0
	}
	g.young[k] = v
	g.size += size
}
