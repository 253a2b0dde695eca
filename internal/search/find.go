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

// Service is the search index. It is safe for concurrent use.
type Service struct {
	store store.Store
	kinds map[Kind]Documents
	reads func(parley.AgentID, parley.Channel) bool
}

// New makes a service that knows the messages and the further kinds of documents.
// reads decides whether an agent may read a group that it is in.
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

// Find returns the best matches, or the newest documents that have every word.
func (s *Service) Find(ctx context.Context, q Query) (hits []Hit, err error) {
	docs, ok := s.kinds[q.Kind]
	if !ok {
		return nil, nil
	}
	parsed := parse(q.Text, q.Newest)
	if len(parsed.terms) == 0 {
		return nil, parley.Errorf(parley.Invalid, "There is nothing to search for.").WithHint("Give a word that is in what you look for.")
	}
	if q.Limit <= 0 {
		q.Limit = 20
	}
	err = s.store.View(ctx, func(tx *store.Tx) error {
		f := searcher{tx: tx, q: q, parsed: parsed, docs: docs, reads: s.reads}
		hits, err = f.find()
		return err
	})
	return hits, err
}

// searcher is one search in progress.
type searcher struct {
	tx      *store.Tx
	q       Query
	parsed  parsedQuery
	docs    Documents
	reads   func(parley.AgentID, parley.Channel) bool
	lookup  *lookup
	matches []match
	seen    map[int64]bool
	tokens  []token // of the current document, reused
}

func (f *searcher) find() ([]Hit, error) {
	state, err := f.tx.SearchState(f.q.Kind, f.q.Reader, maxTail)
	if err != nil {
		return nil, err
	}
	if f.lookup, err = newLookup(f.tx, f.q, f.parsed, f.readable(state.Groups)); err != nil {
		return nil, err
	}
	if err := f.lookup.limitByTime(state.Last); err != nil {
		return nil, err
	}
	f.seen = map[int64]bool{}
	if err := f.tail(state); err != nil {
		return nil, err
	}
	if f.q.Newest {
		return f.newest()
	}
	f.lookup.computeIDF(max(state.Last, state.Mark.Upto))
	return f.ranked()
}

// readable are those of the reader's groups that it may read.
func (f *searcher) readable(groups []parley.Channel) []parley.Channel {
	return slices.DeleteFunc(groups, func(c parley.Channel) bool { return !f.reads(f.q.Reader, c) })
}

// tail reads the newest documents that are not in the index yet.
func (f *searcher) tail(state store.SearchState) error {
	list, err := f.docs.Read(f.tx, state.Late)
	if err != nil {
		return err
	}
	if mark, last := state.Mark.Upto, state.Last; last > mark {
		after, err := f.docs.After(f.tx, max(mark, last-maxTail), maxTail)
		if err != nil {
			return err
		}
		list = append(list, after...)
	}
	words := f.parsed.words()
	for _, d := range list {
		if d.Team == f.q.Team && !f.q.Newest {
			f.lookup.count(d, words)
		}
	}
	f.match(list)
	return nil
}

// match keeps the documents that match. It checks the marks again: who may read
// something must not depend on the index alone.
func (f *searcher) match(docs []Document) {
	for _, d := range docs {
		if f.seen[d.ID] || !f.covers(d) {
			continue
		}
		f.seen[d.ID] = true
		f.tokens = tokensInto(d.Text, f.tokens)
		if r, ok := f.parsed.match(d, f.tokens); ok {
			f.matches = append(f.matches, r)
		}
	}
}

func (f *searcher) covers(d Document) bool {
	if d.Team != f.q.Team || f.q.Since != 0 && d.At < f.q.Since || f.q.Until != 0 && d.At >= f.q.Until {
		return false
	}
	for _, marks := range f.lookup.required {
		if !slices.ContainsFunc(marks, func(m string) bool { return slices.Contains(d.Marks, m) }) {
			return false
		}
	}
	return true
}

func (f *searcher) take(list []candidate) error {
	ids := make([]int64, len(list))
	for i, c := range list {
		ids[i] = c.id
	}
	docs, err := f.docs.Read(f.tx, ids)
	f.match(docs)
	return err
}

// ranked reads the most promising documents and ranks them by their texts.
func (f *searcher) ranked() ([]Hit, error) {
	list, err := f.lookup.best()
	if err != nil {
		return nil, err
	}
	if err := f.take(list); err != nil {
		return nil, err
	}
	average := 0.0
	for _, r := range f.matches {
		average += float64(r.length) / float64(len(f.matches))
	}
	hits := f.hits(func(r match) float64 { return f.parsed.score(r, f.lookup.idf, average) })
	slices.SortFunc(hits, func(a, b Hit) int { return cmp.Or(cmp.Compare(b.Score, a.Score), newer(a, b)) })
	return f.cut(hits), nil
}

// newest reads from the newest document backwards until there are enough.
func (f *searcher) newest() ([]Hit, error) {
	var failed error
	err := f.lookup.each(f.lookup.chunks(), 1, func(chunk int64) bool {
		for list := f.lookup.found(chunk); len(list) > 0 && len(f.matches) < f.q.Limit; {
			some := list[:min(len(list), max(f.q.Limit, 50))]
			list = list[len(some):]
			if failed = f.take(some); failed != nil {
				return true
			}
		}
		return len(f.matches) >= f.q.Limit
	})
	hits := f.hits(func(match) float64 { return 0 })
	slices.SortFunc(hits, newer)
	return f.cut(hits), errors.Join(err, failed)
}

func (f *searcher) hits(score func(match) float64) []Hit {
	hits := make([]Hit, len(f.matches))
	for i, r := range f.matches {
		hits[i] = Hit{Document: r.doc, Score: score(r), Spans: r.spans}
	}
	return hits
}

func (f *searcher) cut(hits []Hit) []Hit { return hits[:min(len(hits), f.q.Limit)] }

func newer(a, b Hit) int { return cmp.Or(cmp.Compare(b.At, a.At), cmp.Compare(b.ID, a.ID)) }
