package sqlite

import (
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"parley/internal/store"
)

// tail is the part of the lists that is in memory: what has come to each owner and is not
// yet in the table "listing". The writer alone changes it, readers look at it through
// listing_tail.
//
// What is in memory only says where to look. Each reader joins it with the rows of its
// own snapshot, so an id of a row that it does not see yet does no harm. An id that has
// left must stay until no reader is left whose snapshot is older: retired are those that
// wait for that.
type tail struct {
	mu    sync.RWMutex
	lists [store.ListCount]tailList

	// commits counts those of the writer. A reader that notes it before it begins
	// sees at least so many of them.
	commits atomic.Uint64
	readers []*atomic.Uint64 // 0, or one more than what was noted

	journal []change // of the transaction that runs
	gone    map[entry]uint64
	retired []retirement
}

// tailList is one list.
type tailList struct {
	owners map[int64][]int64 // ids in ascending order, never changed in place
	mark   mark
	last   int64   // the greatest id that was added, or could have been
	live   int     // ids that are in no table
	todo   []int64 // the owners that the pass has yet to come to, in their order
}

// mark says which ids are in the table: those up to upto, and during a pass those up to
// next of owners up to owner. In between nothing passes, and both are the same.
type mark struct{ upto, next, owner int64 }

// stored tells whether an id belongs into the table.
func (m mark) stored(owner, id int64) bool {
	if owner <= m.owner {
		return id <= m.next
	}
	return id <= m.upto
}

func (m mark) passing() bool { return m.next > m.upto }

type entry struct {
	list      store.List
	owner, id int64
}

type change struct {
	entry
	added bool   // or else it has left, or come back
	was   uint64 // in gone
}

// pending is the number of a commit that is yet to come.
const pending = math.MaxUint64

// retirement is an id, or all up to it, that may go when nobody needs it.
type retirement struct {
	entry
	commit uint64
	all    bool
}

func newTail() *tail {
	t := &tail{gone: map[entry]uint64{}}
	for i := range t.lists {
		t.lists[i].owners = map[int64][]int64{}
	}
	return t
}

// of gives the ids of an owner. The slice is not changed any more.
func (t *tail) of(list store.List, owner int64) []int64 {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.lists[list].owners[owner]
}

// ownersOf gives the owners that have any ids, in their order.
func (t *tail) ownersOf(list store.List) (owners []int64) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	for owner := range t.lists[list].owners {
		owners = append(owners, owner)
	}
	slices.Sort(owners)
	return owners
}

// set replaces the ids of an owner.
func (t *tail) set(list store.List, owner int64, ids []int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(ids) == 0 {
		delete(t.lists[list].owners, owner)
		return
	}
	t.lists[list].owners[owner] = ids
}

// load adds an id that is on record, while the store is opened.
func (t *tail) load(list store.List, owner, id int64) {
	l := &t.lists[list]
	l.owners[owner] = append(l.owners[owner], id)
	l.last = max(l.last, id)
	l.live++
}

// resume goes on with the passes that were under way when the store was closed.
func (t *tail) resume() {
	for list := range t.lists {
		if l := &t.lists[list]; l.mark.passing() {
			l.todo = slices.DeleteFunc(t.ownersOf(store.List(list)), func(owner int64) bool { return owner <= l.mark.owner })
		}
	}
}

// add adds an id, unless it belongs into the table: then the caller puts it there.
func (t *tail) add(list store.List, owner, id int64) (stored bool) {
	l := &t.lists[list]
	e := entry{list, owner, id}
	if l.mark.stored(owner, id) {
		return true
	}
	ids := l.owners[owner]
	at, found := slices.BinarySearch(ids, id)
	switch {
	case found && t.gone[e] == 0:
		return false
	case found: // it is back
		t.journal = append(t.journal, change{entry: e, was: t.gone[e]})
		delete(t.gone, e)
		l.live++
		return false
	case at == len(ids):
		ids = append(ids, id) // nobody looks behind the end of what they have
	default:
		ids = slices.Insert(slices.Clone(ids), at, id)
	}
	t.set(list, owner, ids)
	if at, found := slices.BinarySearch(l.todo, owner); !found && id <= l.mark.next {
		l.todo = slices.Insert(l.todo, at, owner) // the pass has to come to it
	}
	l.last = max(l.last, id)
	l.live++
	t.journal = append(t.journal, change{entry: e, added: true})
	return false
}

// take takes an id out, unless it is in the table: then the caller removes it there.
func (t *tail) take(list store.List, owner, id int64) (stored bool) {
	l := &t.lists[list]
	e := entry{list, owner, id}
	if l.mark.stored(owner, id) {
		return true
	}
	if _, found := slices.BinarySearch(l.owners[owner], id); !found || t.gone[e] != 0 {
		return false
	}
	t.journal = append(t.journal, change{entry: e})
	t.gone[e] = pending
	l.live--
	return false
}

// rollback undoes the changes of the transaction after the first n.
func (t *tail) rollback(n int) {
	for _, c := range slices.Backward(t.journal[n:]) {
		l := &t.lists[c.list]
		switch {
		case c.added:
			ids := l.owners[c.owner]
			if at, found := slices.BinarySearch(ids, c.id); found {
				t.set(c.list, c.owner, slices.Delete(slices.Clone(ids), at, at+1))
			}
			l.live--
		case c.was != 0:
			t.gone[c.entry] = c.was
			l.live--
		default:
			delete(t.gone, c.entry)
			l.live++
		}
	}
	t.journal = t.journal[:n]
}

// committed takes the changes as they are, and the steps of passes.
func (t *tail) committed(steps []passStep) {
	now := t.commits.Load() + 1
	for _, c := range t.journal {
		if t.gone[c.entry] == pending {
			t.gone[c.entry] = now
			t.retired = append(t.retired, retirement{entry: c.entry, commit: now})
		}
	}
	t.journal = t.journal[:0]
	for _, s := range steps {
		l := &t.lists[s.list]
		for _, owner := range s.owners {
			t.retired = append(t.retired, retirement{entry: entry{s.list, owner, s.mark.next}, commit: now, all: true})
		}
		l.live -= s.put
		l.mark, l.todo = s.mark, s.todo
	}
	t.commits.Store(now)
	t.sweep()
}

// reach says how far the ids of a list have come. A list to which nothing comes moves on
// all the same: what is not in the table is looked for when a store is opened.
func (t *tail) reach(list store.List, id int64) {
	t.lists[list].last = max(t.lists[list].last, id)
}

// due reports whether the next commit has to put a part of the list into the table.
func (l *tailList) due(limits tailLimits) bool {
	return l.mark.passing() || l.live > limits.live || l.last-l.mark.upto > limits.span
}

// passStep is a part of a pass, which puts what has gathered in memory into the table, in the
// order of its keys. So each page of the table is written about once a pass, however many
// ids it gets.
type passStep struct {
	list   store.List
	owners []int64 // whose ids up to mark.next are in the table now
	put    int     // so many
	mark   mark    // when the step is done
	todo   []int64
}

// next is the next step of a list that is to put about n ids; nil if there is nothing to
// do. put is called with the ids of each owner.
func (t *tail) next(list store.List, limits tailLimits, n int, put func(owner int64, ids []int64)) *passStep {
	l := &t.lists[list]
	if !l.due(limits) {
		return nil
	}
	s := &passStep{list: list, mark: l.mark, todo: l.todo}
	if !l.mark.passing() {
		s.mark = mark{upto: l.mark.upto, next: l.last}
		s.todo = t.ownersOf(list)
	}
	for len(s.todo) > 0 && s.put < n {
		owner := s.todo[0]
		ids := slices.DeleteFunc(slices.Clone(l.upto(owner, s.mark.next)), func(id int64) bool {
			return id <= l.mark.upto || t.gone[entry{list, owner, id}] != 0 // those stay for readers
		})
		if len(ids) > 0 {
			put(owner, ids)
		}
		s.put += len(ids)
		s.mark.owner = owner
		s.owners, s.todo = append(s.owners, owner), s.todo[1:]
	}
	if len(s.todo) == 0 {
		s.mark = mark{upto: s.mark.next, next: s.mark.next}
	}
	return s
}

// upto gives the ids of an owner up to one.
func (l *tailList) upto(owner, id int64) []int64 {
	ids := l.owners[owner]
	at, found := slices.BinarySearch(ids, id)
	if found {
		at++
	}
	return ids[:at]
}

// tailLimits say when a pass begins.
type tailLimits struct {
	live int   // ids in memory
	span int64 // ids since the mark, which are read when the store is opened
	put  int   // the least that a step puts into the table
}

// sweep drops what nobody needs any more.
func (t *tail) sweep() {
	if len(t.retired) == 0 {
		return
	}
	oldest := uint64(pending)
	for _, r := range t.readers {
		if since := r.Load(); since != 0 {
			oldest = min(oldest, since-1)
		}
	}
	n := 0
	for n < len(t.retired) && t.retired[n].commit <= oldest {
		t.drop(t.retired[n])
		n++
	}
	t.retired = slices.Delete(t.retired, 0, n)
}

func (t *tail) drop(r retirement) {
	ids := t.lists[r.list].owners[r.owner]
	at, found := slices.BinarySearch(ids, r.id)
	switch {
	case r.all && found:
		t.set(r.list, r.owner, ids[at+1:])
	case r.all:
		t.set(r.list, r.owner, ids[at:])
	case t.gone[r.entry] != r.commit:
		// It came back.
	default:
		delete(t.gone, r.entry)
		switch {
		case !found:
		case at == 0:
			t.set(r.list, r.owner, ids[1:])
		default:
			t.set(r.list, r.owner, slices.Delete(slices.Clone(ids), at, at+1))
		}
	}
}
