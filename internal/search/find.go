package search

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
	"time"

	"parley"
	"parley/internal/store"
)

// Service is the search index. It is safe for concurrent use.
type Service struct {
	store    store.Store
	kinds    map[Kind]Documents
	reads    func(parley.AgentID, parley.Channel) bool
	scanTime time.Duration
}

// New makes a service that knows the messages and the further kinds of documents.
// reads decides whether an agent may read a group that it is in.
func New(s store.Store, reads func(parley.AgentID, parley.Channel) bool, further map[Kind]Documents) *Service {
	kinds := map[Kind]Documents{Messages: messages{}}
	maps.Copy(kinds, further)
	return &Service{store: s, kinds: kinds, reads: reads, scanTime: scanTime}
}

// Hit is a document that was found.
type Hit struct {
	Document
	// Score orders the hits of one search. It is for those who order them anew, and
	// is not shown.
	Score float64
	// Spans are where the words were found, in order.
	Spans []Span
}

// Result is what a search found.
type Result struct {
	Hits []Hit
	// Behind is how many documents that the caller may find are not in the index
	// yet. They were searched one by one.
	Behind int
	// Incomplete says that there was no time to look at everything that is not in
	// the index yet, or at every word that may be meant.
	Incomplete bool
}

// Find returns the best matches, or the newest documents that have every word.
func (s *Service) Find(ctx context.Context, q Query) ([]Hit, error) {
	r, err := s.Search(ctx, q)
	return r.Hits, err
}

// Search is Find that also tells how far the index has come.
func (s *Service) Search(ctx context.Context, q Query) (r Result, err error) {
	docs, ok := s.kinds[q.Kind]
	if !ok {
		return r, nil
	}
	if len(parse(q.Text, q.Newest).terms) == 0 {
		return r, parley.Errorf(parley.Invalid, "There is nothing to search for.").WithHint("Give a word that is in what you look for.")
	}
	if q.Limit <= 0 {
		q.Limit = 20
	}
	deadline := time.Now().Add(s.scanTime)
	err = s.store.View(ctx, func(tx *store.Tx) error {
		f := searcher{tx: tx, q: q, parsed: parse(q.Text, q.Newest), docs: docs, reads: s.reads, held: map[int64]bool{},
			timeOver: func() bool { return !time.Now().Before(deadline) || ctx.Err() != nil }}
		hits, err := f.find()
		r = Result{Hits: hits, Behind: f.behind, Incomplete: f.incomplete}
		return err
	})
	return r, err
}

// searcher is one search in progress.
type searcher struct {
	tx       *store.Tx
	q        Query
	parsed   parsedQuery
	docs     Documents
	reads    func(parley.AgentID, parley.Channel) bool
	timeOver func() bool
	lookup   *lookup

	// tail are the caller's documents that are not in the index; tailWith is how many
	// of them have each term, tailCount how often they have each word.
	tail       []Document
	held       map[int64]bool
	tailWith   []int
	tailCount  map[string]int
	behind     int
	incomplete bool

	matches []match
	seen    map[int64]bool
	tokens  []token // of the current document, reused
}

// maxLate is how many documents that appeared in a gap are looked at.
const maxLate = 2000

func (f *searcher) find() ([]Hit, error) {
	state, err := f.tx.SearchState(f.q.Kind, f.q.Reader, maxLate)
	if err != nil {
		return nil, err
	}
	f.lookup = newLookup(f.tx, f.q, f.readable(state.Groups))
	if err := f.lookup.limitByTime(state.Last); err != nil {
		return nil, err
	}
	if err := f.lookup.listChunks(); err != nil {
		return nil, err
	}
	if err := f.scan(state); err != nil {
		return nil, err
	}
	f.matchTail()
	if f.q.Newest {
		return f.newest()
	}
	return f.ranked()
}

// readable are those of the reader's groups that it may read.
func (f *searcher) readable(groups []parley.Channel) []parley.Channel {
	return slices.DeleteFunc(groups, func(c parley.Channel) bool { return !f.reads(f.q.Reader, c) })
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
	if err := f.loadAll(); err != nil {
		return nil, err
	}
	changed, err := f.expand()
	if err != nil {
		return nil, err
	}
	if changed {
		f.matchTail()
	}
	idf := f.idf()
	if err := f.take(f.lookup.best(f.parsed, idf)); err != nil {
		return nil, err
	}
	average := 0.0
	for _, r := range f.matches {
		average += float64(r.length) / float64(len(f.matches))
	}
	hits := f.hits(func(r match) float64 { return f.parsed.score(r, idf, average) })
	slices.SortFunc(hits, func(a, b Hit) int { return cmp.Or(cmp.Compare(b.Score, a.Score), newer(a, b)) })
	return f.cut(hits), nil
}

// loadAll reads the rows of all words of the query.
func (f *searcher) loadAll() error {
	words := f.parsed.keys()
	for upto := firstGroup; ; upto += maxGroup {
		if err := f.lookup.load(words, upto); err != nil || upto >= len(f.lookup.chunks) {
			return err
		}
	}
}

// idf is what each term is worth: the rarer it is in the caller's documents, the more.
func (f *searcher) idf() []float64 {
	documents := float64(f.lookup.readable + f.behind)
	list := make([]float64, len(f.parsed.terms))
	for i, t := range f.parsed.terms {
		n := f.lookup.documentsWith(t) + float64(f.tailWith[i])
		list[i] = math.Log(1 + (math.Max(documents, n)-n+0.5)/(n+0.5))
	}
	return list
}

// newest reads from the newest document backwards until there are enough. If nothing
// has every word, it looks for other words.
func (f *searcher) newest() ([]Hit, error) {
	err := f.readNewest()
	if err != nil || len(f.matches) > 0 {
		return f.newestHits(), err
	}
	if err := f.loadAll(); err != nil {
		return nil, err
	}
	changed, err := f.expand()
	if err != nil || !changed {
		return nil, err
	}
	f.matchTail()
	err = f.readNewest()
	return f.newestHits(), err
}

func (f *searcher) readNewest() error {
	words, chunks := f.parsed.keys(), f.lookup.chunks
	worth := values(f.parsed.terms, make([]float64, len(f.parsed.terms)))
	for at, group := 0, 1; at < len(chunks) && len(f.matches) < f.q.Limit; group = min(8*group, maxGroup) {
		end := min(at+group, len(chunks))
		if err := f.lookup.load(words, end); err != nil {
			return err
		}
		for ; at < end && len(f.matches) < f.q.Limit; at++ {
			var list []candidate
			f.lookup.visit(chunks[at].chunk, f.parsed, worth, func(c candidate) { list = append(list, c) })
			for len(list) > 0 && len(f.matches) < f.q.Limit {
				some := list[:min(len(list), max(f.q.Limit, 50))]
				list = list[len(some):]
				if err := f.take(some); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (f *searcher) newestHits() []Hit {
	hits := f.hits(func(match) float64 { return 0 })
	slices.SortFunc(hits, newer)
	return f.cut(hits)
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
