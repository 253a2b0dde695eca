package storetest

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/internal/store"
)

// Changes come back as they went in, with paths and contents that are not UTF-8, and go
// with the message that asked for the task.
func changes(t *testing.T, open Open) {
	w := newWorld(t, open)
	task, request, _ := w.ended(parley.Task{}, w.dm().Main)
	odd := "caf\xe9/\x00\xff"
	c := parley.Change{Team: w.team.ID, Task: task.ID, Turn: 2, Call: "c", Agent: w.bob.ID, State: parley.ChangeBegun, Home: "host:/work",
		Place: parley.InWorkspace, Path: "caf\xe9", Command: true, Doubt: "Perhaps.",
		Before: parley.FileState{Kind: parley.RegularFile, Mode: 0o644, Size: 7, Hash: "h1", Kept: true, Content: []byte(odd)},
		After:  parley.FileState{Kind: parley.RegularFile, Mode: 0o755, Size: 0, Hash: "h2", Kept: true}}
	other := c
	w.update(func(tx *store.Tx) error {
		c := c
		tx.InsertChange(&c)
		c.Before.Kept, c.Before.Hash = false, "gone"
		tx.InsertChange(&c)
		other = c
		tx.SettleChange(c.ID)
		tx.UndoChange(c.ID, w.carol.ID)
		return nil
	})
	w.view(func(tx *store.Tx) error {
		list, err := tx.Changes(task.ID)
		if len(list) != 2 {
			t.Errorf("changes: %+v", list)
			return err
		}
		want := c
		want.ID, want.At, want.Before.Content = list[0].ID, list[0].At, nil
		if d := cmp.Diff(want, list[0]); d != "" {
			t.Error(d)
		}
		if list[1].State != parley.ChangeUndone || list[1].UndoneBy != w.carol.ID || list[1].UndoneAt == 0 || list[1].Before.Kept || !list[1].After.Kept {
			t.Errorf("the second: %+v", list[1])
		}
		later, err2 := tx.ChangesAt(w.team.ID, parley.InWorkspace, "caf\xe9", list[0].ID)
		if len(later) != 1 || later[0].ID != other.ID {
			t.Errorf("later: %+v", later)
		}
		before, err3 := tx.FileContent(task.ID, "h1")
		after, err4 := tx.FileContent(task.ID, "h2")
		if string(before) != odd || len(after) != 0 {
			t.Errorf("contents: %q, %q", before, after)
		}
		seen := 0
		err5 := tx.FileContents(w.team.ID, func(parley.TaskID, string, []byte) { seen++ })
		if seen != 2 {
			t.Errorf("%d contents", seen)
		}
		return errors.Join(err, err2, err3, err4, err5)
	})
	w.update(func(tx *store.Tx) error { tx.ForgetContent(task.ID, "h1"); return nil })
	w.update(func(tx *store.Tx) error { tx.RemoveMessages([]parley.MessageID{request.ID}); return nil })
	w.view(func(tx *store.Tx) error {
		list, err := tx.Changes(task.ID)
		_, err2 := tx.FileContent(task.ID, "h2")
		if len(list) != 0 || !errors.Is(err2, store.ErrNotFound) {
			t.Errorf("left behind: %+v, %v", list, err2)
		}
		return err
	})
}
