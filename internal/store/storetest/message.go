package storetest

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/internal/store"
)

func postsAreGapless(t *testing.T, open Open) {
	w := newWorld(t, open)
	c := w.dm()
	const n = 64
	atOnce(t, n, func(i int) error {
		return w.Update(context.Background(), func(tx *store.Tx) error {
			_, err := w.post(tx, c.Main, fmt.Sprint("number ", i), w.bob)
			return err
		})
	})
	w.view(func(tx *store.Tx) error {
		thread, err := tx.Thread(c.Main)
		if err != nil {
			return err
		}
		list, err := tx.Back(thread.ID, thread.Last, 0, 2*n)
		if thread.Count != n || len(list) != n {
			t.Errorf("the thread counts %d, the list has %d of %d", thread.Count, len(list), n)
		}
		bodies := map[string]bool{}
		for i, m := range list {
			bodies[m.Body] = true
			if m.N != n-i || i+1 < len(list) && m.Prev != list[i+1].ID || m.N == 1 && m.Prev != 0 {
				t.Errorf("message %d from the end has number %d and follows %v", i, m.N, m.Prev)
			}
		}
		if len(bodies) != n {
			t.Errorf("%d different messages", len(bodies))
		}
		return err
	})
}

func sentWithKey(t *testing.T, open Open) {
	w := newWorld(t, open)
	c := w.dm()
	w.update(func(tx *store.Tx) error {
		for _, key := range []string{"call-1/a", "call-1/b", "call-2", "call-21"} {
			if _, err := w.postOnce(tx, c.Main, 7, w.ann.ID, key); err != nil {
				return err
			}
		}
		return nil
	})
	w.view(func(tx *store.Tx) error {
		for key, want := range map[string]int{"call-1": 2, "call-2": 1, "call": 0} {
			if list, err := tx.SentWithKey([]parley.TaskID{7}, w.ann.ID, key); len(list) != want || err != nil {
				t.Errorf("%s: %d messages, %v", key, len(list), err)
			}
		}
		return nil
	})
}

func postsInOneTransaction(t *testing.T, open Open) {
	w := newWorld(t, open)
	c := w.dm()
	var ids []parley.MessageID
	w.update(func(tx *store.Tx) error {
		ids = nil
		for i := range 3 {
			m, err := w.post(tx, c.Main, fmt.Sprint(i))
			if err != nil {
				return err
			}
			ids = append(ids, m.ID)
		}
		return nil
	})
	w.view(func(tx *store.Tx) error {
		list, err := tx.Back(c.Main, ids[2], 0, 10)
		var got []string
		for _, m := range list {
			got = append(got, fmt.Sprint(m.N, m.Body, m.Prev))
		}
		want := []string{fmt.Sprint(3, "2", ids[1]), fmt.Sprint(2, "1", ids[0]), fmt.Sprint(1, "0", parley.MessageID(0))}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		for _, part := range []struct{ downTo, limit, want int }{{0, 2, 2}, {2, 10, 1}, {3, 10, 0}, {0, 0, 0}} {
			if list, err := tx.Back(c.Main, ids[2], part.downTo, part.limit); err != nil || len(list) != part.want {
				t.Errorf("down to %d, at most %d: %d, %v", part.downTo, part.limit, len(list), err)
			}
		}
		return err
	})
}

func oneDM(t *testing.T, open Open) {
	w := newWorld(t, open)
	channels := make([]parley.Channel, 16)
	atOnce(t, len(channels), func(i int) error {
		return w.Update(context.Background(), func(tx *store.Tx) (err error) {
			x, y := w.ann.ID, w.bob.ID
			if i%2 == 1 {
				x, y = y, x
			}
			channels[i], err = tx.EnsureDM(w.team.ID, x, y)
			if err != nil {
				return err
			}
			_, err = w.post(tx, channels[i].Main, "hello")
			return err
		})
	})
	for _, c := range channels {
		if c != channels[0] {
			t.Fatalf("several dms: %+v", channels)
		}
	}
	w.view(func(tx *store.Tx) error {
		dm, err := tx.DM(w.bob.ID, w.ann.ID)
		if diff := cmp.Diff(channels[0], dm); diff != "" {
			t.Error(diff)
		}
		thread, _ := tx.Thread(channels[0].Main)
		if thread.Count != len(channels) {
			t.Errorf("%d of %d messages are in the thread", thread.Count, len(channels))
		}
		latest, _ := tx.LatestThread(channels[0].ID)
		if latest.ID != thread.ID {
			t.Errorf("there is a second thread: %v", latest)
		}
		return err
	})
}

func threads(t *testing.T, open Open) {
	w := newWorld(t, open)
	c := w.dm()
	var started parley.Thread
	w.update(func(tx *store.Tx) error {
		started = tx.InsertThread(c)
		_, err := w.post(tx, started.ID, "in the new one")
		return err
	})
	w.view(func(tx *store.Tx) error {
		latest, err := tx.LatestThread(c.ID)
		if latest.ID != started.ID || latest.Count != 1 || latest.Channel != c.ID {
			t.Errorf("the latest thread: %+v", latest)
		}
		if main, _ := tx.Thread(c.Main); main.Count != 0 {
			t.Errorf("the main thread has %d messages", main.Count)
		}
		if all, listErr := tx.Threads(c.ID); len(all) != 2 || all[0].ID != c.Main || all[1] != latest || listErr != nil {
			t.Errorf("the threads: %+v, %v", all, listErr)
		}
		return err
	})
}

// keyIsUnique looks for the key and then posts under it, as a repeated step does.
// Only the key keeps the posts apart.
func keyIsUnique(t *testing.T, open Open) {
	w := newWorld(t, open)
	c := w.dm()
	ids := make([]parley.MessageID, 16)
	atOnce(t, len(ids), func(i int) error {
		return w.Update(context.Background(), func(tx *store.Tx) (err error) {
			ids[i], err = w.postOnce(tx, c.Main, 7, w.ann.ID, "3.1")
			return err
		})
	})
	for _, id := range ids {
		if id != ids[0] {
			t.Fatalf("several messages under one key: %v", ids)
		}
	}
	w.update(func(tx *store.Tx) error {
		for _, other := range []struct {
			origin parley.TaskID
			author parley.AgentID
			key    string
		}{{8, w.ann.ID, "3.1"}, {7, w.bob.ID, "3.1"}, {7, w.ann.ID, "3.2"}} {
			id, err := w.postOnce(tx, c.Main, other.origin, other.author, other.key)
			if err != nil || id == ids[0] {
				t.Errorf("%+v: %v, %v", other, id, err)
			}
		}
		_, err := w.post(tx, c.Main, "without a key") // any number of these
		return err
	})
	w.view(func(tx *store.Tx) error {
		sent, err := tx.MessagesFrom(7)
		if len(sent) != 3 || sent[0].ID != ids[0] {
			t.Errorf("task 7 sent %d messages", len(sent))
		}
		return err
	})
}

func (w *world) postOnce(tx *store.Tx, in parley.ThreadID, origin parley.TaskID, author parley.AgentID, key string) (parley.MessageID, error) {
	sent, err := tx.MessagesFrom(origin)
	for _, m := range sent {
		if m.Author == author && m.Key == key {
			return m.ID, err
		}
	}
	if err != nil {
		return 0, err
	}
	m := parley.Message{Team: w.team.ID, Thread: in, Author: author, Kind: parley.NotificationMessage, Origin: origin, Key: key}
	err = tx.Post(&m)
	return m.ID, err
}

func deliveriesNeverGoBack(t *testing.T, open Open) {
	clock := newClock()
	w := newWorldAt(t, open, clock.now)
	c := w.dm()
	type marks = []func(*store.Tx, parley.MessageID, parley.AgentID)
	delivered, seen, answered := (*store.Tx).MarkDelivered, (*store.Tx).MarkSeen, (*store.Tx).MarkAnswered
	for _, test := range []struct {
		name  string
		marks marks
		want  [3]int // the mark that set delivered, seen, answered; 0 if none did
		state string
	}{
		{"nothing", nil, [3]int{}, "accepted"},
		{"in order", marks{delivered, seen, answered}, [3]int{1, 2, 3}, "answered"},
		{"twice", marks{delivered, delivered, seen, seen}, [3]int{1, 3, 0}, "seen"},
		{"seen first", marks{seen, delivered}, [3]int{1, 1, 0}, "seen"},
		{"answered first", marks{answered, seen, delivered, answered}, [3]int{1, 1, 1}, "answered"},
	} {
		var m parley.Message
		w.update(func(tx *store.Tx) (err error) { m, err = w.post(tx, c.Main, test.name, w.bob); return err })
		at := []parley.Micros{0}
		for _, mark := range test.marks {
			clock.move(time.Second)
			w.update(func(tx *store.Tx) error { mark(tx, m.ID, w.bob.ID); mark(tx, m.ID, w.carol.ID); return nil })
			at = append(at, parley.Clock(clock.now).Now())
		}
		want := []parley.Delivery{{Message: m.ID, Recipient: w.bob.ID,
			Delivered: at[test.want[0]], Seen: at[test.want[1]], Answered: at[test.want[2]]}}
		w.view(func(tx *store.Tx) error {
			got, err := tx.Deliveries(m.ID)
			if diff := cmp.Diff(want, got); diff != "" || got[0].State() != test.state {
				t.Errorf("%s: %v %s", test.name, got, diff)
			}
			return err
		})
	}
}

func readNeverGoesBack(t *testing.T, open Open) {
	w := newWorld(t, open)
	c := w.dm()
	for _, n := range []int{3, 7, 5, 7} {
		w.update(func(tx *store.Tx) error { tx.SetRead(c.Main, w.bob.ID, n); return nil })
		w.update(func(tx *store.Tx) error { // with a message, and before and after it
			tx.SetRead(c.Main, w.bob.ID, n-2)
			_, err := w.post(tx, c.Main, "more")
			tx.SetRead(c.Main, w.bob.ID, n-1)
			return err
		})
	}
	atOnce(t, 20, func(i int) error {
		return w.Update(context.Background(), func(tx *store.Tx) error { tx.SetRead(c.Main, w.ann.ID, i+1); return nil })
	})
	w.view(func(tx *store.Tx) error {
		thread, err := tx.Thread(c.Main)
		for id, want := range map[parley.AgentID]int{w.bob.ID: 7, w.ann.ID: 20} {
			if n := thread.ReadBy(id); n != want {
				t.Errorf("agent %d has read to %d, want %d", id, n, want)
			}
		}
		return err
	})
}

func mail(t *testing.T, open Open) {
	w := newWorld(t, open)
	c := w.dm()
	var ids []parley.MessageID
	w.update(func(tx *store.Tx) error {
		ids = nil
		for i := range 5 {
			m, err := w.post(tx, c.Main, fmt.Sprint(i), w.carol, w.bob)
			if err != nil {
				return err
			}
			ids = append(ids, m.ID)
		}
		tx.MarkSeen(ids[1], w.carol.ID)
		tx.MarkDelivered(ids[2], w.carol.ID) // fetched, not seen: it stays
		return nil
	})
	w.view(func(tx *store.Tx) error {
		list, err := tx.Mail(w.carol.ID, 3)
		if len(list) != 3 || list[0].ID != ids[0] || list[1].ID != ids[2] || list[2].ID != ids[3] {
			t.Errorf("Carol's mail: %v", list)
		}
		if list, _ := tx.Mail(w.bob.ID, 10); len(list) != 0 {
			t.Errorf("Bob does not fetch, and has mail: %v", list)
		}
		return err
	})
}

func texts(t *testing.T, open Open) {
	w := newWorld(t, open)
	c := w.dm()
	for _, test := range []struct{ name, text, want string }{
		{"empty", "", ""},
		{"of many scripts", "Grüße, 世界 🌍 \u0301\u200d\n\t'\"\\ $1 %s /*lock*/", "Grüße, 世界 🌍 \u0301\u200d\n\t'\"\\ $1 %s /*lock*/"},
		{"long", strings.Repeat("äöü ", 100_000), strings.Repeat("äöü ", 100_000)},
		{"with a NUL", "a\x00b", "a\uFFFDb"},
		{"not UTF-8", "a\xff\xfeb", "a\uFFFDb"},
	} {
		var m parley.Message
		key := test.name + parley.Clip(test.text, 50)
		w.update(func(tx *store.Tx) (err error) {
			m = parley.Message{Team: w.team.ID, Thread: c.Main, Author: w.ann.ID, Body: test.text, Context: test.text,
				Key: key}
			err = tx.Post(&m)
			tx.InsertAttachment(m.ID, test.text)
			return err
		})
		w.update(func(tx *store.Tx) error {
			contact, err := tx.ContactState(w.ann.ID, w.bob.ID, 0, key)
			got := contact.Before
			if err != nil || got.ID != m.ID || got.Body != test.want || got.Context != test.want {
				t.Errorf("%s: %.60q, %v", test.name, got.Body, err)
			}
			if text, err := tx.Attachment(m.ID); text != test.want || err != nil {
				t.Errorf("%s, attached: %.60q, %v", test.name, text, err)
			}
			return nil
		})
	}
}
