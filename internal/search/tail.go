package search

import (
	"slices"
	"time"

	"parley/internal/store"
)

const (
	// scanTime is how long a search looks through what is not in the index yet, and
	// for words that it may stand for.
	scanTime = time.Second
	// scanBlock is how many ids are read at once.
	scanBlock = 2048
	// Of the caller's documents that are not in the index, the newest maxHeld are
	// compared also with prefixes and misspellings; older ones only word by word.
	maxHeld = 4000
	// maxTailMatches limits how many of the older ones are ranked.
	maxTailMatches = 4000
)

// scan reads what is not in the index, newest first, until there is no more or the
// time is over.
func (f *searcher) scan(state store.SearchState) error {
	late, err := f.docs.Read(f.tx, state.Late)
	if err != nil {
		return err
	}
	f.incomplete = len(state.Late) == maxLate
	f.hold(late)
	for end := state.Last; end > state.Mark.Upto; {
		from := max(state.Mark.Upto, end-scanBlock)
		list, err := f.docs.After(f.tx, from, int(end-from))
		if err != nil {
			return err
		}
		slices.Reverse(list)
		f.hold(list)
		if end = from; end > state.Mark.Upto && f.timeOver() {
			f.incomplete = true
			break
		}
	}
	return nil
}

// hold keeps the documents that the caller may find.
func (f *searcher) hold(list []Document) {
	for _, d := range list {
		if f.held[d.ID] || !f.covers(d) {
			continue
		}
		f.held[d.ID] = true
		f.behind++
		if len(f.tail) < maxHeld {
			f.tail = append(f.tail, d)
			continue
		}
		f.tokens = tokensInto(d.Text, f.tokens)
		if _, ok := f.parsed.match(d, f.tokens); ok && len(f.tail) < maxHeld+maxTailMatches {
			f.tail = append(f.tail, d)
		}
	}
}

// matchTail compares what is not in the index with the query, and counts how many
// documents have each term.
func (f *searcher) matchTail() {
	f.matches, f.seen = nil, map[int64]bool{}
	f.match(f.tail)
	f.tailWith = make([]int, len(f.parsed.terms))
	for _, r := range f.matches {
		for i, t := range r.terms {
			if t.any() {
				f.tailWith[i]++
			}
		}
	}
}
