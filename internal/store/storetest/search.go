package storetest

import (
	"bytes"
	"errors"
	"slices"
	"strconv"
	"testing"
	"time"

	"parley"
	"parley/internal/store"
)

func (w *world) posting(word string, chunk int64) store.PostingKey {
	return store.PostingKey{Team: w.team.ID, Kind: store.SearchMessages, Word: word, Chunk: chunk}
}

func (w *world) append(rows ...store.PostingRow) {
	w.t.Helper()
	w.update(func(tx *store.Tx) error {
		tx.AppendPostings(rows)
		return nil
	})
}

func postingsRoundTrip(t *testing.T, open Open) {
	w := newWorld(t, open)
	w.append(store.PostingRow{PostingKey: w.posting("other", 3), N: 1, Docs: []byte{9, 9}},
		store.PostingRow{PostingKey: w.posting("parser", 0), N: 2, Docs: []byte{0, 1, 0xFF, 0}},
		store.PostingRow{PostingKey: w.posting("parser", 3), N: 1, Docs: []byte{7, 7}})
	w.append(store.PostingRow{PostingKey: w.posting("parser", 0), N: 1, Docs: []byte{0, 0}}) // bytes are not text: zeros survive
	w.view(func(tx *store.Tx) error {
		var sizes []store.Posting
		err := tx.PostingSizes(w.team.ID, store.SearchMessages, []string{"parser", "none"}, func(string) int { return 10 }, func(p store.Posting) { sizes = append(sizes, p) })
		if len(sizes) != 2 || sizes[0].Chunk != 3 || sizes[1].Chunk != 0 || sizes[1].N != 3 {
			t.Errorf("newest first, with their sizes: %+v", sizes)
		}
		return err
	})
	if got := w.rows(0, 3, "parser"); len(got) != 2 || !bytes.Equal(got[1].Docs, []byte{0, 1, 0xFF, 0, 0, 0}) {
		t.Errorf("appended: %v", got)
	}
	if got := w.rows(1, 3, "parser", "other"); len(got) != 2 || got[1].Word != "other" {
		t.Errorf("a range: %v", got)
	}
	w.update(func(tx *store.Tx) error {
		tx.SetPosting(w.posting("parser", 0), 1, []byte{5, 5})
		tx.SetPosting(w.posting("parser", 3), 0, nil)
		return nil
	})
	if got := w.rows(0, 9, "parser"); len(got) != 1 || got[0].N != 1 || !bytes.Equal(got[0].Docs, []byte{5, 5}) {
		t.Errorf("rewritten: %v", got)
	}
}

// A word finds its row again whatever characters it has. Many rows at once work too.
func postingsOfOddWords(t *testing.T, open Open) {
	w := newWorld(t, open)
	words := []string{"", " ", `"`, `\`, `\"{},`, "{", "null", "NULL", "日本", ">7", "*"}
	for i := range 2500 {
		words = append(words, "word"+strconv.Itoa(i))
	}
	slices.Sort(words)
	var rows []store.PostingRow
	for i, word := range words {
		rows = append(rows, store.PostingRow{PostingKey: w.posting(word, 1), N: i, Docs: []byte{byte(i), '\\'}})
	}
	w.append(rows...)
	w.append(rows...)
	got := w.rows(1, 1, words...)
	if len(got) != len(words) {
		t.Fatalf("%d rows of %d", len(got), len(words))
	}
	for i, p := range got {
		if p.Word != words[i] || p.N != 2*i || !bytes.Equal(p.Docs, []byte{byte(i), '\\', byte(i), '\\'}) {
			t.Fatalf("%q became %+v", words[i], p)
		}
	}
}

func (w *world) rows(from, to int64, words ...string) (list []store.Posting) {
	w.t.Helper()
	w.view(func(tx *store.Tx) error {
		list = nil
		return tx.Postings(w.team.ID, store.SearchMessages, words, func(string) int64 { return from }, to, func(p store.Posting) { list = append(list, p) })
	})
	return list
}

// searchWords go from word to word, and from row to row of words with a beginning.
func searchWords(t *testing.T, open Open) {
	w := newWorld(t, open)
	var rows []store.PostingRow
	for _, word := range []string{"part", "party", "past", "zum", "été"} {
		for chunk := range int64(3) {
			rows = append(rows, store.PostingRow{PostingKey: w.posting(word, chunk), N: 1, Docs: []byte{1, byte(chunk)}})
		}
	}
	w.append(rows...)
	back := func(words ...string) (list []store.PostingKey) {
		for _, word := range words {
			list = append(list, w.posting(word, 0))
		}
		return list
	}
	w.update(func(tx *store.Tx) error {
		tx.AddSearchWords(back("trap", "tsap", "ytrap"))
		tx.AddSearchWords(back("trap", "\"\\", "été"))     // known ones stay
		tx.RemoveSearchWord(w.posting("past", 0), "tsap")  // has rows
		tx.RemoveSearchWord(w.posting("gone", 0), "ytrap") // has none
		return nil
	})
	w.view(func(tx *store.Tx) error {
		var words, ends, read []string
		err := tx.SearchWords(w.team.ID, store.SearchMessages, "par", "pat", func(word string) { words = append(words, word) })
		if !slices.Equal(words, []string{"part", "party", "past"}) {
			t.Errorf("by the beginning: %q", words)
		}
		err2 := tx.SearchWordsBackward(w.team.ID, store.SearchMessages, "t", "u", func(word string) { ends = append(ends, word) })
		if slices.Sort(ends); !slices.Equal(ends, []string{"trap", "tsap"}) {
			t.Errorf("by the end: %q", ends)
		}
		err3 := tx.PostingsFrom(w.posting("part", 1), "party~", 3, func(p store.Posting) { read = append(read, p.Word+strconv.FormatInt(p.Chunk, 10)) })
		if !slices.Equal(read, []string{"part2", "party0", "party1"}) {
			t.Errorf("rows after one: %q", read)
		}
		return errors.Join(err, err2, err3)
	})
}

func searchMarks(t *testing.T, open Open) {
	w := newWorld(t, open)
	w.update(func(tx *store.Tx) error {
		m, err := tx.LockSearchMark(store.SearchMessages)
		if m != (store.SearchMark{}) {
			t.Errorf("at first: %+v", m)
		}
		tx.MoveSearchMark(store.SearchMessages, 41)
		tx.CountRemoval(store.SearchMessages)
		tx.SetSearchGaps(store.SearchMessages, []store.SearchGap{{First: 3, Last: 9, Found: 5}, {First: 20, Last: 20, Found: 6}})
		return err
	})
	w.update(func(tx *store.Tx) error {
		tx.SetSearchGaps(store.SearchMessages, []store.SearchGap{{First: 4, Last: 9, Found: 5}})
		return nil
	})
	w.view(func(tx *store.Tx) error {
		m, err := tx.SearchMark(store.SearchMessages)
		kept, err2 := tx.SearchMark(store.SearchKept)
		gaps, err3 := tx.SearchGaps(store.SearchMessages)
		if m != (store.SearchMark{Upto: 41, Removals: 1}) || kept != (store.SearchMark{}) {
			t.Errorf("marks: %+v, %+v", m, kept)
		}
		if !slices.Equal(gaps, []store.SearchGap{{First: 4, Last: 9, Found: 5}}) {
			t.Errorf("gaps: %+v", gaps)
		}
		return errors.Join(err, err2, err3)
	})
}

// Of two hubs that index at once, one adds and the other learns that somebody else
// does. With a single writer they take turns.
func oneIndexes(t *testing.T, open Open) {
	w := newWorld(t, open)
	inside, release, done := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	if !w.Shared() {
		close(release)
	}
	go func() {
		done <- w.Update(t.Context(), func(tx *store.Tx) error {
			_, err := tx.LockSearchMark(store.SearchMessages)
			tx.MoveSearchMark(store.SearchMessages, 7)
			close(inside)
			<-release
			return err
		})
	}()
	<-inside
	err := w.Update(t.Context(), func(tx *store.Tx) error {
		m, err := tx.LockSearchMark(store.SearchMessages)
		if !w.Shared() && m.Upto != 7 {
			t.Errorf("after the other one: %+v", m)
		}
		return err
	})
	if w.Shared() && !errors.Is(err, store.ErrNotFound) || !w.Shared() && err != nil {
		t.Errorf("while somebody is at it: %v", err)
	}
	if w.Shared() {
		close(release)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func foundMessages(t *testing.T, open Open) {
	clock := newClock()
	w := newWorldAt(t, open, clock.now)
	dm := w.dm()
	var ids []int64
	for range 120 {
		clock.move(time.Second)
		w.update(func(tx *store.Tx) error {
			m, err := w.post(tx, dm.Main, "Hello.", w.bob)
			ids = append(ids, int64(m.ID))
			return err
		})
	}
	w.update(func(tx *store.Tx) error {
		tx.InsertAttachment(parley.MessageID(ids[0]), "Hello, all of it.")
		return nil
	})
	w.view(func(tx *store.Tx) error {
		list, err := tx.FoundMessages(append([]int64{1 << 40}, ids...))
		if len(list) != 120 || list[0].Whole != "Hello, all of it." || list[1].Whole != "" || list[119].Channel.B != dm.B {
			t.Errorf("%d found, the first %+v", len(list), list[0])
		}
		after, err2 := tx.MessagesAfter(ids[100], 5)
		if len(after) != 5 || int64(after[0].ID) != ids[101] || after[0].Channel.Kind != parley.DM {
			t.Errorf("after: %+v", after)
		}
		last, err3 := tx.LastDocument(store.SearchMessages)
		id, at, err4 := tx.DocumentFrom(store.SearchMessages, ids[60])
		if last != ids[119] || id != ids[60] || at != list[60].At {
			t.Errorf("last %d, from %d at %d", last, id, at)
		}
		return errors.Join(err, err2, err3, err4)
	})
}

// A message that got its id early but is stored late appears in a gap.
func lateMessages(t *testing.T, open Open) {
	w := newWorld(t, open)
	dm := w.dm()
	var first, last int64
	w.update(func(tx *store.Tx) error {
		a, err := w.post(tx, dm.Main, "One.", w.bob)
		b, err2 := w.post(tx, dm.Main, "Two.", w.bob)
		first, last = int64(a.ID), int64(b.ID)
		tx.SetSearchGaps(store.SearchMessages, []store.SearchGap{{First: first, Last: first}, {First: last + 100, Last: last + 200}})
		return errors.Join(err, err2)
	})
	w.view(func(tx *store.Tx) error {
		ids, err := tx.InSearchGaps(store.SearchMessages, 10)
		if tx.OutOfOrder() && !slices.Equal(ids, []int64{first}) || !tx.OutOfOrder() && len(ids) != 0 {
			t.Errorf("in the gaps: %v", ids)
		}
		return err
	})
}
