package search

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"parley"
	"parley/internal/bubbletest"
	"parley/internal/store"
)

// viewed counts the views of a store.
type viewed struct {
	store.Store
	views atomic.Int64
}

func (v *viewed) View(ctx context.Context, fn func(*store.Tx) error) error {
	v.views.Add(1)
	return v.Store.View(ctx, fn)
}

// A hub that nobody uses for weeks does not look once, and then picks up what is
// written.
func TestTheProjectorSleepsUntilSomethingIsWritten(t *testing.T) {
	bubbletest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		counted := &viewed{Store: w.st}
		w.store = counted
		var ended sync.WaitGroup
		ctx, stop := context.WithCancel(t.Context())
		ended.Go(func() { w.Run(ctx, slog.New(slog.DiscardHandler)) })
		wrote := func() {
			w.say(0, 1, "the beacon")
			w.update(func(tx *store.Tx) error {
				tx.Record(parley.Event{Team: w.team.ID, Kind: parley.EventMessage})
				return nil
			})
			time.Sleep(time.Hour)
		}
		wrote()
		before := counted.views.Load()
		time.Sleep(40 * 24 * time.Hour)
		if n := counted.views.Load() - before; n != 0 {
			t.Errorf("it looked %d times in forty days", n)
		}
		wrote()
		if n := w.rowsWith("beacon"); n != 1 {
			t.Errorf("%d rows", n)
		}
		w.update(func(tx *store.Tx) error {
			mark, err := tx.SearchMark(Messages)
			if mark.Upto != 2 {
				t.Errorf("the index is at %+v", mark)
			}
			return err
		})
		stop()
		ended.Wait()
	})
}

// If there is more, a batch ends with a chunk, so that each row is written once.
func TestBatchSizes(t *testing.T) {
	docs := func(from, to int64, text string) (list []Document) {
		for id := from; id <= to; id++ {
			list = append(list, Document{ID: id, Text: text})
		}
		return list
	}
	for name, c := range map[string]struct {
		size batchSize
		docs []Document
		want int
	}{
		"all there is":        {batchSize{10, 100}, docs(1, 5, "a"), 5},
		"within one chunk":    {batchSize{5, 100}, docs(1, 5, "a"), 5},
		"up to a chunk's end": {batchSize{5, 100}, docs(chunkSize-3, chunkSize+1, "a"), 3},
		"nothing after it":    {batchSize{10, 100}, docs(chunkSize-3, chunkSize+1, "a"), 5},
		"too much text":       {batchSize{10, 7}, docs(1, 5, "abc"), 3},
		"one long text":       {batchSize{10, 7}, docs(1, 5, "abcdefghij"), 1},
		"nothing":             {batchSize{10, 7}, nil, 0},
	} {
		if got := len(c.size.cut(c.docs)); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}

// Words and marks are sorted into rows by chunk, with their counts.
func TestRowsOf(t *testing.T) {
	list := []Document{
		{ID: chunkSize, Team: 1, Text: "pear"},
		{ID: 3, Team: 2, Text: "pear"},
		{ID: 2, Team: 1, Text: "pear apple pear", Marks: []string{"@7"}},
	}
	var got string
	for _, r := range rowsOf(Messages, list) {
		got += fmt.Sprintf("%d %s %d %d %d; ", r.Team, r.Word, r.Chunk, r.N, unpack(r.Docs, nil)[0].count())
	}
	if want := "1 ! 0 1 1; 1 ! 1 1 1; 1 @7 0 1 1; 1 appl 0 1 1; 1 pear 0 1 2; 1 pear 1 1 1; 2 ! 0 1 1; 2 pear 0 1 1; "; got != want {
		t.Errorf("%s", got)
	}
}
