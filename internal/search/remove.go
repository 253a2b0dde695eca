package search

import (
	"parley"
	"parley/internal/store"
)

// Remove takes documents out of the index. It must run before their texts change or
// go, in the same transaction, since it needs the indexed words. Documents that are
// not in the index yet do no harm.
func (s *Service) Remove(tx *store.Tx, kind Kind, ids []int64) error {
	docs, ok := s.kinds[kind]
	if !ok || len(ids) == 0 {
		return nil
	}
	tx.CountRemoval(kind)
	list, err := docs.Read(tx, ids)
	if err != nil {
		return err
	}
	return removeRows(tx, rowsOf(kind, list))
}

// Put adds documents to the index. If they are in it already with other words or
// marks, Remove must come first.
func (s *Service) Put(tx *store.Tx, kind Kind, docs []Document) {
	tx.CountRemoval(kind)
	appendRows(tx, rowsOf(kind, docs))
}

// Forget is Remove for messages.
func (s *Service) Forget(tx *store.Tx, messages []parley.MessageID) error {
	ids := make([]int64, len(messages))
	for i, id := range messages {
		ids[i] = int64(id)
	}
	return s.Remove(tx, Messages, ids)
}
