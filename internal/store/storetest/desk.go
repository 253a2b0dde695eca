package storetest

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/internal/store"
	"parley/internal/wake"
)

// deskWorld is a world with Dora, a client.
func deskWorld(t *testing.T, open Open, clock parley.Clock) (*world, parley.Agent) {
	w := newWorldAt(t, open, clock)
	dora := parley.Agent{Team: w.team.ID, Name: "Dora", Kind: parley.Client, Turns: 8}
	w.update(func(tx *store.Tx) error { tx.InsertAgent(&dora); return nil })
	return w, dora
}

// send stores a message of Ann's for a client, with a task of the client's that it asks
// for unless the state is 0.
func (w *world) send(to parley.Agent, m parley.Message, state parley.State) (parley.Message, parley.Task) {
	w.t.Helper()
	var t parley.Task
	w.update(func(tx *store.Tx) error {
		dm, err := tx.EnsureDM(w.team.ID, w.ann.ID, to.ID)
		if err != nil {
			return err
		}
		m.Team, m.Thread, m.Author, t = w.team.ID, dm.Main, w.ann.ID, parley.Task{}
		id := parley.TaskID(0)
		if state != 0 {
			id = tx.NewTaskID()
		}
		if m.Kind != parley.PostMessage && id != 0 {
			m.Task = id
		}
		if err := tx.Post(&m, store.Recipient{ID: to.ID, Pulls: true}); err != nil || state == 0 {
			return err
		}
		t = parley.Task{Agent: to.ID, State: state, Request: m.ID, Priority: m.Priority, Thread: m.Thread}
		if m.Kind == parley.PostMessage {
			t.Pattern = parley.Mention
		}
		t = w.insertAs(tx, t, id)
		return nil
	})
	return m, t
}

// unseenMessages: what somebody has not seen comes by priority, each with the task of
// its recipient that it asks for; requests that nobody has taken come only if wanted.
func unseenMessages(t *testing.T, open Open) {
	w, dora := deskWorld(t, open, time.Now)
	news, _ := w.send(dora, parley.Message{Kind: parley.NotificationMessage, Body: "news"}, 0)
	queued, _ := w.send(dora, parley.Message{Kind: parley.DelegateMessage, Body: "queued", Priority: parley.High}, parley.Queued)
	running, task := w.send(dora, parley.Message{Kind: parley.DelegateMessage, Body: "running", Priority: parley.Urgent}, parley.Running)
	mention, mentioned := w.send(dora, parley.Message{Kind: parley.PostMessage, Body: "mention"}, parley.Running)
	result, _ := w.send(dora, parley.Message{Kind: parley.ResultMessage, Body: "result", Task: task.ID}, 0) // of a task, but no request
	low, _ := w.send(dora, parley.Message{Kind: parley.DelegateMessage, Body: "low", Priority: parley.Low}, parley.Running)
	w.send(w.carol, parley.Message{Kind: parley.NotificationMessage, Body: "for another"}, 0)
	seen, _ := w.send(dora, parley.Message{Kind: parley.NotificationMessage, Body: "seen"}, 0)
	w.update(func(tx *store.Tx) error {
		tx.MarkSeen(seen.ID, dora.ID)
		tx.MarkDelivered(news.ID, dora.ID)
		return nil
	})
	w.view(func(tx *store.Tx) error {
		list, err := tx.Unseen(dora.ID, false, 10)
		var ids []parley.MessageID
		asked := map[parley.MessageID]parley.TaskID{}
		for _, u := range list {
			ids = append(ids, u.Message.ID)
			if u.Task.ID != 0 {
				asked[u.Message.ID] = u.Task.ID
			}
			if u.Delivered != (u.Message.ID == news.ID) {
				t.Errorf("%s delivered: %v", u.Message.Body, u.Delivered)
			}
		}
		if d := cmp.Diff([]parley.MessageID{running.ID, news.ID, mention.ID, result.ID, low.ID}, ids); d != "" || err != nil {
			t.Error(err, d)
		}
		if d := cmp.Diff(map[parley.MessageID]parley.TaskID{running.ID: task.ID, mention.ID: mentioned.ID, low.ID: low.Task}, asked); d != "" {
			t.Error(d)
		}
		few, err := tx.Unseen(dora.ID, true, 2)
		if len(few) != 2 || few[1].Message.ID != queued.ID || err != nil {
			t.Errorf("with those that nobody has taken: %+v, %v", few, err)
		}
		for with, want := range map[bool]int{false: 5, true: 6} {
			if n, err := tx.CountUnseen(dora.ID, with, 10); n != want || err != nil {
				t.Errorf("%d unseen, want %d: %v", n, want, err)
			}
			if n, err := tx.CountUnseen(dora.ID, with, 10, news.ID, seen.ID); n != want-1 || err != nil {
				t.Errorf("%d unseen without one of them, want %d: %v", n, want-1, err)
			}
			if n, err := tx.CountUnseen(dora.ID, with, 3, seen.ID); n != 3 || err != nil {
				t.Errorf("%d unseen, counted up to 3: %v", n, err)
			}
		}
		if n, err := tx.CountClaimable(dora.ID, 10); n != 1 || err != nil {
			t.Errorf("%d to take: %v", n, err)
		}
		of, err := tx.AskedBy(mention, dora.ID)
		if of.ID != mentioned.ID || err != nil {
			t.Errorf("the mention asks for %s: %v", of.ID, err)
		}
		if of, err = tx.AskedBy(result, dora.ID); of.ID != 0 || err != nil {
			t.Errorf("a result asks for %s: %v", of.ID, err)
		}
		open, err := tx.OpenTasksOf(dora.ID, 10)
		if len(open) != 4 || open[0].ID != task.ID || open[3].ID != low.Task || err != nil {
			t.Errorf("open: %+v, %v", open, err)
		}
		return nil
	})
}

// recalledMessages: a message that is taken back is not handed out, and one that is seen
// no more is.
func recalledMessages(t *testing.T, open Open) {
	w, dora := deskWorld(t, open, time.Now)
	a, _ := w.send(dora, parley.Message{Kind: parley.NotificationMessage, Body: "a"}, 0)
	b, _ := w.send(dora, parley.Message{Kind: parley.NotificationMessage, Body: "b"}, 0)
	w.update(func(tx *store.Tx) error {
		tx.MarkSeen(b.ID, dora.ID)
		return nil
	})
	w.update(func(tx *store.Tx) error {
		tx.Recall(a.ID, dora.ID)
		tx.Recall(b.ID, dora.ID) // too late
		tx.Unsee(b.ID, dora.ID)
		return nil
	})
	w.view(func(tx *store.Tx) error {
		list, err := tx.Unseen(dora.ID, false, 10)
		if len(list) != 1 || list[0].Message.ID != b.ID || !list[0].Delivered || err != nil {
			t.Errorf("%+v, %v", list, err)
		}
		return nil
	})
}

// clientLeases: what a client holds is forsaken when it is not connected any more.
func clientLeases(t *testing.T, open Open) {
	clock := newClock()
	w, dora := deskWorld(t, open, clock.now)
	_, held := w.send(dora, parley.Message{Kind: parley.DelegateMessage}, parley.Running)
	w.send(dora, parley.Message{Kind: parley.DelegateMessage}, parley.Queued)
	w.task(parley.Task{State: parley.Running}) // Bob's, who is native
	forsaken := func() (ids []parley.TaskID) {
		w.view(func(tx *store.Tx) (err error) { ids, err = tx.Forsaken(10); return err })
		return ids
	}
	if d := cmp.Diff([]parley.TaskID{held.ID}, forsaken()); d != "" {
		t.Errorf("before it came: %s", d)
	}
	var until parley.Micros
	w.update(func(tx *store.Tx) error {
		until = tx.Now.Add(time.Minute)
		tx.SetConnected(dora.ID, until)
		return nil
	})
	if ids := forsaken(); ids != nil {
		t.Errorf("while it is there: %v", ids)
	}
	w.update(func(tx *store.Tx) error {
		for _, read := range []func() (parley.Agent, error){
			func() (parley.Agent, error) { return tx.Agent(dora.ID) },
			func() (parley.Agent, error) {
				s, err := tx.ContactState(w.ann.ID, dora.ID, 0, "")
				return s.Target, err
			},
			func() (parley.Agent, error) {
				s, err := tx.ContactState(dora.ID, w.ann.ID, 0, "")
				return s.Sender, err
			},
		} {
			if a, err := read(); a.ConnectedUntil != until || err != nil {
				t.Errorf("connected until %d, want %d: %v", a.ConnectedUntil, until, err)
			}
		}
		return nil
	})
	clock.move(time.Minute)
	if d := cmp.Diff([]parley.TaskID{held.ID}, forsaken()); d != "" {
		t.Errorf("when it is gone: %s", d)
	}
}

// mailSignals: whoever waits for messages hears of their own, and of nobody else's.
func mailSignals(t *testing.T, open Open) {
	w, dora := deskWorld(t, open, time.Now)
	hears, end := w.Bus().Watch(wake.Signal{Topic: wake.Mail, ID: int64(dora.ID)})
	defer end()
	w.send(w.carol, parley.Message{Kind: parley.NotificationMessage}, 0)
	select {
	case <-hears:
		t.Error("she hears of another's message")
	default:
	}
	w.send(dora, parley.Message{Kind: parley.NotificationMessage}, 0)
	select {
	case <-hears:
	default:
		t.Error("she does not hear of her own")
	}
}
