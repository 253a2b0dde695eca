package search

import (
	"math"
	"slices"
)

// The constants of BM25: how soon further occurrences of a word stop counting, and
// how much a long text counts against a short one.
const (
	frequency = 1.2
	shortness = 0.2
)

const (
	// near is up to how many words apart two that follow each other in the query
	// still belong together.
	near = 8
	// mostPlaces is how many places of a word are looked at.
	mostPlaces = 16
)

// reading is a document taken apart.
type reading struct {
	doc    Document
	terms  []termFound
	spans  []Span
	length int
}

// termFound is what a document has of a term: how often each of its words, and
// where.
type termFound struct {
	counts []int
	places []int
}

func (f termFound) any() bool { return len(f.places) > 0 }

// Span is where a word was found, in bytes of the text.
type Span struct{ From, To int }

// judge takes a document apart, which is in list as words. ok says that it is one
// that was asked for.
func (w wanted) judge(d Document, list []token) (r reading, ok bool) {
	r = reading{doc: d, terms: make([]termFound, len(w.terms))}
	for i := range list {
		if !list[i].whole {
			r.length++
		}
		w.see(&r, &list[i])
	}
	for _, p := range w.phrases {
		if !contains(list, p) {
			return r, false
		}
	}
	return r, w.enough(r)
}

func (w wanted) see(r *reading, t *token) {
	seen := false
	for i := range w.terms {
		term := &w.terms[i]
		for j := range term.words {
			if term.words[j].word != t.word {
				continue
			}
			f := &r.terms[i]
			if f.counts == nil {
				f.counts = make([]int, len(term.words))
			}
			f.counts[j]++
			if len(f.places) < mostPlaces {
				f.places = append(f.places, t.at)
			}
			seen = true
		}
	}
	if seen {
		r.spans = append(r.spans, Span{t.from, t.to})
	}
}

// enough reports whether a document has every word that it must have, and one at
// least.
func (w wanted) enough(r reading) bool {
	some := false
	for i, t := range w.terms {
		found := r.terms[i].any()
		if t.must && !found {
			return false
		}
		some = some || found
	}
	return some
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

// score ranks a document: BM25 over the terms, more if it has all of them, and if
// those that stand together in the query do so here.
func (w wanted) score(r reading, idf map[string]float64, average float64) float64 {
	norm := 1 - shortness + shortness*float64(r.length)/math.Max(1, average)
	sum, asked, had := 0.0, 0.0, 0.0
	for i, t := range w.terms {
		got := termScore(t, r.terms[i], idf, norm)
		sum += got
		if !t.extra {
			asked += idf[t.words[0].word]
			had += min(got, idf[t.words[0].word])
		}
	}
	if asked > 0 {
		sum *= 0.5 + 0.5*had/asked
	}
	return sum + w.nearness(r, idf)
}

// termScore is that of the word that counts most.
func termScore(t term, f termFound, idf map[string]float64, norm float64) (best float64) {
	for j, n := range f.counts {
		count, word := float64(n), t.words[j]
		weight := word.weight * min(idf[word.word], idf[t.words[0].word])
		best = max(best, weight*count*(frequency+1)/(count+frequency*norm))
	}
	return best
}

func (w wanted) nearness(r reading, idf map[string]float64) (sum float64) {
	before := -1
	for i, t := range w.terms {
		if t.extra {
			continue
		}
		if before >= 0 {
			if d := distance(r.terms[before].places, r.terms[i].places); d <= near {
				sum += 0.4 * min(idf[w.terms[before].words[0].word], idf[t.words[0].word]) / float64(max(1, d))
			}
		}
		before = i
	}
	return sum
}

// distance is the least between two places.
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
