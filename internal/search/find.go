package search

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"

	"parley"
	"parley/internal/store"
)

// Service is the index and those who look into it. It is safe for concurrent use
// once Add has told it of all kinds.
type Service struct {
	store store.Store
	kinds map[Kind]Documents
	reads func(parley.AgentID, parley.Channel) bool
}

// New makes the service. It knows the messages, and these further kinds of
// documents. reads decides whether an agent may read a group that it is in.
func New(s store.Store, reads func(parley.AgentID, parley.Channel) bool, further map[Kind]Documents) *Service {
	kinds := map[Kind]Documents{Messages: messages{}}
	maps.Copy(kinds, further)
	return &Service{store: s, kinds: kinds, reads: reads}
}

// Hit is a document that was found.
type Hit struct {
	Document
	Score float64
	// Spans are where the words were found, in order.
	Spans []Span
}

// Find looks for documents: the best, or the newest that have everything.
func (s *Service) Find(ctx context.Context, q Query) (hits []Hit, err error) {
	docs, ok := s.kinds[q.Kind]
	if !ok {
		return nil, nil
	}
	want := parse(q.Text, q.Newest)
	if len(want.terms) == 0 {
		return nil, parley.Errorf(parley.Invalid, "There is nothing to search for.").WithHint("Give a word that is in what you look for.")
	}
	if q.Limit <= 0 {
		q.Limit = 20
	}
	err = s.store.View(ctx, func(tx *store.Tx) error {
		f := finding{tx: tx, q: q, want: want, docs: docs, reads: s.reads}
		hits, err = f.find()
		return err
	})
	return hits, err
}

// finding is one search at work.
type finding struct {
	tx     *store.Tx
	q      Query
	want   wanted
	docs   Documents
	reads  func(parley.AgentID, parley.Channel) bool
	lookup *lookup
	read   []reading
	seen   map[int64]bool
	tokens []token // of the document that is looked at
}

func (f *finding) find() ([]Hit, error) {
	state, err := f.tx.SearchState(f.q.Kind, f.q.Reader, tailMessages)
	if err != nil {
		return nil, err
	}
	if f.lookup, err = newLookup(f.tx, f.q, f.want, f.readable(state.Groups)); err != nil {
		return nil, err
	}
	if err := f.lookup.bound(state.Last); err != nil {
		return nil, err
	}
	f.seen = map[int64]bool{}
	if err := f.tail(state); err != nil {
		return nil, err
	}
	if f.q.Newest {
		return f.newest()
	}
	f.lookup.weigh(max(state.Last, state.Mark.Upto))
	return f.ranked()
}

// readable are the groups, of those that the reader is in, that it may read.
func (f *finding) readable(groups []parley.Channel) []parley.Channel {
	return slices.DeleteFunc(groups, func(c parley.Channel) bool { return !f.reads(f.q.Reader, c) })
}

// tail reads what the index has not come to yet, the newest of it.
func (f *finding) tail(state store.SearchState) error {
	list, err := f.docs.Read(f.tx, state.Late)
	if err != nil {
		return err
	}
	if mark, last := state.Mark.Upto, state.Last; last > mark {
		after, err := f.docs.After(f.tx, max(mark, last-tailMessages), tailMessages)
		if err != nil {
			return err
		}
		list = append(list, after...)
	}
	words := f.want.words()
	for _, d := range list {
		if d.Team == f.q.Team && !f.q.Newest {
			f.lookup.count(d, words)
		}
	}
	f.judge(list)
	return nil
}

// judge keeps the documents that were asked for. What the marks in the index said
// is looked at again: who may read something is not left to one place.
func (f *finding) judge(docs []Document) {
	for _, d := range docs {
		if f.seen[d.ID] || !f.covers(d) {
			continue
		}
		f.seen[d.ID] = true
		f.tokens = tokensInto(d.Text, f.tokens)
		if r, ok := f.want.judge(d, f.tokens); ok {
			f.read = append(f.read, r)
		}
	}
}

func (f *finding) covers(d Document) bool {
	if d.Team != f.q.Team || f.q.Since != 0 && d.At < f.q.Since || f.q.Until != 0 && d.At >= f.q.Until {
		return false
	}
	for _, marks := range f.lookup.narrow {
		if !slices.ContainsFunc(marks, func(m string) bool { return slices.Contains(d.Marks, m) }) {
			return false
		}
	}
	return true
}

func (f *finding) take(list []candidate) error {
	ids := make([]int64, len(list))
	for i, c := range list {
		ids[i] = c.id
	}
	docs, err := f.docs.Read(f.tx, ids)
	f.judge(docs)
	return err
}

// ranked reads the most promising and orders them by their texts.
func (f *finding) ranked() ([]Hit, error) {
	list, err := f.lookup.best()
	if err != nil {
		return nil, err
	}
	if err := f.take(list); err != nil {
		return nil, err
	}
	average := 0.0
	for _, r := range f.read {
		average += float64(r.length) / float64(len(f.read))
	}
	hits := f.hits(func(r reading) float64 { return f.want.score(r, f.lookup.idf, average) })
	slices.SortFunc(hits, func(a, b Hit) int { return cmp.Or(cmp.Compare(b.Score, a.Score), newer(a, b)) })
	return f.cut(hits), nil
}

// newest reads from the newest on until there are enough.
func (f *finding) newest() ([]Hit, error) {
	var failed error
	err := f.lookup.each(f.lookup.chunks(), 1, func(chunk int64) bool {
		for list := f.lookup.found(chunk); len(list) > 0 && len(f.read) < f.q.Limit; {
			some := list[:min(len(list), max(f.q.Limit, 50))]
			list = list[len(some):]
			if failed = f.take(some); failed != nil {
				return true
			}
		}
		return len(f.read) >= f.q.Limit
	})
	hits := f.hits(func(reading) float64 { return 0 })
	slices.SortFunc(hits, newer)
	return f.cut(hits), errors.Join(err, failed)
}

func (f *finding) hits(score func(reading) float64) []Hit {
	hits := make([]Hit, len(f.read))
	for i, r := range f.read {
		hits[i] = Hit{Document: r.doc, Score: score(r), Spans: r.spans}
	}
	return hits
}

func (f *finding) cut(hits []Hit) []Hit { return hits[:min(len(hits), f.q.Limit)] }

func newer(a, b Hit) int { return cmp.Or(cmp.Compare(b.At, a.At), cmp.Compare(b.ID, a.ID)) }
