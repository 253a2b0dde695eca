package app

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"unicode"

	"parley"
	"parley/internal/keeper"
	"parley/internal/store"
)

// scan finds kept messages by reading all of them.
type scan struct{ store.Store }

func (s scan) FindKept(ctx context.Context, f keeper.Finding) (hits []keeper.Hit, err error) {
	words := fields(f.Text)
	err = s.View(ctx, func(tx *store.Tx) error {
		hits = nil
		for after := int64(0); ; {
			page, err := tx.KeptAfter(after, 1000)
			if err != nil || len(page) == 0 {
				return err
			}
			after = page[len(page)-1].ID
			for _, m := range page {
				if n := common(words, m); n > 0 && m.Team == f.Team && (f.Keeper == 0 || f.Keeper == m.Keeper) {
					hits = append(hits, keeper.Hit{Kept: m.ID, Score: float64(n)})
				}
			}
		}
	})
	slices.SortStableFunc(hits, func(a, b keeper.Hit) int { return cmp.Compare(b.Score, a.Score) })
	return hits[:min(len(hits), f.Limit)], err
}

func fields(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

func common(words []string, m parley.Kept) (n int) {
	in := fields(m.Text)
	for _, w := range words {
		if slices.Contains(in, w) {
			n++
		}
	}
	return n
}
