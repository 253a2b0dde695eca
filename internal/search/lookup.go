package search

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"parley"
	"parley/internal/store"
)

const (
	// maxChunks is how many chunks with documents of the caller are looked at, newest
	// first.
	maxChunks = 1000
	// maxOwn is how many of the caller's documents with one word are ranked; of words
	// that nearly every document has, only the newest.
	maxOwn = 50_000
	// The number of documents that are read to be ranked by their texts is
	// candidatesPerHit times the limit, but at least minCandidates and at most
	// maxCandidates.
	maxCandidates, minCandidates, candidatesPerHit = 200, 100, 5
	// firstGroup and maxGroup are how many chunks are read at once to rank them.
	firstGroup, maxGroup = 64, 256
)

// lookup reads the index for one search. It keeps only documents that the caller may
// find. Every limit and every number that ranks a document is counted in those too:
// what a caller may not read must not show in what it finds, nor in which order.
type lookup struct {
	tx *store.Tx
	q  Query
	// required are lists of marks; a document must have one of each list.
	required [][]string
	chunks   []ownChunk // newest first
	readable int        // how many documents the caller may read, in all chunks
	first    int64      // the range of ids asked for: from first up to, but not including, end
	end      int64
	words    map[string]*wordRows // by the keys of spellings

	scores chunkScores
	row    []posting // reused
}

// ownChunk is a chunk that may have documents for the caller.
type ownChunk struct {
	chunk int64
	n     int     // how many the caller may read
	docs  *docSet // which have the required marks; nil if there are none to have
	// foreign are those of them with the foreign mark.
	foreign *docSet
	read    bool // docs and foreign are known
}

// wordRows are the documents that have a word, by chunk.
type wordRows struct {
	docs map[int64][]posting
	n    int
	upto int // the chunks before this one, of the lookup's, have been read
	full bool
}

// candidate is a document with its score according to the index.
type candidate struct {
	id    int64
	score float32
}

func newLookup(tx *store.Tx, q Query, groups []parley.Channel) *lookup {
	return &lookup{tx: tx, q: q, required: q.requiredMarks(groups), words: map[string]*wordRows{}, end: math.MaxInt64}
}

// listChunks finds the chunks that have documents with the required marks.
func (l *lookup) listChunks() error {
	marks := slices.Concat(l.required...)
	if len(l.required) == 0 {
		marks = []string{everyMark}
	}
	sizes := map[string]map[int64]int{}
	for _, m := range marks {
		sizes[m] = map[int64]int{}
	}
	err := l.tx.PostingSizes(l.q.Team, l.q.Kind, marks, func(string) int { return maxChunks },
		func(p store.Posting) { sizes[p.Word][p.Chunk] = p.N })
	if err != nil {
		return err
	}
	lists := l.required
	if len(lists) == 0 {
		lists = [][]string{marks}
	}
	of := map[int64]int{}
	for _, mark := range lists[0] {
		for chunk, n := range sizes[mark] {
			of[chunk] += n
		}
	}
	for chunk, n := range of {
		l.readable += n
		in := func(mark string) bool { return sizes[mark][chunk] > 0 }
		if chunk >= chunkOf(l.first) && chunk <= chunkOf(l.end) &&
			!slices.ContainsFunc(lists, func(marks []string) bool { return !slices.ContainsFunc(marks, in) }) {
			l.chunks = append(l.chunks, ownChunk{chunk: chunk, n: n})
		}
	}
	slices.SortFunc(l.chunks, func(a, b ownChunk) int { return cmp.Compare(b.chunk, a.chunk) })
	l.chunks = l.chunks[:min(len(l.chunks), maxChunks)]
	return nil
}

// documents is how many documents the caller may read in the first chunks.
func (l *lookup) documents(chunks int) (n int) {
	for _, c := range l.chunks[:chunks] {
		n += c.n
	}
	return n
}

// load reads the rows of words in the chunks up to the given one. A word of which
// there is enough is read no further.
func (l *lookup) load(words []string, upto int) error {
	upto = min(upto, len(l.chunks))
	if err := l.loadMarks(upto); err != nil {
		return err
	}
	for from := 0; from < upto; {
		var some []string
		next := upto
		for _, word := range words {
			w := l.rowsOf(word)
			if w.full || w.upto >= upto {
				continue
			}
			if w.upto <= from {
				some = append(some, word)
			} else {
				next = min(next, w.upto)
			}
		}
		to := min(next, from+maxGroup)
		if err := l.loadRange(some, from, to); err != nil {
			return err
		}
		from = to
	}
	return nil
}

func (l *lookup) rowsOf(word string) *wordRows {
	w := l.words[word]
	if w == nil {
		w = &wordRows{docs: map[int64][]posting{}}
		l.words[word] = w
	}
	return w
}

// loadRange reads the rows of words in a range of the caller's chunks.
func (l *lookup) loadRange(keys []string, from, to int) error {
	if len(keys) == 0 || from >= to {
		return nil
	}
	at := make(map[int64]*ownChunk, to-from)
	for i := from; i < to; i++ {
		at[l.chunks[i].chunk] = &l.chunks[i]
	}
	var words []string
	of := map[string][]string{} // the keys of a word
	for _, key := range keys {
		word := strings.TrimPrefix(key, foreignMark)
		if of[word] == nil {
			words = append(words, word)
		}
		of[word] = append(of[word], key)
	}
	lowest, highest := l.chunks[to-1].chunk, l.chunks[from].chunk
	err := l.tx.Postings(l.q.Team, l.q.Kind, words, func(string) int64 { return lowest }, highest, func(p store.Posting) {
		c := at[p.Chunk]
		if c == nil {
			return
		}
		for _, key := range of[p.Word] {
			own := c.docs
			if key != p.Word {
				own = c.foreign
			}
			l.keep(l.words[key], p.Chunk, own, p.Docs)
		}
	})
	for _, key := range keys {
		w := l.words[key]
		w.upto = to
		w.full = w.n >= maxOwn
	}
	return err
}

func (l *lookup) ownSets() map[int64]*docSet {
	own := make(map[int64]*docSet, len(l.chunks))
	for _, c := range l.chunks {
		own[c.chunk] = c.docs
	}
	return own
}

// keep adds those documents of a row that the caller may find.
func (l *lookup) keep(w *wordRows, chunk int64, own *docSet, row []byte) {
	l.row = unpack(row, l.row)
	kept := w.docs[chunk]
	before := len(kept)
	for _, p := range l.row {
		if own == nil || own.has(p.place()) {
			kept = append(kept, p)
		}
	}
	if len(kept) > before {
		w.docs[chunk] = kept
		w.n += len(kept) - before
	}
}

// loadMarks reads which documents of the first chunks the caller may find.
func (l *lookup) loadMarks(upto int) error {
	from := 0
	for from < upto && l.chunks[from].read {
		from++
	}
	if from >= upto {
		return nil
	}
	lowest, highest := l.chunks[upto-1].chunk, l.chunks[from].chunk
	marked := map[string]map[int64]*docSet{}
	marks := append(slices.Concat(l.required...), foreignMark)
	err := l.tx.Postings(l.q.Team, l.q.Kind, marks, func(string) int64 { return lowest }, highest, func(p store.Posting) {
		if marked[p.Word] == nil {
			marked[p.Word] = map[int64]*docSet{}
		}
		set := &docSet{}
		l.row = unpack(p.Docs, l.row)
		for _, d := range l.row {
			set.set(d.place())
		}
		marked[p.Word][p.Chunk] = set
	})
	for i := from; i < upto; i++ {
		c := &l.chunks[i]
		c.docs, c.read = intersect(l.required, marked, c.chunk), true
		if c.foreign = marked[foreignMark][c.chunk]; c.foreign == nil {
			c.foreign = &docSet{}
		}
		if c.docs != nil {
			c.foreign.keep(c.docs)
		}
	}
	return err
}

// intersect are the documents of a chunk that have a mark of each list; nil if there
// is no list.
func intersect(required [][]string, marked map[string]map[int64]*docSet, chunk int64) (all *docSet) {
	for _, marks := range required {
		one := &docSet{}
		for _, mark := range marks {
			if set := marked[mark][chunk]; set != nil {
				one.add(set)
			}
		}
		if all == nil {
			all = one
		} else {
			all.keep(one)
		}
	}
	return all
}

// documentsWith estimates how many of the caller's documents have a term. If a word
// was not read to the end, the older documents are assumed to be like the newer ones.
func (l *lookup) documentsWith(t term) (n float64) {
	for _, s := range t.words {
		w := l.words[s.key()]
		if w == nil {
			continue
		}
		part := float64(w.n)
		if seen := l.documents(w.upto); w.full && seen > 0 {
			part *= float64(l.readable) / float64(seen)
		}
		n += part
	}
	return n
}

// values are what each spelling is worth by how often a document has it.
func values(terms []term, idf []float64) (list [][][maxCount + 1]float32) {
	for i, t := range terms {
		worth := make([][maxCount + 1]float32, len(t.words))
		for j, s := range t.words {
			for n := range worth[j] {
				worth[j][n] = float32(s.weight * idf[i] * float64(n) / (float64(n) + bm25K1))
			}
		}
		list = append(list, worth)
	}
	return list
}

// visit visits the documents of a chunk that have the required terms, newest first.
func (l *lookup) visit(chunk int64, p parsedQuery, values [][][maxCount + 1]float32, each func(candidate)) {
	l.scores.begin()
	for i, t := range p.terms {
		for j, s := range t.words {
			if w := l.words[s.key()]; w != nil {
				l.scores.add(i, w.docs[chunk], &values[i][j])
			}
		}
	}
	must := p.must()
	l.scores.any.backward(func(i int) {
		id := chunk<<chunkBits | int64(i)
		if l.scores.has[i]&must == must && id >= l.first && id < l.end {
			each(candidate{id, l.scores.sum[i]})
		}
	})
}

// best are the most promising documents; of equals the newest.
func (l *lookup) best(p parsedQuery, idf []float64) []candidate {
	most := min(max(candidatesPerHit*l.q.Limit, minCandidates), maxCandidates)
	worth := values(p.terms, idf)
	var list []candidate
	bar := float32(-1) // later finds are older, so they must be better
	for _, c := range l.chunks {
		l.visit(c.chunk, p, worth, func(c candidate) {
			if c.score > bar {
				list = append(list, c)
			}
		})
		if len(list) >= 4*most {
			list = top(list, most)
			bar = list[len(list)-1].score
		}
	}
	return top(list, most)
}

func top(list []candidate, most int) []candidate {
	slices.SortFunc(list, func(a, b candidate) int { return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(b.id, a.id)) })
	return list[:min(len(list), most)]
}
