package search

import (
	"cmp"
	"math"
	"slices"

	"parley"
	"parley/internal/store"
)

const (
	// maxRows is how many rows of a word are looked at, newest first;
	// maxSecondaryRows is the same for synonyms and compounds.
	maxRows, maxSecondaryRows = 1000, 200
	// maxPostings limits what is ranked: of words that nearly every document has,
	// only the newest documents are looked at.
	maxPostings = 100_000
	// The number of documents that are read to be ranked by their texts is
	// candidatesPerHit times the limit, but at least minCandidates and at most
	// maxCandidates.
	maxCandidates, minCandidates, candidatesPerHit = 200, 100, 5
	// maxGroup is how many chunks are read at once.
	maxGroup = 256
	// maxTail is how many documents that are not in the index yet are read.
	maxTail = 2000
)

// lookup finds the documents in the index that may match.
type lookup struct {
	tx     *store.Tx
	q      Query
	parsed parsedQuery
	// required are lists of marks; a document must have one of each list.
	required [][]string
	sizes    map[string][]store.Posting // of each word and mark, newest first
	tail     map[string]int             // how many documents that are not in the index yet have it
	idf      map[string]float64
	first    int64 // the range of ids asked for: from first up to, but not including, end
	end      int64
	// floor is the lowest chunk down to which a word is read.
	floor map[string]int64
	// secondary are the words that nobody asked for.
	secondary map[string]bool

	scores chunkScores
}

// candidate is a document with its score according to the index.
type candidate struct {
	id    int64
	score float32
}

// newLookup also reads how often every word occurs.
func newLookup(tx *store.Tx, q Query, parsed parsedQuery, groups []parley.Channel) (*lookup, error) {
	l := &lookup{tail: map[string]int{}, tx: tx, q: q, parsed: parsed, required: q.requiredMarks(groups), sizes: map[string][]store.Posting{}, idf: map[string]float64{},
		floor: map[string]int64{}, secondary: parsed.secondary(), end: math.MaxInt64}
	all := slices.Concat(parsed.words(), slices.Concat(l.required...))
	err := tx.PostingSizes(q.Team, q.Kind, all, l.limit, func(p store.Posting) { l.sizes[p.Word] = append(l.sizes[p.Word], p) })
	return l, err
}

// limit is how many rows of a word are looked at.
func (l *lookup) limit(word string) int {
	if l.secondary[word] {
		return maxSecondaryRows
	}
	return maxRows
}

// count counts the words of a document that is not in the index yet.
func (l *lookup) count(d Document, words []string) {
	has := map[string]bool{}
	for _, t := range tokens(d.Text) {
		has[t.word] = true
	}
	for _, word := range words {
		if has[word] {
			l.tail[word]++
		}
	}
}

// computeIDF decides what each word is worth. documents is their approximate number.
func (l *lookup) computeIDF(documents int64) {
	for _, word := range l.parsed.words() {
		n := l.documentsWith(word, documents) + float64(l.tail[word])
		l.idf[word] = math.Log(1 + (math.Max(float64(documents), n)-n+0.5)/(n+0.5))
	}
}

// documentsWith estimates how many documents have a word. If a word has more rows
// than are looked at, the older ones are assumed to be like the newer ones.
func (l *lookup) documentsWith(word string, documents int64) float64 {
	rows := l.sizes[word]
	n := float64(total(rows))
	if len(rows) < maxSecondaryRows {
		return n
	}
	if seen := documents - rows[len(rows)-1].Chunk<<chunkBits; len(rows) == l.limit(word) && seen > 0 {
		n *= float64(documents) / float64(seen)
	}
	return n
}

func total(rows []store.Posting) (n int) {
	for _, p := range rows {
		n += p.N
	}
	return n
}

// chunks are the chunks that may contain matches, newest first.
func (l *lookup) chunks() []int64 {
	count := map[int64]uint64{} // which terms a chunk has
	for i, t := range l.parsed.terms {
		for _, w := range t.words {
			for _, p := range l.sizes[w.word] {
				count[p.Chunk] |= 1 << i
			}
		}
	}
	must := l.parsed.must()
	allowed := l.allowed()
	var list []int64
	for chunk, has := range count {
		if has&must == must && (allowed == nil || allowed[chunk] == len(l.required)) &&
			chunk >= chunkOf(l.first) && chunk <= chunkOf(l.end) {
			list = append(list, chunk)
		}
	}
	slices.SortFunc(list, func(a, b int64) int { return int(b - a) })
	return list
}

// allowed counts for each chunk how many of the required lists it has a mark of.
func (l *lookup) allowed() map[int64]int {
	if len(l.required) == 0 {
		return nil
	}
	count := map[int64]int{}
	for i, marks := range l.required {
		for _, mark := range marks {
			for _, p := range l.sizes[mark] {
				if count[p.Chunk] == i { // once per list
					count[p.Chunk] = i + 1
				}
			}
		}
	}
	return count
}

// setFloors decides how far down each word is read: rare words completely, common
// ones only in the newest documents.
func (l *lookup) setFloors(chunks []int64) {
	in := map[int64]bool{}
	for _, c := range chunks {
		in[c] = true
	}
	words := l.parsed.words()
	slices.SortStableFunc(words, func(a, b string) int { return total(l.sizes[a]) - total(l.sizes[b]) })
	left := maxPostings
	for i, word := range words {
		share, read := left/(len(words)-i), 0
		for _, p := range l.sizes[word] {
			if !in[p.Chunk] {
				continue
			}
			if read > 0 && read+p.N > share {
				l.floor[word] = p.Chunk + 1
				break
			}
			read += p.N
		}
		left -= min(read, left)
	}
}

// each reads chunks in growing groups and calls take for each chunk until take has
// enough.
func (l *lookup) each(chunks []int64, group int, take func(chunk int64) (enough bool)) error {
	values := l.values()
	for len(chunks) > 0 {
		some := chunks[:min(group, len(chunks))]
		chunks = chunks[len(some):]
		rows, err := l.read(some)
		if err != nil {
			return err
		}
		for _, chunk := range some {
			l.add(chunk, rows, values)
			if take(chunk) {
				return nil
			}
		}
		group = min(8*group, maxGroup)
	}
	return nil
}

type rowKey struct {
	word  string
	chunk int64
}

// read fetches the rows of some chunks, newest first.
func (l *lookup) read(chunks []int64) (map[rowKey][]byte, error) {
	from, to := chunks[len(chunks)-1], chunks[0]
	var words []string
	for _, word := range slices.Concat(l.parsed.words(), slices.Concat(l.required...)) {
		if l.hasRows(word, from, to) {
			words = append(words, word)
		}
	}
	rows := make(map[rowKey][]byte, len(chunks)*len(words))
	err := l.tx.Postings(l.q.Team, l.q.Kind, words, func(word string) int64 { return max(from, l.floor[word]) }, to,
		func(p store.Posting) { rows[rowKey{p.Word, p.Chunk}] = p.Docs })
	return rows, err
}

// hasRows reports whether a word has rows to read within a range.
func (l *lookup) hasRows(word string, from, to int64) bool {
	return to >= l.floor[word] && slices.ContainsFunc(l.sizes[word], func(p store.Posting) bool { return p.Chunk >= from && p.Chunk <= to })
}

// values are what each word is worth by how often a document has it, in the order of
// the terms and their words.
func (l *lookup) values() (list [][maxCount + 1]float32) {
	for _, t := range l.parsed.terms {
		for _, w := range t.words {
			var worth [maxCount + 1]float32
			weight := w.weight * min(l.idf[w.word], l.idf[t.words[0].word])
			for n := range worth {
				worth[n] = float32(weight * float64(n) / (float64(n) + bm25K1))
			}
			list = append(list, worth)
		}
	}
	return list
}

// add computes the scores of a chunk.
func (l *lookup) add(chunk int64, rows map[rowKey][]byte, values [][maxCount + 1]float32) {
	l.scores.begin()
	n := 0
	for i, t := range l.parsed.terms {
		for _, w := range t.words {
			l.scores.add(i, rows[rowKey{w.word, chunk}], &values[n])
			n++
		}
	}
	for _, marks := range l.required {
		var marked docSet
		for _, mark := range marks {
			l.scores.mark(rows[rowKey{mark, chunk}], &marked)
		}
		l.scores.keep(&marked)
	}
}

// visit visits the matching documents of the chunk that was last added, newest first.
func (l *lookup) visit(chunk int64, each func(candidate)) {
	must := l.parsed.must()
	l.scores.any.backward(func(i int) {
		id := chunk<<chunkBits | int64(i)
		if l.scores.has[i]&must == must && id >= l.first && id < l.end {
			each(candidate{id, l.scores.sum[i]})
		}
	})
}

func (l *lookup) found(chunk int64) (list []candidate) {
	l.visit(chunk, func(c candidate) { list = append(list, c) })
	return list
}

// best are the most promising documents; of equals the newest.
func (l *lookup) best() ([]candidate, error) {
	chunks := l.chunks()
	l.setFloors(chunks)
	most := min(max(candidatesPerHit*l.q.Limit, minCandidates), maxCandidates)
	var list []candidate
	bar := float32(-1) // later finds are older, so they must be better
	err := l.each(l.stillRead(chunks), maxGroup, func(chunk int64) bool {
		l.visit(chunk, func(c candidate) {
			if c.score > bar {
				list = append(list, c)
			}
		})
		if len(list) >= 4*most {
			list = top(list, most)
			bar = list[len(list)-1].score
		}
		return false
	})
	return top(list, most), err
}

// stillRead are the chunks in which some word is still read.
func (l *lookup) stillRead(chunks []int64) []int64 {
	in := map[int64]bool{}
	for _, word := range l.parsed.words() {
		for _, p := range l.sizes[word] {
			if p.Chunk < l.floor[word] {
				break
			}
			in[p.Chunk] = true
		}
	}
	return slices.DeleteFunc(chunks, func(c int64) bool { return !in[c] })
}

func top(list []candidate, most int) []candidate {
	slices.SortFunc(list, func(a, b candidate) int { return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(b.id, a.id)) })
	return list[:min(len(list), most)]
}
