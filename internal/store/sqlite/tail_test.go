package sqlite

import (
	"maps"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"parley/internal/store"
)

// tailModel is a database that is only what a list needs: its rows, the table and the
// mark, as they are and as the snapshots of readers have them.
type tailModel struct {
	*tail
	tailState
	before  tailState // of the transaction that runs
	readers []tailReader
	next    int64
}

type tailState struct {
	rows   map[entry]bool // that are in the list
	listed map[entry]bool // the table
	mark   mark
}

type tailReader struct {
	tailState
	since *atomic.Uint64
	// walks are the ids that it is walking over, and what they were.
	walks, were [modelOwners + 1][]int64
}

func (s tailState) clone() tailState {
	return tailState{maps.Clone(s.rows), maps.Clone(s.listed), s.mark}
}

const modelList = store.PullList

// read is what a statement finds with the snapshot of a reader, each as often as it is
// found.
func (s tailState) read(t *tail, owner int64) (ids []int64) {
	for e := range s.listed {
		if e.owner == owner && s.rows[e] {
			ids = append(ids, e.id)
		}
	}
	for _, id := range t.of(modelList, owner) {
		if !s.mark.stored(owner, id) && s.rows[entry{modelList, owner, id}] {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

func (s tailState) check(t testing.TB, of *tail, who string) {
	for owner := int64(1); owner <= modelOwners; owner++ {
		var want []int64
		for e := range s.rows {
			if e.owner == owner {
				want = append(want, e.id)
			}
		}
		slices.Sort(want)
		if got := s.read(of, owner); !slices.Equal(got, want) {
			t.Fatalf("%s finds %v of %d, and there are %v (mark %+v)", who, got, owner, want, s.mark)
		}
	}
}

const modelOwners = 4

func (m *tailModel) someRow(random *rand.Rand) (entry, bool) {
	if len(m.rows) == 0 {
		return entry{}, false
	}
	rows := slices.SortedFunc(maps.Keys(m.rows), func(a, b entry) int { return int(a.id - b.id) })
	return rows[random.IntN(len(rows))], true
}

func (m *tailModel) come(e entry) {
	m.rows[e] = true
	if m.add(e.list, e.owner, e.id) {
		m.listed[e] = true
	}
}

func (m *tailModel) leave(e entry) {
	delete(m.rows, e)
	if m.take(e.list, e.owner, e.id) {
		delete(m.listed, e)
	}
}

// commit makes a step of a pass if one is due, and fails if it should.
func (m *tailModel) commit(fails bool) {
	var steps []passStep
	s := m.tail.next(modelList, tailLimits{live: 3, span: 12}, 2, func(owner int64, ids []int64) {
		for _, id := range ids {
			m.listed[entry{modelList, owner, id}] = true
		}
	})
	if s != nil {
		m.mark, steps = s.mark, append(steps, *s)
	}
	if fails {
		m.rollback(0)
		m.tailState = m.before
	} else {
		m.committed(steps)
	}
	m.before = m.clone()
}

// Whatever comes, leaves, comes back, is rolled back or moved into the table: each
// reader finds in its snapshot what was in the list when it began, and each id once.
func TestEveryReaderFindsWhatWasInTheListWhenItBegan(t *testing.T) {
	for seed := range uint64(400) {
		random := rand.New(rand.NewPCG(seed, 0))
		m := &tailModel{tail: newTail(), tailState: tailState{rows: map[entry]bool{}, listed: map[entry]bool{}}}
		m.before = m.clone()
		var gone []entry
		actions := map[string]func(){
			"come": func() {
				m.next++
				m.come(entry{modelList, 1 + random.Int64N(modelOwners), m.next})
			},
			"leave": func() {
				if e, ok := m.someRow(random); ok {
					gone = append(gone, e)
					m.leave(e)
				}
			},
			"leave again": func() {
				if len(gone) > 0 {
					m.leave(gone[random.IntN(len(gone))])
				}
			},
			"come back": func() {
				if len(gone) > 0 {
					m.come(gone[random.IntN(len(gone))])
				}
			},
			"commit":   func() { m.commit(false) },
			"fail":     func() { m.commit(true) },
			"rollback": func() { m.rollback(0); m.tailState = m.before; m.before = m.clone() },
			"savepoint": func() {
				n, state := len(m.journal), m.clone()
				m.next++
				m.come(entry{modelList, 1, m.next})
				if e, ok := m.someRow(random); ok {
					m.leave(e)
				}
				m.rollback(n)
				m.tailState = state
			},
			"begin": func() {
				r := tailReader{tailState: m.before.clone(), since: new(atomic.Uint64)}
				r.since.Store(m.commits.Load() + 1)
				for owner := range r.walks {
					r.walks[owner] = m.of(modelList, int64(owner))
					r.were[owner] = slices.Clone(r.walks[owner])
				}
				m.readers, m.tail.readers = append(m.readers, r), append(m.tail.readers, r.since)
			},
			"end": func() {
				if len(m.readers) > 0 {
					i := random.IntN(len(m.readers))
					m.readers[i].since.Store(0)
					m.readers = slices.Delete(m.readers, i, i+1)
				}
			},
			"open again": func() {
				m.rollback(0)
				m.tailState = m.before
				m.tail, m.readers = m.reopened(), nil
				m.before = m.clone()
			},
			"": func() {
				m.tailState.check(t, m.tail, "the writer")
				for _, r := range m.readers {
					r.tailState.check(t, m.tail, "a reader")
					for owner, ids := range r.walks {
						if !slices.Equal(ids, r.were[owner]) {
							t.Fatalf("a reader walks over %v, which were %v", ids, r.were[owner])
						}
					}
				}
				for e := range m.listed {
					if !m.rows[e] {
						t.Fatalf("the table has %+v, which is not in the list", e)
					}
				}
			},
		}
		names := slices.Sorted(maps.Keys(actions))
		for range 250 {
			name := names[random.IntN(len(names))]
			if rare := name == "open again" || name == "end"; rare && random.IntN(8) > 0 {
				continue
			}
			actions[name]()
			actions[""]()
		}
	}
}

// reopened is what loadTail makes.
func (m *tailModel) reopened() *tail {
	t := newTail()
	l := &t.lists[modelList]
	l.mark, l.last = m.mark, m.mark.next
	for _, e := range slices.SortedFunc(maps.Keys(m.rows), func(a, b entry) int { return int(a.id - b.id) }) {
		if !m.mark.stored(e.owner, e.id) {
			t.load(modelList, e.owner, e.id)
		}
	}
	t.resume()
	return t
}
