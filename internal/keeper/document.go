package keeper

import (
	"slices"

	"parley"
	"parley/internal/search"
	"parley/internal/store"
)

// Documents gives the index the kept messages.
type Documents struct{}

// Read reads the documents with these ids that still exist.
func (Documents) Read(tx *store.Tx, ids []int64) ([]search.Document, error) {
	list, err := tx.FoundKept(ids)
	return documents(list), err
}

// After reads the documents of all teams with ids after mark, oldest first.
func (Documents) After(tx *store.Tx, mark int64, limit int) ([]search.Document, error) {
	list, err := tx.KeptAfter(mark, limit)
	return documents(list), err
}

func documents(list []store.FoundKept) []search.Document {
	docs := make([]search.Document, len(list))
	for i, m := range list {
		text := m.Text
		if m.Topic != "" {
			text += "\n" + m.Topic // after the text, so that places in it stay
		}
		docs[i] = search.Document{ID: m.ID, Team: m.Team, At: m.At, Text: text, Marks: marks(m), Source: m}
	}
	return docs
}

// marks say who may find a message. They must agree with readers.may.
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

// reindex runs a change to kept messages and updates their entries in the index;
// messages that are gone leave it. Messages that the index has not reached yet will
// be indexed as they are by then.
func (s *Service) reindex(tx *store.Tx, ids []int64, change func() error) error {
	if err := s.index.Remove(tx, search.Kept, ids); err != nil { // takes the index's lock, which comes first
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

// idsOf are the ids of the messages in keepers.
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
