package search

import (
	"cmp"
	"encoding/binary"
	"slices"
	"unicode/utf8"

	"parley"
	"parley/internal/store"
)

// A row of the index holds the documents of a chunk that contain a word, two bytes
// each: the position in the chunk and how often the word occurs. The width is fixed
// so that a row can be appended to without being read.
const (
	chunkBits = 11
	chunkSize = 1 << chunkBits
	countBits = 16 - chunkBits
	maxCount  = 1<<countBits - 1
)

func chunkOf(id int64) int64 { return id >> chunkBits }

// posting is one document of a row.
type posting uint16

func newPosting(id int64, count int) posting {
	return posting(id&(chunkSize-1))<<countBits | posting(min(count, maxCount))
}

func (p posting) place() int { return int(p >> countBits) }
func (p posting) count() int { return int(p & maxCount) }

func pack(list []posting) []byte {
	b := make([]byte, 0, 2*len(list))
	for _, p := range list {
		b = p.append(b)
	}
	return b
}

func (p posting) append(b []byte) []byte { return binary.BigEndian.AppendUint16(b, uint16(p)) }

// unpack reads a row, sorted by document and each document once: what was appended
// last counts. A surplus byte is ignored.
func unpack(b []byte, list []posting) []posting {
	list = list[:0]
	ordered := true
	for i := 0; i+1 < len(b); i += 2 {
		p := posting(binary.BigEndian.Uint16(b[i:]))
		ordered = ordered && (len(list) == 0 || list[len(list)-1].place() < p.place())
		list = append(list, p)
	}
	if ordered {
		return list
	}
	slices.Reverse(list)
	slices.SortStableFunc(list, func(a, b posting) int { return a.place() - b.place() })
	return slices.CompactFunc(list, func(a, b posting) bool { return a.place() == b.place() })
}

// rowsOf sorts documents into rows, in the order of the table.
func rowsOf(kind Kind, docs []Document) []store.PostingRow {
	docs = slices.Clone(docs)
	slices.SortFunc(docs, func(a, b Document) int { return cmp.Compare(a.ID, b.ID) })
	b := rowBuilder{of: map[teamWord]int{}}
	var list []token
	for _, d := range docs {
		list = tokensInto(d.Text, list)
		foreign := false
		for i := range list {
			b.add(d, list[i].word)
			foreign = foreign || list[i].lang != inEnglish && list[i].lang < latinLanguages
		}
		if foreign {
			b.add(d, foreignMark)
		}
		for _, mark := range d.Marks {
			b.add(d, mark)
		}
		b.add(d, everyMark)
	}
	return b.rows(kind)
}

// rowBuilder collects the documents of every word.
type rowBuilder struct {
	of    map[teamWord]int
	words []wordDocs
}

type teamWord struct {
	team parley.TeamID
	word string
}

type wordDocs struct {
	teamWord
	docs []docCount
}

type docCount struct {
	id    int64
	times int
}

// add counts a word of a document. Documents must come in the order of their ids.
func (g *rowBuilder) add(d Document, word string) {
	k := teamWord{d.Team, word}
	i, ok := g.of[k]
	if !ok {
		i = len(g.words)
		g.of[k] = i
		g.words = append(g.words, wordDocs{teamWord: k})
	}
	w := &g.words[i]
	if n := len(w.docs); n > 0 && w.docs[n-1].id == d.ID {
		w.docs[n-1].times++
		return
	}
	w.docs = append(w.docs, docCount{d.ID, 1})
}

func (g *rowBuilder) rows(kind Kind) (rows []store.PostingRow) {
	slices.SortFunc(g.words, func(a, b wordDocs) int {
		return cmp.Or(cmp.Compare(a.team, b.team), cmp.Compare(a.word, b.word))
	})
	for _, w := range g.words {
		for docs := w.docs; len(docs) > 0; {
			r := store.PostingRow{PostingKey: store.PostingKey{Team: w.team, Kind: kind, Word: w.word, Chunk: chunkOf(docs[0].id)}}
			for len(docs) > 0 && chunkOf(docs[0].id) == r.Chunk {
				r.Docs = newPosting(docs[0].id, docs[0].times).append(r.Docs)
				r.N++
				docs = docs[1:]
			}
			rows = append(rows, r)
		}
	}
	return rows
}

// appendRows adds rows to the index, and their words to those that a misspelled one is
// compared with.
func appendRows(tx *store.Tx, rows []store.PostingRow) {
	tx.AppendPostings(rows)
	var words []store.PostingKey
	for i, r := range rows {
		if correctable(r.Word) && (i == 0 || rows[i-1].Word != r.Word || rows[i-1].Team != r.Team) {
			words = append(words, store.PostingKey{Team: r.Team, Kind: r.Kind, Word: backward(r.Word)})
		}
	}
	slices.SortFunc(words, func(a, b store.PostingKey) int {
		return cmp.Or(cmp.Compare(a.Team, b.Team), cmp.Compare(a.Word, b.Word))
	})
	tx.AddSearchWords(words)
}

// correctable reports whether a misspelled word may stand for this one.
func correctable(word string) bool {
	n := utf8.RuneCountInString(word)
	return n >= minTypo-1 && n <= maxCorrectable && onlyLetters(word)
}

// maxCorrectable is how long a word can be that is meant by a misspelled one.
const maxCorrectable = 24

// removeRows removes documents from their rows, those of a chunk in one round trip.
func removeRows(tx *store.Tx, rows []store.PostingRow) error {
	type place struct {
		team  parley.TeamID
		kind  Kind
		chunk int64
	}
	words := map[place][]string{}
	gone := map[store.PostingKey][]byte{}
	for _, r := range rows {
		p := place{r.Team, r.Kind, r.Chunk}
		words[p] = append(words[p], r.Word)
		gone[r.PostingKey] = r.Docs
	}
	left := map[store.PostingKey][]posting{}
	for p, list := range words {
		err := tx.Postings(p.team, p.kind, list, func(string) int64 { return p.chunk }, p.chunk, func(row store.Posting) {
			k := store.PostingKey{Team: p.team, Kind: p.kind, Word: row.Word, Chunk: p.chunk}
			all := unpack(row.Docs, nil)
			if some := without(all, unpack(gone[k], nil)); len(some) < len(all) {
				left[k] = some
			}
		})
		if err != nil {
			return err
		}
	}
	for _, r := range rows { // in the order of the table
		if some, changed := left[r.PostingKey]; changed {
			tx.SetPosting(r.PostingKey, len(some), pack(some))
			if len(some) == 0 && correctable(r.Word) {
				tx.RemoveSearchWord(r.PostingKey, backward(r.Word))
			}
		}
	}
	return nil
}

// without returns a row without the documents of gone.
func without(row, gone []posting) []posting {
	left := make([]posting, 0, len(row))
	for _, p := range row {
		if !slices.ContainsFunc(gone, func(g posting) bool { return g.place() == p.place() }) {
			left = append(left, p)
		}
	}
	return left
}
