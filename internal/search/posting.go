package search

import (
	"cmp"
	"encoding/binary"
	"slices"

	"parley"
	"parley/internal/store"
)

// A row of the index holds the documents of a chunk that have a word: two bytes
// each, its place in the chunk and how often it has the word. They are of one width
// so that a row can be appended to unread.
const (
	chunkBits = 11
	chunkSize = 1 << chunkBits
	countBits = 16 - chunkBits
	mostCount = 1<<countBits - 1
)

func chunkOf(id int64) int64 { return id >> chunkBits }

// posting is one document of a row.
type posting uint16

func newPosting(id int64, count int) posting {
	return posting(id&(chunkSize-1))<<countBits | posting(min(count, mostCount))
}

func (p posting) place() int { return int(p >> countBits) }
func (p posting) count() int { return int(p & mostCount) }

func pack(list []posting) []byte {
	b := make([]byte, 0, 2*len(list))
	for _, p := range list {
		b = binary.BigEndian.AppendUint16(b, uint16(p))
	}
	return b
}

// unpack reads a row, in the order of its documents and each once: what was
// appended later counts. A byte too much is left out.
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

// wordsOf counts the words and marks of a document.
func wordsOf(d Document) map[string]int {
	list := tokens(d.Text)
	words := make(map[string]int, len(list)+len(d.Marks))
	for _, t := range list {
		words[t.word]++
	}
	for _, m := range d.Marks {
		words[m] = 1
	}
	return words
}

// rowsOf sorts documents into the rows that they belong to.
func rowsOf(kind Kind, docs []Document) map[store.PostingKey][]posting {
	rows := map[store.PostingKey][]posting{}
	for _, d := range docs {
		for word, count := range wordsOf(d) {
			k := store.PostingKey{Team: d.Team, Kind: kind, Word: word, Chunk: chunkOf(d.ID)}
			rows[k] = append(rows[k], newPosting(d.ID, count))
		}
	}
	return rows
}

// inOrder are the keys of rows in the order of the table: neighbours share pages,
// and two who change rows at once never wait for each other in a circle.
func inOrder(rows map[store.PostingKey][]posting) []store.PostingKey {
	keys := make([]store.PostingKey, 0, len(rows))
	for k := range rows {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, compareKeys)
	return keys
}

func compareKeys(a, b store.PostingKey) int {
	return cmp.Or(cmp.Compare(a.Team, b.Team), cmp.Compare(a.Word, b.Word), cmp.Compare(a.Chunk, b.Chunk))
}

// addRows appends documents to the index.
func addRows(tx *store.Tx, rows map[store.PostingKey][]posting, keys []store.PostingKey) {
	for _, k := range keys {
		tx.AppendPosting(k, len(rows[k]), pack(rows[k]))
	}
}

// removeRows takes documents out of the rows that they are in, the rows of a chunk
// in one round trip.
func removeRows(tx *store.Tx, rows map[store.PostingKey][]posting, keys []store.PostingKey) error {
	type place struct {
		team  parley.TeamID
		kind  Kind
		chunk int64
	}
	words := map[place][]string{}
	for _, k := range keys {
		p := place{k.Team, k.Kind, k.Chunk}
		words[p] = append(words[p], k.Word)
	}
	changed := map[store.PostingKey][]posting{}
	for p, list := range words {
		err := tx.Postings(p.team, p.kind, list, p.chunk, p.chunk, func(row store.Posting) {
			k := store.PostingKey{Team: p.team, Kind: p.kind, Word: row.Word, Chunk: p.chunk}
			all := unpack(row.Docs, nil)
			if left := without(all, rows[k]); len(left) < len(all) {
				changed[k] = left
			}
		})
		if err != nil {
			return err
		}
	}
	for _, k := range inOrder(changed) {
		tx.SetPosting(k, len(changed[k]), pack(changed[k]))
	}
	return nil
}

// without leaves the documents of gone out of a row.
func without(row, gone []posting) []posting {
	left := make([]posting, 0, len(row))
	for _, p := range row {
		if !slices.ContainsFunc(gone, func(g posting) bool { return g.place() == p.place() }) {
			left = append(left, p)
		}
	}
	return left
}
