package sqlite

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"parley"
	"parley/internal/bubbletest"
	"parley/internal/store"
)

// limit lets the file grow by so many pages; 0 lifts the limit.
func (s *Store) limit(t *testing.T, pages int64) {
	t.Helper()
	most := int64(1 << 30)
	s.onWriter(t, func(c *conn) {
		if pages > 0 {
			_ = c.Query(store.Query{SQL: "PRAGMA page_count", Row: func(r store.Row) { most = r.Int(0) + pages }})
		}
		c.exec(fmt.Sprint("PRAGMA max_page_count = ", most))
	})
}

func attachment(id int, size int) func(*store.Tx) error {
	return func(tx *store.Tx) error {
		tx.InsertAttachment(parley.MessageID(id), strings.Repeat("x", size))
		return nil
	}
}

// TestDiskFull fills the file: the error says what to do, acknowledged work stays,
// unacknowledged work is not there, and work continues once there is room again.
func TestDiskFull(t *testing.T) {
	path := filepath.Join(t.TempDir(), "parley.db")
	s := openStore(t, path)
	s.limit(t, 30)
	stored, err := 0, error(nil)
	for err == nil && stored < 1000 {
		if err = s.Update(t.Context(), attachment(stored+1, 3000)); err == nil {
			stored++
		}
	}
	if parley.KindOf(err) != parley.Internal || !strings.Contains(fmt.Sprint(err), "disk is full") ||
		!strings.Contains(fmt.Sprint(err), "Free some space") {
		t.Errorf("after %d: %v", stored, err)
	}
	s.holds(t, stored)
	s.limit(t, 0)
	for range 10 {
		if err := s.Update(t.Context(), attachment(stored+1, 3000)); err != nil {
			t.Fatalf("with room again: %v", err)
		}
		stored++
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	openStore(t, path).holds(t, stored)
}

// holds checks that exactly the first n attachments are there, complete.
func (s *Store) holds(t *testing.T, n int) {
	t.Helper()
	err := s.View(t.Context(), func(tx *store.Tx) error {
		for i := range n {
			if text, err := tx.Attachment(parley.MessageID(i + 1)); len(text) != 3000 || err != nil {
				t.Errorf("number %d of %d: %d bytes, %v", i+1, n, len(text), err)
			}
		}
		if _, err := tx.Attachment(parley.MessageID(n + 1)); err != store.ErrNotFound {
			t.Errorf("one more than was acknowledged: %v", err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A closure that needs more room than there is must not fail the others of its batch,
// even though the engine may end their shared transaction.
func TestDiskFullForOneOfABatch(t *testing.T) {
	for place := range 5 {
		bubbletest.Test(t, func(t *testing.T) {
			s := openStore(t, filepath.Join(t.TempDir(), "parley.db"))
			s.limit(t, 10)
			closures := make([]func(*store.Tx) error, 5)
			for i := range closures {
				closures[i] = attachment(i+1, 100)
			}
			closures[place] = attachment(place+1, 1<<20)
			for i, err := range batch(t, s, closures) {
				if i == place && !strings.Contains(fmt.Sprint(err), "disk is full") || i != place && err != nil {
					t.Errorf("place %d, closure %d: %v", place, i, err)
				}
				readErr := s.View(t.Context(), func(tx *store.Tx) error {
					_, err := tx.Attachment(parley.MessageID(i + 1))
					return err
				})
				if stored := readErr == nil; stored != (i != place) {
					t.Errorf("place %d, closure %d is stored: %v", place, i, stored)
				}
			}
		})
	}
}
