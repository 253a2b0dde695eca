package storetest

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/internal/store"
)

func conversationPages(t *testing.T, open Open) {
	w := newWorld(t, open)
	c := w.dm()
	var list []parley.Message
	var other parley.Thread
	w.update(func(tx *store.Tx) error {
		list = nil
		other = tx.InsertThread(c)
		for i := range 6 {
			m, err := w.post(tx, c.Main, fmt.Sprint("number ", i), w.bob)
			if err != nil {
				return err
			}
			list = append(list, m)
			if _, err := w.post(tx, other.ID, "elsewhere"); err != nil {
				return err
			}
		}
		tx.InsertAttachment(list[2].ID, "grün und lang")
		tx.MarkSeen(list[1].ID, w.bob.ID)
		return nil
	})
	asked := w.task(parley.Task{Request: list[1].ID})
	mentioned := w.task(parley.Task{Pattern: parley.Mention, Request: list[0].ID})
	w.view(func(tx *store.Tx) error {
		got, err := tx.Onward(list[1], 3)
		if diff := cmp.Diff(list[2:5], got); diff != "" || err != nil {
			t.Errorf("what follows: %v (-want +got):\n%s", err, diff)
		}
		if got, err := tx.Onward(list[5], 3); len(got) != 0 || err != nil {
			t.Errorf("after the last: %v, %v", got, err)
		}
		ids := []parley.MessageID{list[0].ID, list[1].ID, list[2].ID}
		deliveries, err := tx.DeliveriesOf(ids)
		if err != nil || len(deliveries) != 3 || deliveries[list[0].ID][0].Seen != 0 || deliveries[list[1].ID][0].Seen == 0 || deliveries[list[2].ID][0].Recipient != w.bob.ID {
			t.Errorf("deliveries: %v, %+v", err, deliveries)
		}
		sizes, err := tx.AttachmentsOf(ids)
		if want := (map[parley.MessageID]int{list[2].ID: len("grün und lang")}); !cmp.Equal(sizes, want) || err != nil {
			t.Errorf("attachments: %v, %v", sizes, err)
		}
		tasks, err := tx.TasksOf([]parley.TaskID{asked.ID, asked.ID + 1000})
		if diff := cmp.Diff(map[parley.TaskID]parley.Task{asked.ID: asked}, tasks); diff != "" || err != nil {
			t.Errorf("tasks: %v (-want +got):\n%s", err, diff)
		}
		started, err := tx.MentionTasks(ids)
		if diff := cmp.Diff(map[parley.MessageID][]parley.Task{list[0].ID: {mentioned}}, started); diff != "" || err != nil {
			t.Errorf("tasks of mentions: %v (-want +got):\n%s", err, diff)
		}
		return nil
	})
}
