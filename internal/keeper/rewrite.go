package keeper

import (
	"parley"
	"parley/internal/store"
)

// Rewrite changes the texts of kept messages, and their entries in the index.
func (s *Service) Rewrite(tx *store.Tx, list []parley.KeptMessage) error {
	ids := make([]int64, len(list))
	for i, m := range list {
		ids[i] = m.ID
	}
	return s.reindex(tx, ids, func() error {
		for _, m := range list {
			tx.SetKeptText(m.ID, m.Text)
		}
		return nil
	})
}

// Rename changes the topic of a keeper, and its entry in the index.
func (s *Service) Rename(tx *store.Tx, id parley.KeeperID, topic string) error {
	ids, err := idsOf(tx, id)
	if err != nil {
		return err
	}
	return s.reindex(tx, ids, func() error {
		tx.SetTopic(id, topic)
		return nil
	})
}

// Excerpts are the forms in which a found message is shown if not as a whole: the
// beginning of a raw answer, what a model is shown for a smart one, and a snippet with
// a question.
func (s *Service) Excerpts(m parley.KeptMessage) []string {
	list := []string{cut(lineOf(m), maxAnswerRunes), snippet(m)}
	for _, n := range cuts {
		list = append(list, cut(entry(m.Text), n))
	}
	return list
}

// Trim removes what a keeper holds from before a time, and the keeper itself if
// nothing is left.
func (s *Service) Trim(tx *store.Tx, id parley.KeeperID, before parley.Micros) error {
	ids, err := idsOf(tx, id)
	if err != nil {
		return err
	}
	return s.reindex(tx, ids, func() error { return tx.TrimKeeper(id, before) })
}
