package storetest

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/internal/store"
)

const mark = "[redacted by Carol]"

func redactedMessage(t *testing.T, open Open) {
	w := newWorld(t, open)
	thread := w.dm().Main
	task, request, reply := w.ended(parley.Task{}, thread)
	w.view(func(tx *store.Tx) error { // it is in memory now
		_, err := tx.Back(reply.Thread, reply.ID, 0, 10)
		return err
	})
	redact := func(m parley.Message) {
		t.Helper()
		err := w.Erase(t.Context(), func(tx *store.Tx) error {
			tx.Redact(m, w.carol.ID, mark, "why")
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	redact(request)
	redact(reply)
	redact(reply) // repeating it does no harm
	w.view(func(tx *store.Tx) error {
		list, err := tx.Back(reply.Thread, reply.ID, 0, 10)
		for _, m := range list {
			if m.Body != mark || m.Context != "" {
				t.Errorf("%s reads %q, %q", m.ID, m.Body, m.Context)
			}
		}
		if len(list) != 2 || list[1].Author != request.Author || list[1].At != request.At || list[1].Kind != request.Kind {
			t.Errorf("the record: %+v", list)
		}
		if _, err := tx.Attachment(reply.ID); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("the attachment: %v", err)
		}
		redacted, err2 := tx.Redacted(reply.ID)
		other, err3 := tx.Redacted(reply.ID + 1)
		if !redacted || other {
			t.Errorf("redacted: %v, another: %v", redacted, other)
		}
		return errors.Join(err, err2, err3)
	})
	if title := w.readTask(task.ID).Title; title != mark {
		t.Errorf("the title is %q", title)
	}
	// A reader that loaded it before does not bring it back.
	if _, _, ok := w.Recent().Outcome(task.ID); ok {
		t.Error("the end of the task is still kept")
	}
}

func copies(t *testing.T, open Open) {
	w := newWorld(t, open)
	thread := w.dm().Main
	var whole, quoted parley.Message
	w.update(func(tx *store.Tx) (err error) {
		_, err = w.post(tx, thread, "Nothing.", w.bob)
		if err == nil {
			whole, err = w.post(tx, thread, "100% _secret_", w.bob)
		}
		if err == nil {
			quoted, err = w.post(tx, thread, "He said: 100% _secret_!", w.bob)
		}
		tx.Record(parley.Event{Team: w.team.ID, Kind: parley.EventFailed, Detail: "it was 100% _secret_"})
		tx.Record(parley.Event{Team: w.team.ID, Kind: parley.EventFailed, Detail: "it was 100 or Xsecret_"})
		return err
	})
	w.view(func(tx *store.Tx) error {
		list, err := tx.Copies(w.team.ID, 1, "100% _secret_")
		if len(list) != 2 || list[0].ID != whole.ID || !list[0].Whole || list[1].ID != quoted.ID || list[1].Whole {
			t.Errorf("found %+v", list)
		}
		events, err2 := tx.EventsContaining(w.team.ID, 0, "100% _secret_")
		if len(events) != 1 {
			t.Errorf("found %+v", events)
		}
		return errors.Join(err, err2)
	})
}

func longTexts(t *testing.T, open Open) {
	w := newWorld(t, open)
	thread := w.dm().Main
	long := strings.Repeat("ä", 10)
	var said, carried parley.Message
	task := w.task(parley.Task{})
	kept := w.keeper(parley.Keeper{Owner: w.ann.ID}, long, "short")
	w.update(func(tx *store.Tx) (err error) {
		if said, err = w.post(tx, thread, long, w.bob); err != nil {
			return err
		}
		tx.InsertAttachment(said.ID, "all of it")
		if _, err = w.post(tx, thread, long[2:], w.bob); err != nil { // bytes do not count
			return err
		}
		carried = parley.Message{Team: w.team.ID, Thread: thread, Author: w.ann.ID, Kind: parley.NotificationMessage, Context: long}
		tx.InsertStep(parley.Step{Task: task.ID, Turn: 1, N: 1, Kind: parley.StepReply, Content: []byte(`{"long": 1}`)})
		tx.InsertStep(parley.Step{Task: task.ID, Turn: 1, N: 2, Kind: parley.StepReply, Content: []byte(`{}`)})
		return tx.Post(&carried, store.Recipient{ID: w.bob.ID})
	})
	w.view(func(tx *store.Tx) error {
		var got []string
		err := tx.LongMessages(w.team.ID, 10, func(id parley.MessageID, texts ...string) {
			got = append(got, id.String()+": "+strings.Join(texts, "|"))
		})
		err2 := tx.LongSteps(w.team.ID, 0, 10, func(id parley.TaskID, content string) { got = append(got, id.String()+": "+content) })
		err3 := tx.LongKept(w.team.ID, 10, func(k parley.KeptMessage) { got = append(got, k.Keeper.String()+": "+k.Text) })
		want := []string{said.ID.String() + ": " + long + "||all of it", carried.ID.String() + ": |" + long + "|", task.ID.String() + `: {"long": 1}`,
			kept.ID.String() + ": " + long}
		if d := cmp.Diff(want, got); d != "" {
			t.Error(d)
		}
		err4 := tx.LongSteps(w.team.ID, tx.Now+1, 1, func(parley.TaskID, string) { t.Error("a step of earlier") })
		err5 := tx.LongMessages(w.team.ID+1, 1, func(parley.MessageID, ...string) { t.Error("a message of another team") })
		return errors.Join(err, err2, err3, err4, err5)
	})
}
