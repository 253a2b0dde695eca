package store

import (
	"slices"
	"sync"
	"sync/atomic"

	"parley"
)

// Recent caches what was stored or read lately and can no longer change: messages,
// and tasks that have ended. So whatever is here is right, even if other hubs work on
// the same database; whatever is not here must be read. An ongoing conversation finds
// its history here, and a waiter finds the end of its task. The zero value is empty
// and ready for use.
//
// It has many shelves, each with a lock of its own: a writer on whom everybody waits puts
// something here with every message, and should seldom wait for those who read.
type Recent struct {
	shelves [shelves]shelf
	limit   atomic.Int64 // bytes of everything; 0: the usual share

	mu sync.RWMutex
	// redacted are messages whose text was removed: a reader that loaded one just
	// before may still try to put it back.
	redacted map[parley.MessageID]bool

	came arrivals
}

const shelves = 16

// shelf holds conversations, by their threads, and tasks, by their own ids.
type shelf struct {
	mu            sync.Mutex
	conversations conversations
	ended         endings
}

func (r *Recent) shelf(id int64) *shelf { return &r.shelves[uint64(id)%shelves] }

// Limit sets how much is kept, in bytes.
func (r *Recent) Limit(bytes int) { r.limit.Store(int64(bytes)) }

// room is how much one shelf may hold. Ended tasks get a part of it for themselves: they are
// small, and a waiter needs the end of its task.
func (r *Recent) room() (messages, ended int) {
	limit := int(r.limit.Load())
	if limit == 0 {
		limit = Memory(0).Texts()
	}
	limit /= shelves
	ended = limit / 8
	return limit - ended, ended
}

// Forget drops everything when a message was redacted: nothing says in which conversation
// it was, and an ended task may quote it. That is seldom, and the rest is read again. 0 is
// for when it is not known which ones were redacted.
func (r *Recent) Forget(id parley.MessageID) {
	if id != 0 {
		r.mu.Lock()
		if r.redacted == nil {
			r.redacted = map[parley.MessageID]bool{}
		}
		r.redacted[id] = true
		r.mu.Unlock()
	}
	// Now nobody puts it back any more.
	for i := range r.shelves {
		r.shelves[i].clear()
	}
}

func (s *shelf) clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.conversations = conversations{}
	s.ended = endings{}
}

// withoutRedacted copies a list of messages but for those that were redacted.
func (r *Recent) withoutRedacted(list []parley.Message) []parley.Message {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return slices.DeleteFunc(slices.Clone(list), func(m parley.Message) bool { return r.redacted[m.ID] })
}

// taskBytes is what a task takes besides its texts, roughly.
const taskBytes = 500

// Back finds messages of a thread as Tx.Back does, as many as are cached. The rest
// must be read, starting with next; next is 0 if nothing is missing.
func (r *Recent) Back(in parley.ThreadID, from parley.MessageID, downTo, limit int) (list []parley.Message, next parley.MessageID) {
	if from == 0 || limit <= 0 {
		return nil, 0
	}
	s := r.shelf(int64(in))
	s.mu.Lock()
	defer s.mu.Unlock()
	x := s.conversations.use(in)
	if x == nil {
		return nil, from
	}
	return x.back(from, downTo, limit)
}

// Outcome finds an ended task and the text of its result.
func (r *Recent) Outcome(id parley.TaskID) (t parley.Task, text string, ok bool) {
	if t, ok = r.shelf(int64(id)).get(id); !ok || t.State != parley.Completed || t.Result == 0 {
		return t, "", ok
	}
	list, next := r.Back(t.Thread, t.Result, -1, 1)
	if next != 0 {
		return parley.Task{}, "", false
	}
	return t, list[0].Body, true
}

func (s *shelf) get(id parley.TaskID) (t parley.Task, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ended, ok := s.ended.get(id)
	if ok {
		t = *ended
	}
	return t, ok
}

// putRead takes messages of a thread that were read, the newest first.
func (r *Recent) putRead(list []parley.Message) {
	if len(list) == 0 {
		return
	}
	most, _ := r.room()
	s := r.shelf(int64(list[0].Thread))
	s.mu.Lock()
	defer s.mu.Unlock()
	// Under the lock, or it could be put back after Forget was here.
	if list = r.withoutRedacted(list); len(list) > 0 {
		s.conversations.change(list[0].Thread, most, func(x *excerpt) { x.insert(list) })
	}
}

// putPosted takes a new message. A notification is kept only if the conversation is:
// nobody may read it for a long time, and many of them would push out what is in use.
func (r *Recent) putPosted(m *parley.Message) {
	most, _ := r.room()
	s := r.shelf(int64(m.Thread))
	s.mu.Lock()
	defer s.mu.Unlock()
	if m.Kind != parley.NotificationMessage || s.conversations.excerpts[m.Thread] != nil {
		s.conversations.change(m.Thread, most, func(x *excerpt) { x.add(m) })
	}
}

func (r *Recent) putEnded(list []parley.Task) {
	_, most := r.room()
	for _, t := range list { // a copy each, or one task would keep the whole list
		s := r.shelf(int64(t.ID))
		s.mu.Lock()
		s.ended.put(&t, most)
		s.mu.Unlock()
	}
}

// conversations are excerpts, by thread, in the order in which they were used. Those that
// nobody has used for longest go first.
type conversations struct {
	excerpts       map[parley.ThreadID]*excerpt
	oldest, newest *excerpt
	size           int
}

// use finds a conversation; nil if it is not there.
func (c *conversations) use(in parley.ThreadID) *excerpt {
	x := c.excerpts[in]
	if x != nil && x != c.newest {
		c.unlink(x)
		c.link(x)
	}
	return x
}

// change changes a conversation, or begins one, and drops others until all of them take at
// most so many bytes. One that would take all of that by itself is dropped instead.
func (c *conversations) change(in parley.ThreadID, most int, do func(*excerpt)) {
	x := c.use(in)
	if x == nil {
		x = c.begin(in)
	}
	c.size -= x.size()
	do(x)
	c.size += x.size()
	if x.size() > most {
		c.drop(x)
	}
	for c.size > most {
		c.drop(c.oldest)
	}
}

func (c *conversations) begin(in parley.ThreadID) *excerpt {
	if c.excerpts == nil {
		c.excerpts = map[parley.ThreadID]*excerpt{}
	}
	x := &excerpt{thread: in}
	c.excerpts[in] = x
	c.link(x)
	c.size += x.size()
	return x
}

func (c *conversations) drop(x *excerpt) {
	delete(c.excerpts, x.thread)
	c.unlink(x)
	c.size -= x.size()
}

// link makes an excerpt the newest.
func (c *conversations) link(x *excerpt) {
	x.older, x.newer = c.newest, nil
	if c.newest != nil {
		c.newest.newer = x
	} else {
		c.oldest = x
	}
	c.newest = x
}

func (c *conversations) unlink(x *excerpt) {
	if x.older != nil {
		x.older.newer = x.newer
	} else {
		c.oldest = x.newer
	}
	if x.newer != nil {
		x.newer.older = x.older
	} else {
		c.newest = x.older
	}
}

// endings are tasks that have ended, in two generations: when the young one is full it
// replaces the old one, whose content is dropped. A waiter looks once, and soon.
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

// put keeps a task, unless it would fill a generation by itself. The limit is that of both.
func (e *endings) put(t *parley.Task, limit int) {
	limit /= 2
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
