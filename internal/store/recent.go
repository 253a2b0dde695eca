package store

import (
	"slices"
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
	young, old conversations
	ended      endings
	// redacted are messages whose text was removed: a reader that loaded one just
	// before may still try to put it back.
	redacted map[parley.MessageID]bool
	limit    int // bytes of both generations; 0: the usual share

	came arrivals
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

// Forget drops everything when a message was redacted: nothing says in which conversation
// it was, and an ended task may quote it. That is seldom, and the rest is read again. 0 is
// for when it is not known which ones were redacted.
func (r *Recent) Forget(id parley.MessageID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ended = endings{}
	r.young, r.old = conversations{}, conversations{}
	if id == 0 {
		return
	}
	if r.redacted == nil {
		r.redacted = map[parley.MessageID]bool{}
	}
	r.redacted[id] = true
}

// taskBytes is what a task takes besides its texts, roughly.
const taskBytes = 500

// Back finds messages of a thread as Tx.Back does, as many as are cached. The rest
// must be read, starting with next; next is 0 if nothing is missing.
func (r *Recent) Back(in parley.ThreadID, from parley.MessageID, downTo, limit int) (list []parley.Message, next parley.MessageID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.back(in, from, downTo, limit)
}

func (r *Recent) back(in parley.ThreadID, from parley.MessageID, downTo, limit int) (list []parley.Message, next parley.MessageID) {
	if from == 0 || limit <= 0 {
		return nil, 0
	}
	x := r.use(in)
	if x == nil {
		return nil, from
	}
	return x.back(from, downTo, limit)
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
	list, next := r.back(ended.Thread, ended.Result, -1, 1)
	if next != 0 {
		return t, "", false
	}
	return *ended, list[0].Body, true
}

// use finds a conversation, and keeps it for another generation. It is nil if there is
// none.
func (r *Recent) use(in parley.ThreadID) *excerpt {
	if x := r.young.excerpts[in]; x != nil {
		return x
	}
	x := r.old.take(in)
	if x != nil {
		r.keep(in, x)
	}
	return x
}

// take takes a conversation out, to be changed and kept.
func (r *Recent) take(in parley.ThreadID) *excerpt {
	if x := r.young.take(in); x != nil {
		return x
	}
	return r.old.take(in)
}

// keep puts a conversation into the young generation, unless it would fill it by itself.
func (r *Recent) keep(in parley.ThreadID, x *excerpt) {
	limit, _ := r.generation()
	if x.size() > limit {
		return
	}
	if r.young.size+x.size() > limit {
		r.old, r.young = r.young, conversations{}
	}
	r.young.put(in, x)
}

// putRead takes messages of a thread that were read, the newest first.
func (r *Recent) putRead(list []parley.Message) {
	r.mu.Lock()
	defer r.mu.Unlock()
	list = slices.DeleteFunc(slices.Clone(list), func(m parley.Message) bool { return r.redacted[m.ID] })
	if len(list) == 0 {
		return
	}
	in := list[0].Thread
	x := r.take(in)
	if x == nil {
		x = &excerpt{}
	}
	x.insert(list)
	r.keep(in, x)
}

// putPosted takes a new message. A notification is kept only if the conversation is:
// nobody may read it for a long time, and many of them would push out what is in use.
func (r *Recent) putPosted(m *parley.Message) {
	r.mu.Lock()
	defer r.mu.Unlock()
	x := r.take(m.Thread)
	if x == nil {
		if m.Kind == parley.NotificationMessage {
			return
		}
		x = &excerpt{}
	}
	x.add(m)
	r.keep(m.Thread, x)
}

func (r *Recent) putEnded(list []parley.Task) {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, limit := r.generation()
	for _, t := range list { // a copy each, or one task would keep the whole list
		r.ended.put(&t, limit)
	}
}

// conversations are excerpts, by thread.
type conversations struct {
	excerpts map[parley.ThreadID]*excerpt
	size     int
}

func (c *conversations) put(in parley.ThreadID, x *excerpt) {
	if c.excerpts == nil {
		c.excerpts = map[parley.ThreadID]*excerpt{}
	}
	c.excerpts[in] = x
	c.size += x.size()
}

func (c *conversations) take(in parley.ThreadID) *excerpt {
	x := c.excerpts[in]
	if x != nil {
		c.size -= x.size()
		delete(c.excerpts, in)
	}
	return x
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
