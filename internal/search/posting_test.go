package search

import (
	"errors"
	"slices"
	"testing"

	"parley"
	"parley/internal/store"
)

func FuzzPostings(f *testing.F) {
	f.Add([]byte{0, 1, 0xFF, 0xFF, 0, 1})
	f.Add([]byte{9})
	f.Fuzz(func(t *testing.T, row []byte) {
		list := unpack(row, nil)
		for i := 1; i < len(list); i++ {
			if list[i-1].place() >= list[i].place() {
				t.Fatalf("%v of %v", list, row)
			}
		}
		if again := unpack(pack(list), nil); !slices.Equal(list, again) {
			t.Fatalf("%v became %v", list, again)
		}
	})
}

func TestPosting(t *testing.T) {
	for _, c := range []struct {
		id    int64
		count int
	}{{0, 1}, {2047, 31}, {2048, 1}, {1<<40 + 5, 3}} {
		p := newPosting(c.id, c.count)
		if got := chunkOf(c.id)<<chunkBits | int64(p.place()); got != c.id || p.count() != c.count {
			t.Errorf("%+v became %d, %d", c, got, p.count())
		}
	}
	if newPosting(3, 1000).count() != maxCount {
		t.Error("a count that does not fit is not the greatest")
	}
	// What was appended last counts.
	row := pack([]posting{newPosting(5, 1), newPosting(3, 1), newPosting(5, 2)})
	if got := unpack(row, nil); !slices.Equal(got, []posting{newPosting(3, 1), newPosting(5, 2)}) {
		t.Errorf("out of order and twice: %v", got)
	}
}

func FuzzQuery(f *testing.F) {
	for _, s := range []string{`why "did it" fail`, `"`, `"""`, `“smart” quotes`, "sign in", "user_id of the"} {
		f.Add(s, true)
	}
	f.Fuzz(func(t *testing.T, text string, newest bool) {
		w := parse(text, newest)
		if len(w.terms) > maxTerms {
			t.Fatalf("%d terms", len(w.terms))
		}
		said := false
		for _, tok := range tokens(text) {
			said = said || !tok.whole
		}
		if said != (len(w.terms) > 0) {
			t.Fatalf("%q has words: %v, terms: %+v", text, said, w.terms)
		}
		for _, term := range w.terms {
			if term.words[0].word == "" || newest && !term.must && !term.extra {
				t.Fatalf("%q: %+v", text, term)
			}
		}
		w.match(Document{Text: text}, tokens(text))
	})
}

func TestGaps(t *testing.T) {
	const now = parley.Micros(100 * 3600e6)
	old := now.Add(-store.LateAfter) - 1
	doc := func(id int64, at parley.Micros) Document { return Document{ID: id, At: at} }
	gap := func(first, last int64, found parley.Micros) store.SearchGap {
		return store.SearchGap{First: first, Last: last, Found: found}
	}
	for name, c := range map[string]struct {
		old   []store.SearchGap
		late  []int64
		after []Document
		want  []store.SearchGap
	}{
		"nothing is missing":        {after: []Document{doc(11, now), doc(12, now)}},
		"some are missing":          {after: []Document{doc(12, now), doc(15, now)}, want: []store.SearchGap{gap(11, 11, now), gap(13, 14, now)}},
		"long ago nobody is late":   {after: []Document{doc(12, old)}},
		"the first of a gap comes":  {old: []store.SearchGap{gap(3, 6, now)}, late: []int64{3}, want: []store.SearchGap{gap(4, 6, now)}},
		"the middle comes":          {old: []store.SearchGap{gap(3, 6, now)}, late: []int64{4}, want: []store.SearchGap{gap(3, 3, now), gap(5, 6, now)}},
		"all come":                  {old: []store.SearchGap{gap(3, 4, now), gap(8, 8, now)}, late: []int64{3, 4, 8}},
		"what is too late is final": {old: []store.SearchGap{gap(3, 4, old), gap(8, 8, now)}, want: []store.SearchGap{gap(8, 8, now)}},
	} {
		if got := gapsAfter(c.old, c.late, 10, c.after, true, now); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
		if got := gapsAfter(c.old, c.late, 10, c.after, false, now); got != nil {
			t.Errorf("%s, in order: %v", name, got)
		}
	}
}

// A text that is removed while a batch is being prepared must not come back with the
// batch.
func TestABatchDoesNotBringBackWhatWasTakenAway(t *testing.T) {
	w := newWorld(t)
	id := w.say(0, 1, "the word is swordfish")
	b, err := w.prepare(t.Context(), Messages, quietSize)
	if err != nil || len(b.docs) != 1 {
		t.Fatalf("%d documents, %v", len(b.docs), err)
	}
	w.update(func(tx *store.Tx) error {
		err := w.Remove(tx, Messages, []int64{id})
		m, err2 := tx.Message(parley.MessageID(id))
		tx.Redact(m, w.agents[0].ID, "[redacted]", "")
		return errors.Join(err, err2)
	})
	if err := w.st.Update(t.Context(), b.store); !errors.Is(err, errIndexChanged) {
		t.Errorf("the batch was stored: %v", err)
	}
	w.index()
	if n := w.rowsWith("swordfish"); n != 0 {
		t.Errorf("the index has the word in %d rows", n)
	}
}

// A text that is removed after it was indexed leaves no word behind.
func TestRemoveLeavesNoWord(t *testing.T) {
	w := newWorld(t)
	id := w.say(0, 1, "the word is swordfish")
	w.say(0, 1, "the other word")
	w.index()
	if w.rowsWith("swordfish") != 1 || w.rowsWith("word") != 1 {
		t.Fatal("it was not indexed")
	}
	w.update(func(tx *store.Tx) error { return w.Remove(tx, Messages, []int64{id}) })
	if w.rowsWith("swordfish") != 0 || w.rowsWith("word") != 1 {
		t.Error("it was not taken out, or more than it")
	}
}

func (w *world) rowsWith(word string) (n int) {
	w.t.Helper()
	w.update(func(tx *store.Tx) error {
		return tx.PostingSizes(w.team.ID, Messages, []string{stem(word, inEnglish)}, func(string) int { return 10 }, func(p store.Posting) { n++ })
	})
	return n
}
