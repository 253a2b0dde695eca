package keeper

import (
	"parley"
	"parley/internal/store"
)

// Rewrite changes what kept messages say, in the index too.
func (s *Service) Rewrite(tx *store.Tx, list []parley.Kept) error {
	ids := make([]int64, len(list))
	for i, m := range list {
		ids[i] = m.ID
	}
	return s.reindex(tx, ids, func() error {
		for _, m := range list {
			tx.SetKept(m.ID, m.Text)
		}
		return nil
	})
}

// Excerpts are how a message is shown where it was found: in a line, in a raw answer,
// and with a question.
func (s *Service) Excerpts(m parley.Kept) []string {
	return []string{cut(lineOf(m), mostRunes), snippet(m)}
}

// Trim removes what a keeper holds from before a time, and the keeper if nothing is
// left of it.
func (s *Service) Trim(tx *store.Tx, id parley.KeeperID, before parley.Micros) error {
	ids, err := idsOf(tx, id)
	if err != nil {
		return err
	}
	return s.reindex(tx, ids, func() error { return tx.TrimKeeper(id, before) })
}
