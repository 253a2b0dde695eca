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
	mu sync.Mutex
	// Of both there are two generations: when the young one is full it replaces the old
	// one, whose content is dropped. What is used goes back into the young one.
	young, old shelf
	ended      endings
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
	r.ended = endings{}
	if id == 0 {
		r.young, r.old = shelf{}, shelf{}
		return
	}
	r.young.remove(id)
	r.old.remove(id)
	if r.redacted == nil {
		r.redacted = map[parley.MessageID]bool{}
	}
	r.redacted[id] = true
}

// taskBytes is what a task takes besides its texts, roughly.
const taskBytes = 500

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
		list = append(list, m)
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
func (r *Recent) message(id parley.MessageID) (m parley.Message, ok bool) {
	if m, ok = r.young.get(id); ok {
		return m, true
	}
	if m, ok = r.old.get(id); ok {
		r.add(&m)
	}
	return m, ok
}

// add keeps a message, unless it would fill a generation by itself.
func (r *Recent) add(m *parley.Message) {
	limit, _ := r.generation()
	if r.redacted[m.ID] || shelfSize(m) > limit {
		return
	}
	if r.young.size+shelfSize(m) > limit {
		r.old, r.young = r.young, shelf{}
	}
	r.young.put(m)
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
		if !r.young.has(m.Prev) && !r.old.has(m.Prev) {
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
		r.ended.put(&t, limit)
	}
}

// endings are tasks that have ended, in two generations as well.
type endings struct {
	young, old map[parley.TaskID]*parley.Task
	size       int // of the young one
}

func (e *endings) get(id parley.TaskID) (*parley.Task, bool) {
	t, ok := e.young[id]
	if !ok {
		t, ok = e.old[id]
	}
	return t, ok
}

// put keeps a task, unless it would fill a generation by itself.
func (e *endings) put(t *parley.Task, limit int) {
	size := taskBytes + len(t.Title) + len(t.Error)
	if size > limit {
		return
	}
	if e.young == nil || e.size+size > limit {
		e.old, e.young, e.size = e.young, map[parley.TaskID]*parley.Task{}, 0
	}
	e.young[t.ID] = t
	e.size += size
}
