package search

import (
	"slices"

	"parley"
	"parley/internal/store"
)

// gapsAfter returns the gaps once late and after are in the index: the old gaps,
// without what has arrived and what can no longer arrive, and the ids missing among
// the new documents. Where documents are stored in the order of their ids there are
// none.
func gapsAfter(old []store.SearchGap, late []int64, mark int64, after []Document, possible bool, now parley.Micros) (list []store.SearchGap) {
	if !possible {
		return nil
	}
	final := now.Add(-store.LateAfter)
	for _, g := range old {
		if g.Found >= final {
			list = append(list, fill(g, late)...)
		}
	}
	for before, i := mark, 0; i < len(after); i++ {
		d := after[i]
		if d.ID > before+1 && d.At >= final {
			list = append(list, store.SearchGap{First: before + 1, Last: d.ID - 1, Found: now})
		}
		before = d.ID
	}
	return list
}

// fill removes ids, which are sorted, from a gap.
func fill(g store.SearchGap, ids []int64) (left []store.SearchGap) {
	start, _ := slices.BinarySearch(ids, g.First)
	for _, id := range ids[start:] {
		if id > g.Last {
			break
		}
		if id > g.First {
			left = append(left, store.SearchGap{First: g.First, Last: id - 1, Found: g.Found})
		}
		g.First = id + 1
	}
	if g.First <= g.Last {
		left = append(left, g)
	}
	return left
}
