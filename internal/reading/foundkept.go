package reading

import (
	"parley"
	"parley/internal/search"
	"parley/internal/store"
)

// Kept is the kind of search that finds what keepers hold.
const Kept = search.Kept

// Kept is the kept message that was found and its keeper, which lacks its counts; ok is
// false if the match was said and not kept.
func (f Found) Kept() (m parley.KeptMessage, of parley.Keeper, ok bool) {
	k, ok := f.Source.(store.FoundKept)
	return k.KeptMessage, k.Of, ok
}
