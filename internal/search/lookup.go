package search

import (
	"math"
	"slices"

	"parley"
	"parley/internal/store"
)

const (
	// mostRows is how many rows of a word are looked at, newest first.
	mostRows = 1000
	// mostPostings bounds what is ranked: of words that nearly every document has,
	// the newest documents are looked at.
	mostPostings = 150_000
	// mostCandidates is how many documents are read to be ranked by their text.
	mostCandidates = 200
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

	sum  [chunkSize]float32
	has  [chunkSize]uint64
	list []posting
}

// candidate is a document with what the index knows of it.
type candidate struct {
	id    int64
	score float32
}

// newLookup reads how often every word occurs.
func newLookup(tx *store.Tx, q Query, want wanted, groups []parley.Channel) (*lookup, error) {
	l := &lookup{tail: map[string]int{}, tx: tx, q: q, want: want, narrow: q.narrowing(groups), sizes: map[string][]store.Posting{}, idf: map[string]float64{},
		floor: map[string]int64{}, behind: math.MaxInt64}
	all := slices.Concat(want.words(), slices.Concat(l.narrow...))
	err := tx.PostingSizes(q.Team, q.Kind, all, mostRows, func(p store.Posting) { l.sizes[p.Word] = append(l.sizes[p.Word], p) })
	return l, err
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
		n := float64(total(l.sizes[word]) + l.tail[word])
		l.idf[word] = math.Log(1 + (math.Max(float64(documents), n)-n+0.5)/(n+0.5))
	}
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
	for len(chunks) > 0 {
		some := chunks[:min(group, len(chunks))]
		chunks = chunks[len(some):]
		rows, err := l.read(some)
		if err != nil {
			return err
		}
		for _, chunk := range some {
			l.add(rows[chunk])
			if take(chunk) {
				return nil
			}
		}
		group = min(4*group, 64)
	}
	return nil
}

// read fetches the rows of some chunks, by chunk and word.
func (l *lookup) read(chunks []int64) (map[int64]map[string][]byte, error) {
	rows := make(map[int64]map[string][]byte, len(chunks))
	for _, c := range chunks {
		rows[c] = map[string][]byte{}
	}
	from, to := chunks[len(chunks)-1], chunks[0]
	var words []string
	for _, word := range slices.Concat(l.want.words(), slices.Concat(l.narrow...)) {
		if l.reaches(word, from, to) {
			words = append(words, word)
		}
	}
	err := l.tx.Postings(l.q.Team, l.q.Kind, words, from, to, func(p store.Posting) {
		if row := rows[p.Chunk]; row != nil && p.Chunk >= l.floor[p.Word] {
			row[p.Word] = p.Docs
		}
	})
	return rows, err
}

// reaches reports whether a word has rows to be read in a range.
func (l *lookup) reaches(word string, from, to int64) bool {
	return to >= l.floor[word] && slices.ContainsFunc(l.sizes[word], func(p store.Posting) bool { return p.Chunk >= from && p.Chunk <= to })
}

// add sums up what the documents of a chunk have.
func (l *lookup) add(rows map[string][]byte) {
	clear(l.sum[:])
	clear(l.has[:])
	for i, t := range l.want.terms {
		for _, w := range t.words {
			l.list = unpack(rows[w.word], l.list)
			weight := w.weight * min(l.idf[w.word], l.idf[t.words[0].word])
			for _, p := range l.list {
				count := float64(p.count())
				l.sum[p.place()] += float32(weight * count / (count + frequency))
				l.has[p.place()] |= 1 << i
			}
		}
	}
	for _, marks := range l.narrow {
		l.keep(rows, marks)
	}
}

// keep drops the documents that have none of the marks.
func (l *lookup) keep(rows map[string][]byte, marks []string) {
	var marked [chunkSize]bool
	for _, mark := range marks {
		l.list = unpack(rows[mark], l.list)
		for _, p := range l.list {
			marked[p.place()] = true
		}
	}
	for i := range l.has {
		if !marked[i] {
			l.has[i] = 0
		}
	}
}

// found are the documents of the chunk that was added up, newest first.
func (l *lookup) found(chunk int64, list []candidate) []candidate {
	must := l.want.must()
	for i := chunkSize - 1; i >= 0; i-- {
		id := chunk<<chunkBits | int64(i)
		if l.has[i] != 0 && l.has[i]&must == must && id >= l.first && id < l.behind {
			list = append(list, candidate{id, l.sum[i]})
		}
	}
	return list
}

// best are the documents that promise most; of equals the newest.
func (l *lookup) best() ([]candidate, error) {
	chunks := l.chunks()
	l.budget(chunks)
	var list []candidate
	err := l.each(chunks, 64, func(chunk int64) bool {
		if list = l.found(chunk, list); len(list) > 8*mostCandidates {
			list = foremost(list)
		}
		return false
	})
	return foremost(list), err
}

func foremost(list []candidate) []candidate {
	slices.SortFunc(list, func(a, b candidate) int {
		switch {
		case a.score != b.score && a.score > b.score || a.score == b.score && a.id > b.id:
			return -1
		case a == b:
			return 0
		}
		return 1
	})
	return list[:min(len(list), mostCandidates)]
}
