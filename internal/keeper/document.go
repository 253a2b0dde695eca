package keeper

import (
	"slices"

	"parley"
	"parley/internal/search"
	"parley/internal/store"
)

// Documents are the kept messages as the index reads them.
type Documents struct{}

// Read reads those of the documents that are there.
func (Documents) Read(tx *store.Tx, ids []int64) ([]search.Document, error) {
	list, err := tx.FoundKept(ids)
	return documents(list), err
}

// After reads the documents of all teams behind an id, oldest first.
func (Documents) After(tx *store.Tx, mark int64, limit int) ([]search.Document, error) {
	list, err := tx.KeptAfter(mark, limit)
	return documents(list), err
}

func documents(list []store.FoundKept) []search.Document {
	docs := make([]search.Document, len(list))
	for i, m := range list {
		docs[i] = search.Document{ID: m.ID, Team: m.Team, At: m.At, Text: m.Text, Marks: marks(m), Source: m}
	}
	return docs
}

// marks say who may find a message, as readers.may does.
func marks(m store.FoundKept) []string {
	list := []string{search.KeeperMark(m.Keeper), search.AuthorMark(m.Author)}
	switch {
	case m.Of.Shared:
		return append(list, search.TeamMark)
	case m.Private || m.Of.Channel == 0 || m.Channel.Kind == "":
		return append(list, search.ReaderMark(m.Of.Owner))
	}
	return append(list, search.ReaderMarks(m.Channel)...)
}

// reindex changes something about messages that the index knows, and tells it what
// they are then; those that are gone it forgets. What it has not come to yet it
// finds as it is.
func (s *Service) reindex(tx *store.Tx, ids []int64, change func() error) error {
	if err := s.index.Remove(tx, search.Kept, ids); err != nil { // its lock comes first
		return err
	}
	mark, err := tx.SearchMark(search.Kept)
	if err != nil {
		return err
	}
	late, err := tx.InSearchGaps(search.Kept, 1<<20)
	if err != nil {
		return err
	}
	if err := change(); err != nil {
		return err
	}
	known := slices.DeleteFunc(slices.Clone(ids), func(id int64) bool { return id > mark.Upto || slices.Contains(late, id) })
	list, err := tx.FoundKept(known)
	if err == nil && len(list) > 0 {
		s.index.Put(tx, search.Kept, documents(list))
	}
	return err
}

// idsOf are the numbers of the messages of keepers.
func idsOf(tx *store.Tx, keepers ...parley.KeeperID) (ids []int64, err error) {
	for _, id := range keepers {
		list, err := tx.KeptIn(id)
		if err != nil {
			return nil, err
		}
		for _, m := range list {
			ids = append(ids, m.ID)
		}
	}
	return ids, nil
}
