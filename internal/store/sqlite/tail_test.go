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
	before  tailState    // what is stored
	aloft   *modelFlight // nil if nothing is in flight
	readers []tailReader
	next    int64
}

// modelFlight is a transaction that is being stored while the next one runs.
type modelFlight struct {
	journal []change
	state   tailState
	seen    bool // by a reader, so it is stored
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
	if m.leaving(e.list, e.owner, e.id) || m.mark.stored(e.owner, e.id) {
		m.land(false)
	}
	m.rows[e] = true
	if m.add(e.list, e.owner, e.id) {
		m.listed[e] = true
	}
}

func (m *tailModel) leave(e entry) {
	if m.mark.stored(e.owner, e.id) {
		m.land(false)
	}
	delete(m.rows, e)
	if m.take(e.list, e.owner, e.id) {
		delete(m.listed, e)
	}
}

// undone takes back the transaction that runs.
func (m *tailModel) undone() {
	m.rollback(0)
	m.tailState = m.before.clone()
	if m.aloft != nil {
		m.tailState = m.aloft.state.clone()
	}
}

func (m *tailModel) launch() {
	if m.aloft == nil && !m.due(modelLimits) {
		m.aloft, m.journal = &modelFlight{journal: m.journal, state: m.clone()}, nil
	}
}

// land ends a flight. If that fails, what ran since is taken back too.
func (m *tailModel) land(fails bool) {
	f := m.aloft
	if f == nil || fails && f.seen {
		return
	}
	if fails {
		m.undone()
		m.undo(f.journal)
		m.tailState = m.before.clone()
	} else {
		m.stored(f.journal, nil)
		m.before = f.state
	}
	m.aloft = nil
}

var modelLimits = tailLimits{live: 3, span: 12}

// commit makes a step of a pass if one is due, and fails if it should.
func (m *tailModel) commit(fails bool) {
	m.land(false)
	var steps []passStep
	s := m.tail.next(modelList, modelLimits, 2, func(owner int64, ids []int64) {
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
			"rollback": m.undone,
			"launch":   m.launch,
			"land":     func() { m.land(false) },
			"crash":    func() { m.land(true) },
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
				if m.aloft != nil && (m.aloft.seen || random.IntN(2) == 0) {
					m.aloft.seen = true
					r.tailState = m.aloft.state.clone()
				}
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
				m.land(false)
				m.undone()
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

// An id that leaves and comes back in one transaction, and leaves again with the next while the
// first is in flight, is there for whoever reads what the first has stored.
func TestWhatLeavesWithTheNextBatchIsStillThere(t *testing.T) {
	m := &tailModel{tail: newTail(), tailState: tailState{rows: map[entry]bool{}, listed: map[entry]bool{}}}
	e := entry{modelList, 1, 1}
	m.come(e)
	m.commit(false)
	m.leave(e)
	m.come(e)
	m.launch()
	m.leave(e)
	m.land(false)
	m.before.check(t, m.tail, "a reader")
	m.undone()
	m.tailState.check(t, m.tail, "the writer")
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
