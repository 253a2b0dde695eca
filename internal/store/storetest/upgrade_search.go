package storetest

import (
	"testing"

	"parley/internal/store"
)

// SchemaBeforeStems is how many migrations a database had when only English words
// were stemmed.
const SchemaBeforeStems = 12

// IndexBeforeStems is some of the index that it had. bytes is how the engine writes
// some.
func IndexBeforeStems(bytes string) string {
	return `
	INSERT INTO posting (team_id, kind, word, chunk, n, docs) VALUES (1, 1, 'hauser', 0, 1, ` + bytes + `);
	UPDATE search_mark SET upto = 7;
	INSERT INTO search_gap (kind, first_id, last_id, found_at) VALUES (1, 3, 4, 5);`
}

// UpgradedIndex checks that an index of older words is gone and is made anew.
func UpgradedIndex(t *testing.T, s store.Store) {
	t.Helper()
	err := s.View(t.Context(), func(tx *store.Tx) error {
		err := tx.SearchWords(1, store.SearchMessages, "", "z", func(word string) { t.Errorf("the index still has %q", word) })
		if err != nil {
			return err
		}
		for _, kind := range []store.SearchKind{store.SearchMessages, store.SearchKept} {
			mark, err := tx.SearchMark(kind)
			if err != nil || mark.Upto != 0 {
				t.Errorf("the index begins after %d: %v", mark.Upto, err)
			}
		}
		gaps, err := tx.SearchGaps(store.SearchMessages)
		if len(gaps) > 0 {
			t.Errorf("gaps: %v", gaps)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
