package search

import (
	"math"
	"slices"
)

// The constants of BM25: how soon further occurrences of a word stop counting (k1),
// and how much the length of a text counts against it (b).
const (
	bm25K1 = 1.2
	bm25B  = 0.2
)

const (
	// maxDistance is how many words apart two neighbours of the query may be and
	// still count as close.
	maxDistance = 8
	// maxPositions is how many positions of a word are looked at.
	maxPositions = 16
)

// match is a document compared with a query.
type match struct {
	doc    Document
	terms  []termMatch
	spans  []Span
	length int
}

// termMatch is what a document has of a term: how often, and at which positions.
// weight is that of its best spelling.
type termMatch struct {
	count     int
	weight    float64
	positions []int
}

func (f termMatch) any() bool { return f.count > 0 }

// Span is where a word was found, as byte offsets in the text.
type Span struct{ From, To int }

// match compares a document, whose words are in list, with the query. ok says that it
// has what the query demands.
func (w parsedQuery) match(d Document, list []token) (r match, ok bool) {
	r = match{doc: d, terms: make([]termMatch, len(w.terms))}
	for i := range list {
		if !list[i].whole {
			r.length++
		}
		w.countToken(&r, &list[i])
	}
	for _, p := range w.phrases {
		if !contains(list, p) {
			return r, false
		}
	}
	return r, w.satisfied(r)
}

func (w parsedQuery) countToken(r *match, t *token) {
	seen := false
	for i := range w.terms {
		weight := w.terms[i].matches(t)
		if weight == 0 {
			continue
		}
		f := &r.terms[i]
		f.count++
		f.weight = max(f.weight, weight)
		if len(f.positions) < maxPositions {
			f.positions = append(f.positions, t.at)
		}
		seen = true
	}
	if seen {
		r.spans = append(r.spans, Span{t.from, t.to})
	}
}

// satisfied reports whether a document has every required word, and at least one.
func (w parsedQuery) satisfied(r match) bool {
	any := false
	for i, t := range w.terms {
		found := r.terms[i].any()
		if t.must && !found {
			return false
		}
		any = any || found
	}
	return any
}

// contains reports whether the words of a phrase follow each other.
func contains(list []token, phrase []string) bool {
	var plain []string
	for _, t := range list {
		if !t.whole {
			plain = append(plain, t.surface)
		}
	}
	for i := 0; i+len(phrase) <= len(plain); i++ {
		if slices.Equal(plain[i:i+len(phrase)], phrase) {
			return true
		}
	}
	return false
}

// score ranks a document: BM25 over the terms, with a bonus if it has all of them,
// and if words that are neighbours in the query are close here too. idf is what each
// term is worth.
func (w parsedQuery) score(r match, idf []float64, average float64) float64 {
	norm := 1 - bm25B + bm25B*float64(r.length)/math.Max(1, average)
	sum, asked, had := 0.0, 0.0, 0.0
	for i, t := range w.terms {
		f := r.terms[i]
		count := float64(f.count)
		got := f.weight * idf[i] * count * (bm25K1 + 1) / (count + bm25K1*norm)
		sum += got
		if !t.extra {
			asked += idf[i]
			had += min(got, idf[i])
		}
	}
	if asked > 0 {
		sum *= 0.5 + 0.5*had/asked
	}
	return sum + w.proximity(r, idf)
}

func (w parsedQuery) proximity(r match, idf []float64) (sum float64) {
	before := -1
	for i, t := range w.terms {
		if t.extra {
			continue
		}
		if before >= 0 {
			if d := distance(r.terms[before].positions, r.terms[i].positions); d <= maxDistance {
				sum += 0.4 * min(idf[before], idf[i]) / float64(max(1, d))
			}
		}
		before = i
	}
	return sum
}

// distance is the smallest distance between two positions.
func distance(a, b []int) int {
	least := math.MaxInt
	for _, x := range a {
		for _, y := range b {
			if x != y {
				least = min(least, max(x-y, y-x))
			}
		}
	}
	return least
}
