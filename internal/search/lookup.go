package search

import (
	"cmp"
	"math"
	"slices"

	"parley"
	"parley/internal/store"
)

const (
	// mostRows is how many rows of a word are looked at, newest first, and fewRows of
	// one that only stands for another.
	mostRows, fewRows = 1000, 200
	// mostPostings bounds what is ranked: of words that nearly every document has,
	// the newest documents are looked at.
	mostPostings = 100_000
	// mostCandidates is how many documents at most are read to be ranked by their
	// texts, and fewCandidates if few are asked for; manyTimes as many as are asked for
	// between them.
	mostCandidates, fewCandidates, manyTimes = 200, 100, 5
	// mostGroup is how many chunks are read at once.
	mostGroup = 256
	// tailMessages is how much of what is not in the index yet is read.
	tailMessages = 2000
)

// lookup finds the documents in the index that may be what is wanted.
type lookup struct {
	tx   *store.Tx
	q    Query
	want wanted
	// narrow are the marks that a document must have, one of each list.
	narrow [][]string
	sizes  map[string][]store.Posting // of each word and mark, newest first
	tail   map[string]int             // how many have it that are not in the index yet
	idf    map[string]float64
	first  int64 // the first id and the one behind the last that are asked for
	behind int64
	// floor is the chunk down to which a word is read.
	floor map[string]int64
	// lesser are the words that nobody asked for by themselves.
	lesser map[string]bool

	page page
}

// candidate is a document with what the index knows of it.
type candidate struct {
	id    int64
	score float32
}

// newLookup reads how often every word occurs.
func newLookup(tx *store.Tx, q Query, want wanted, groups []parley.Channel) (*lookup, error) {
	l := &lookup{tail: map[string]int{}, tx: tx, q: q, want: want, narrow: q.narrowing(groups), sizes: map[string][]store.Posting{}, idf: map[string]float64{},
		floor: map[string]int64{}, lesser: want.lesser(), behind: math.MaxInt64}
	all := slices.Concat(want.words(), slices.Concat(l.narrow...))
	err := tx.PostingSizes(q.Team, q.Kind, all, l.limit, func(p store.Posting) { l.sizes[p.Word] = append(l.sizes[p.Word], p) })
	return l, err
}

// limit is how many rows of a word are looked at.
func (l *lookup) limit(word string) int {
	if l.lesser[word] {
		return fewRows
	}
	return mostRows
}

// count adds a document that is not in the index yet to how often words occur.
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

// weigh decides what each word counts. documents is about how many there are.
func (l *lookup) weigh(documents int64) {
	for _, word := range l.want.words() {
		n := l.often(word, documents) + float64(l.tail[word])
		l.idf[word] = math.Log(1 + (math.Max(float64(documents), n)-n+0.5)/(n+0.5))
	}
}

// often is how many documents have a word. Of one with more rows than are looked at
// the older ones are taken to be like the newer.
func (l *lookup) often(word string, documents int64) float64 {
	rows := l.sizes[word]
	n := float64(total(rows))
	if len(rows) < fewRows {
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

// chunks are those that may hold what is wanted, newest first.
func (l *lookup) chunks() []int64 {
	count := map[int64]uint64{} // which terms a chunk has
	for i, t := range l.want.terms {
		for _, w := range t.words {
			for _, p := range l.sizes[w.word] {
				count[p.Chunk] |= 1 << i
			}
		}
	}
	must := l.want.must()
	allowed := l.allowed()
	var list []int64
	for chunk, has := range count {
		if has&must == must && (allowed == nil || allowed[chunk] == len(l.narrow)) &&
			chunk >= chunkOf(l.first) && chunk <= chunkOf(l.behind) {
			list = append(list, chunk)
		}
	}
	slices.SortFunc(list, func(a, b int64) int { return int(b - a) })
	return list
}

// allowed counts for each chunk how many of the narrowing lists it has.
func (l *lookup) allowed() map[int64]int {
	if len(l.narrow) == 0 {
		return nil
	}
	count := map[int64]int{}
	for i, marks := range l.narrow {
		for _, mark := range marks {
			for _, p := range l.sizes[mark] {
				if count[p.Chunk] == i { // once a list
					count[p.Chunk] = i + 1
				}
			}
		}
	}
	return count
}

// budget decides how far down each word is read: rare words all the way, and of
// common ones the newest documents.
func (l *lookup) budget(chunks []int64) {
	in := map[int64]bool{}
	for _, c := range chunks {
		in[c] = true
	}
	words := l.want.words()
	slices.SortStableFunc(words, func(a, b string) int { return total(l.sizes[a]) - total(l.sizes[b]) })
	left := mostPostings
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

// each reads chunks in groups that grow, and hands the documents of each that
// have what they must to take, until it has had enough.
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
		group = min(8*group, mostGroup)
	}
	return nil
}

// rowAt names a row that was read.
type rowAt struct {
	word  string
	chunk int64
}

// read fetches the rows of some chunks, newest first.
func (l *lookup) read(chunks []int64) (map[rowAt][]byte, error) {
	from, to := chunks[len(chunks)-1], chunks[0]
	var words []string
	for _, word := range slices.Concat(l.want.words(), slices.Concat(l.narrow...)) {
		if l.reaches(word, from, to) {
			words = append(words, word)
		}
	}
	rows := make(map[rowAt][]byte, len(chunks)*len(words))
	err := l.tx.Postings(l.q.Team, l.q.Kind, words, func(word string) int64 { return max(from, l.floor[word]) }, to,
		func(p store.Posting) { rows[rowAt{p.Word, p.Chunk}] = p.Docs })
	return rows, err
}

// reaches reports whether a word has rows to be read in a range.
func (l *lookup) reaches(word string, from, to int64) bool {
	return to >= l.floor[word] && slices.ContainsFunc(l.sizes[word], func(p store.Posting) bool { return p.Chunk >= from && p.Chunk <= to })
}

// values are what each word is worth by how often a document has it, in the order
// of the terms and their words.
func (l *lookup) values() (list [][mostCount + 1]float32) {
	for _, t := range l.want.terms {
		for _, w := range t.words {
			var worth [mostCount + 1]float32
			weight := w.weight * min(l.idf[w.word], l.idf[t.words[0].word])
			for n := range worth {
				worth[n] = float32(weight * float64(n) / (float64(n) + frequency))
			}
			list = append(list, worth)
		}
	}
	return list
}

// add sums up what the documents of a chunk have.
func (l *lookup) add(chunk int64, rows map[rowAt][]byte, values [][mostCount + 1]float32) {
	l.page.begin()
	n := 0
	for i, t := range l.want.terms {
		for _, w := range t.words {
			l.page.add(i, rows[rowAt{w.word, chunk}], &values[n])
			n++
		}
	}
	for _, marks := range l.narrow {
		var marked places
		for _, mark := range marks {
			l.page.mark(rows[rowAt{mark, chunk}], &marked)
		}
		l.page.keep(&marked)
	}
}

// visit goes through the documents of the chunk that was added up and have what
// they must, newest first.
func (l *lookup) visit(chunk int64, each func(candidate)) {
	must := l.want.must()
	l.page.some.backward(func(i int) {
		id := chunk<<chunkBits | int64(i)
		if l.page.has[i]&must == must && id >= l.first && id < l.behind {
			each(candidate{id, l.page.sum[i]})
		}
	})
}

func (l *lookup) found(chunk int64) (list []candidate) {
	l.visit(chunk, func(c candidate) { list = append(list, c) })
	return list
}

// best are the documents that promise most; of equals the newest.
func (l *lookup) best() ([]candidate, error) {
	chunks := l.chunks()
	l.budget(chunks)
	most := min(max(manyTimes*l.q.Limit, fewCandidates), mostCandidates)
	var list []candidate
	bar := float32(-1) // what is found later is older, and has to be better
	err := l.each(l.reached(chunks), mostGroup, func(chunk int64) bool {
		l.visit(chunk, func(c candidate) {
			if c.score > bar {
				list = append(list, c)
			}
		})
		if len(list) >= 4*most {
			list = foremost(list, most)
			bar = list[len(list)-1].score
		}
		return false
	})
	return foremost(list, most), err
}

// reached are the chunks in which any word is still read.
func (l *lookup) reached(chunks []int64) []int64 {
	in := map[int64]bool{}
	for _, word := range l.want.words() {
		for _, p := range l.sizes[word] {
			if p.Chunk < l.floor[word] {
				break
			}
			in[p.Chunk] = true
		}
	}
	return slices.DeleteFunc(chunks, func(c int64) bool { return !in[c] })
}

func foremost(list []candidate, most int) []candidate {
	slices.SortFunc(list, func(a, b candidate) int { return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(b.id, a.id)) })
	return list[:min(len(list), most)]
}
