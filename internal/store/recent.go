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

// shelf holds conversations, by their threads, and tasks, by their own ids. Of both there are
// two generations: when the young one is full it replaces the old one, whose content is
// dropped. What is used goes back into the young one.
type shelf struct {
	mu         sync.Mutex
	young, old conversations
	ended      endings
}

func (r *Recent) shelf(id int64) *shelf { return &r.shelves[uint64(id)%shelves] }

// Limit sets how much is kept, in bytes.
func (r *Recent) Limit(bytes int) { r.limit.Store(int64(bytes)) }

// generation is how much one of two generations may hold on one shelf. Ended tasks get a
// part of it for themselves: they are small, and a waiter needs the end of its task.
func (r *Recent) generation() (messages, ended int) {
	limit := int(r.limit.Load())
	if limit == 0 {
		limit = Memory(0).Texts()
	}
	limit /= 2 * shelves
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
	s.young, s.old = conversations{}, conversations{}
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
	most, _ := r.generation()
	s := r.shelf(int64(in))
	s.mu.Lock()
	defer s.mu.Unlock()
	x := s.use(in, most)
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

// use finds a conversation, and keeps it for another generation. It is nil if there is
// none.
func (s *shelf) use(in parley.ThreadID, most int) *excerpt {
	if x := s.young.excerpts[in]; x != nil {
		return x
	}
	x := s.old.take(in)
	if x != nil {
		s.keep(in, x, most)
	}
	return x
}

// take takes a conversation out, to be changed and kept.
func (s *shelf) take(in parley.ThreadID) *excerpt {
	if x := s.young.take(in); x != nil {
		return x
	}
	return s.old.take(in)
}

// keep puts a conversation into the young generation, which may hold so much, unless it
// would fill it by itself.
func (s *shelf) keep(in parley.ThreadID, x *excerpt, most int) {
	if x.size() > most {
		return
	}
	if s.young.size+x.size() > most {
		s.old, s.young = s.young, conversations{}
	}
	s.young.put(in, x)
}

// putRead takes messages of a thread that were read, the newest first.
func (r *Recent) putRead(list []parley.Message) {
	if len(list) == 0 {
		return
	}
	most, _ := r.generation()
	in := list[0].Thread
	s := r.shelf(int64(in))
	s.mu.Lock()
	defer s.mu.Unlock()
	// Under the lock, or it could be put back after Forget was here.
	if list = r.withoutRedacted(list); len(list) == 0 {
		return
	}
	x := s.take(in)
	if x == nil {
		x = &excerpt{}
	}
	x.insert(list)
	s.keep(in, x, most)
}

// putPosted takes a new message. A notification is kept only if the conversation is:
// nobody may read it for a long time, and many of them would push out what is in use.
func (r *Recent) putPosted(m *parley.Message) {
	most, _ := r.generation()
	s := r.shelf(int64(m.Thread))
	s.mu.Lock()
	defer s.mu.Unlock()
	x := s.take(m.Thread)
	if x == nil {
		if m.Kind == parley.NotificationMessage {
			return
		}
		x = &excerpt{}
	}
	x.add(m)
	s.keep(m.Thread, x, most)
}

func (r *Recent) putEnded(list []parley.Task) {
	_, most := r.generation()
	for _, t := range list { // a copy each, or one task would keep the whole list
		s := r.shelf(int64(t.ID))
		s.mu.Lock()
		s.ended.put(&t, most)
		s.mu.Unlock()
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
