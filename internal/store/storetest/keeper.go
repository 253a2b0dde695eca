package storetest

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/internal/store"
)

// keeper stores a keeper of Ann with a message for each text.
func (w *world) keeper(k parley.Keeper, texts ...string) parley.Keeper {
	w.t.Helper()
	k.Team, k.Owner = w.team.ID, w.ann.ID
	w.update(func(tx *store.Tx) error {
		var list []parley.KeptMessage
		for i, text := range texts {
			list = append(list, parley.KeptMessage{Role: parley.RoleUser, Author: w.bob.ID, Text: text, Message: parley.MessageID(100 + i), At: tx.Now})
		}
		tx.InsertKeeper(&k, list)
		return nil
	})
	return k
}

func (w *world) kept(id parley.KeeperID) (texts []string) {
	w.t.Helper()
	w.view(func(tx *store.Tx) error {
		list, err := tx.KeptIn(id)
		for _, m := range list {
			texts = append(texts, m.Text)
		}
		return err
	})
	return texts
}

func keeperRoundTrip(t *testing.T, open Open) {
	w := newWorld(t, open)
	stored := w.keeper(parley.Keeper{Channel: 3, Thread: 4, Task: 5, Topic: "a topic", Automatic: true, Key: "k"}, "first", "zweite Übung")
	if stored.ID == 0 || stored.Count != 2 || stored.Size != 17 || stored.CreatedAt == 0 {
		t.Errorf("stored as %+v", stored)
	}
	w.view(func(tx *store.Tx) error {
		got, err := tx.Keeper(stored.ID)
		if d := cmp.Diff(stored, got); d != "" || err != nil {
			t.Error(d, err)
		}
		got, err = tx.KeeperByKey(w.ann.ID, "k")
		if got.ID != stored.ID || err != nil {
			t.Errorf("by its key: %+v, %v", got, err)
		}
		if _, err := tx.KeeperByKey(w.bob.ID, "k"); err != store.ErrNotFound {
			t.Errorf("another's key: %v", err)
		}
		if _, err := tx.KeeperByKey(w.ann.ID, ""); err != store.ErrNotFound {
			t.Errorf("no key: %v", err)
		}
		list, err := tx.KeptIn(stored.ID)
		if err != nil || len(list) != 2 || list[0].N != 1 || list[0].Name() != stored.ID.String()+"/1" || list[1].Text != "zweite Übung" {
			t.Errorf("kept: %+v, %v", list, err)
		}
		byID, err := tx.FoundKept([]int64{list[1].ID, 1 << 40, list[0].ID})
		if len(byID) != 2 || byID[0].KeptMessage != list[0] || byID[1].Of.Topic != "a topic" || byID[1].Of.Owner != w.ann.ID || err != nil {
			t.Errorf("found: %+v, %v", byID, err)
		}
		after, err := tx.KeptAfter(list[0].ID, 10)
		if len(after) != 1 || after[0].KeptMessage != list[1] || err != nil {
			t.Errorf("after: %+v, %v", after, err)
		}
		return nil
	})
	err := w.Update(t.Context(), func(tx *store.Tx) error {
		tx.InsertKeeper(&parley.Keeper{Team: w.team.ID, Owner: w.ann.ID, Key: "k"}, nil)
		return nil
	})
	if err == nil {
		t.Error("a key stands for two keepers")
	}
	w.keeper(parley.Keeper{}, "x")
	w.keeper(parley.Keeper{}, "x") // without a key, nothing conflicts
}

// Messages come oldest first, whatever the order of a list of keepers.
func keepersDoNotComeBackReversed(t *testing.T, open Open) {
	w := newWorld(t, open)
	var texts []string
	for i := range 30 {
		texts = append(texts, string(rune('a'+i)))
	}
	first := w.keeper(parley.Keeper{Topic: "long"}, texts...)
	second := w.keeper(parley.Keeper{Topic: "short"}, "z", "y")
	if d := cmp.Diff(texts, w.kept(first.ID)); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"z", "y"}, w.kept(second.ID)); d != "" {
		t.Error(d)
	}
	w.view(func(tx *store.Tx) error {
		list, err := tx.Keepers(w.team.ID, 0, 10)
		if len(list) != 2 || list[0].ID != second.ID {
			t.Errorf("list: %+v", list)
		}
		if list, _ := tx.Keepers(w.team.ID, second.ID, 10); len(list) != 1 || list[0].ID != first.ID {
			t.Errorf("the rest: %+v", list)
		}
		if list, _ := tx.Keepers(w.team.ID+1, 0, 10); len(list) != 0 {
			t.Errorf("another team: %+v", list)
		}
		return err
	})
}

func keeperUse(t *testing.T, open Open) {
	clock := newClock()
	w := newWorldAt(t, open, clock.now)
	used, idle := w.keeper(parley.Keeper{}, "a"), w.keeper(parley.Keeper{}, "b")
	clock.move(time.Hour)
	w.update(func(tx *store.Tx) error {
		tx.CountKeeperUses(used.ID, 3)
		tx.ShareKeeper(used.ID)
		return nil
	})
	w.view(func(tx *store.Tx) error {
		k, err := tx.Keeper(used.ID)
		if k.Uses != 3 || k.UsedAt != tx.Now || !k.Shared || k.LastUsed() != tx.Now {
			t.Errorf("used: %+v", k)
		}
		list, failed := tx.IdleKeepers(w.team.ID, tx.Now.Add(-time.Minute))
		if len(list) != 1 || list[0].ID != idle.ID || failed != nil {
			t.Errorf("idle: %+v, %v", list, failed)
		}
		return err
	})
}

// Removed keepers are gone, and their numbers are not reused.
func keeperRemoval(t *testing.T, open Open) {
	w := newWorld(t, open)
	first, second := w.keeper(parley.Keeper{Key: "one"}, "a", "b"), w.keeper(parley.Keeper{Key: "two"}, "c", "d")
	w.update(func(tx *store.Tx) error {
		tx.RemoveKeeper(first.ID)
		tx.RemoveKeeper(second.ID)
		return nil
	})
	w.view(func(tx *store.Tx) error {
		for _, id := range []parley.KeeperID{first.ID, second.ID} {
			if _, err := tx.Keeper(id); err != store.ErrNotFound {
				t.Errorf("%s: %v", id, err)
			}
		}
		list, err := tx.KeptAfter(0, 10)
		if len(list) != 0 {
			t.Errorf("left: %+v", list)
		}
		return err
	})
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	w.Store = mustOpen(t, open, time.Now)
	third := w.keeper(parley.Keeper{Key: "two"}, "e")
	if third.ID <= second.ID {
		t.Errorf("%s was given out again", third.ID)
	}
	w.view(func(tx *store.Tx) error {
		list, err := tx.KeptIn(third.ID)
		if len(list) != 1 || list[0].ID <= 4 {
			t.Errorf("its messages: %+v", list)
		}
		return err
	})
}

func keeperRetention(t *testing.T, open Open) {
	clock := newClock()
	w := newWorldAt(t, open, clock.now)
	old := w.keeper(parley.Keeper{}, "old")
	var mixed parley.Keeper
	clock.move(time.Hour)
	w.update(func(tx *store.Tx) error {
		mixed = parley.Keeper{Team: w.team.ID, Owner: w.ann.ID}
		tx.InsertKeeper(&mixed, []parley.KeptMessage{{Text: "older", At: tx.Now.Add(-time.Hour)}, {Text: "young", At: tx.Now}})
		return nil
	})
	w.update(func(tx *store.Tx) error {
		before := tx.Now.Add(-time.Minute)
		ids, err := tx.AgedKeepers(w.team.ID, before, 10)
		if d := cmp.Diff([]parley.KeeperID{old.ID, mixed.ID}, ids); d != "" || err != nil {
			t.Error(d, err)
		}
		for _, id := range ids {
			if err := tx.TrimKeeper(id, before); err != nil {
				return err
			}
		}
		return nil
	})
	if d := cmp.Diff([]string{"young"}, w.kept(mixed.ID)); d != "" {
		t.Error(d)
	}
	w.view(func(tx *store.Tx) error {
		if _, err := tx.Keeper(old.ID); err != store.ErrNotFound {
			t.Errorf("the old one: %v", err)
		}
		k, err := tx.Keeper(mixed.ID)
		if k.Count != 1 || k.Size != 5 {
			t.Errorf("the mixed one: %+v", k)
		}
		return err
	})
}

func keptCopies(t *testing.T, open Open) {
	w := newWorld(t, open)
	made := w.keeper(parley.Keeper{Automatic: true, Topic: "the secret plan"}, "the secret", "something else", "so it is the secret, then")
	w.keeper(parley.Keeper{}, "by hand")
	w.update(func(tx *store.Tx) error {
		list, err := tx.KeptContaining(w.team.ID, 101, "the secret")
		if len(list) != 3 {
			t.Errorf("found: %+v", list)
		}
		if other, _ := tx.KeptContaining(w.team.ID+1, 101, "the secret"); len(other) != 0 {
			t.Errorf("another team's: %+v", other)
		}
		tx.SetKeptText(list[0].ID, "gone")
		tx.SetTopic(made.ID, "gone too")
		return err
	})
	if got := w.kept(made.ID); got[0] != "gone" {
		t.Errorf("kept: %v", got)
	}
	w.view(func(tx *store.Tx) error {
		found, err := tx.KeptBy(w.ann.ID, []parley.MessageID{100, 102, 500})
		if d := cmp.Diff(map[parley.MessageID]parley.KeeperID{100: made.ID, 102: made.ID}, found); d != "" {
			t.Error(d)
		}
		if other, _ := tx.KeptBy(w.bob.ID, []parley.MessageID{100}); len(other) != 0 {
			t.Errorf("another's: %v", other)
		}
		return err
	})
}

// A thread of which something was put away says so; what is in keepers is not found
// again as what is not.
func keptThreads(t *testing.T, open Open) {
	w := newWorld(t, open)
	var thread parley.ThreadID
	var ids []parley.MessageID
	w.update(func(tx *store.Tx) error {
		dm, err := tx.EnsureDM(w.team.ID, w.ann.ID, w.bob.ID)
		if err != nil {
			return err
		}
		thread = dm.Main
		for range 6 {
			m := parley.Message{Team: w.team.ID, Thread: thread, Author: w.bob.ID, Kind: parley.NotificationMessage, Body: "said"}
			if err := tx.Post(&m, store.Recipient{ID: w.ann.ID}); err != nil {
				return err
			}
			ids = append(ids, m.ID)
		}
		return nil
	})
	unkept := func(owner parley.AgentID, limit int) (list []parley.MessageID, total int) {
		w.view(func(tx *store.Tx) (err error) {
			list, total, err = tx.Unkept(ids[5], owner, limit)
			return err
		})
		return list, total
	}
	if list, total := unkept(w.ann.ID, 2); !slices.Equal(list, ids[:2]) || total != 6 {
		t.Errorf("the oldest are %v of %d, want %v", list, total, ids[:2])
	}
	var made []parley.Keeper
	w.update(func(tx *store.Tx) error {
		for i, list := range [][]parley.KeptMessage{{{Message: ids[0]}, {Message: ids[3]}, {Private: true, Text: "a step"}}, {{Message: ids[1]}}} {
			k := parley.Keeper{Team: w.team.ID, Owner: w.ann.ID, Thread: thread, Task: 7, Topic: "t", Automatic: i == 0}
			tx.InsertKeeper(&k, list)
			made = append(made, k)
		}
		tx.MarkThreadKept(thread)
		return nil
	})
	if list, total := unkept(w.ann.ID, 10); !slices.Equal(list, []parley.MessageID{ids[2], ids[4], ids[5]}) || total != 3 {
		t.Errorf("not kept are %v of %d", list, total)
	}
	if _, total := unkept(w.bob.ID, 10); total != 6 {
		t.Errorf("another's keepers count: %d", total)
	}
	w.view(func(tx *store.Tx) error {
		got, err := tx.Thread(thread)
		if !got.Kept || err != nil {
			t.Errorf("the thread is %+v, %v", got, err)
		}
		list, err := tx.ThreadKeepers(thread, w.ann.ID, 10)
		if len(list) != 1 || list[0].ID != made[0].ID || err != nil {
			t.Errorf("keepers of the thread: %+v, %v", list, err)
		}
		in, err := tx.InKeepers(w.ann.ID, ids)
		if d := cmp.Diff(map[parley.MessageID]bool{ids[0]: true, ids[1]: true, ids[3]: true}, in); d != "" || err != nil {
			t.Error(d, err)
		}
		if n, err := tx.KeptSteps(7, w.ann.ID, thread); n != 1 || err != nil {
			t.Errorf("%d steps, %v", n, err)
		}
		if n, err := tx.KeptSteps(8, w.ann.ID, thread); n != 0 || err != nil {
			t.Errorf("%d steps of another task, %v", n, err)
		}
		return nil
	})
}

// The topic is found with the first message that others may read too.
func keptTopics(t *testing.T, open Open) {
	w := newWorld(t, open)
	k := parley.Keeper{Team: w.team.ID, Owner: w.ann.ID, Topic: "boats"}
	w.update(func(tx *store.Tx) error {
		tx.InsertKeeper(&k, []parley.KeptMessage{{Private: true, Text: "a"}, {Text: "b"}, {Text: "c"}})
		return nil
	})
	w.view(func(tx *store.Tx) error {
		list, err := tx.KeptAfter(0, 10)
		var got []string
		for _, m := range list {
			got = append(got, m.Text+m.Topic)
		}
		if d := cmp.Diff([]string{"a", "bboats", "c"}, got); d != "" || err != nil {
			t.Error(d, err)
		}
		return nil
	})
}
