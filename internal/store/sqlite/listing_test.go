package sqlite

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"zombiezen.com/go/sqlite/sqlitex"

	"parley"
	"parley/internal/store"
	"parley/internal/store/storetest"
)

// unread are the bodies of the mail that b has not read.
func (w *talk) unread(tx *store.Tx) (bodies []string, err error) {
	list, err := tx.UnreadMail(store.MailFilter{To: w.b.ID, Limit: 1000})
	for _, m := range list {
		bodies = append(bodies, m.Body)
	}
	return bodies, err
}

func (w *talk) tell(t *testing.T, from, to int) {
	t.Helper()
	for i := from; i <= to; i++ {
		if err := w.Update(t.Context(), func(tx *store.Tx) error { return w.say(tx, fmt.Sprint(i), "") }); err != nil {
			t.Fatal(err)
		}
	}
}

func (w *talk) see(t *testing.T, id parley.MessageID) {
	t.Helper()
	if err := w.Update(t.Context(), func(tx *store.Tx) error { tx.MarkSeen(id, w.b.ID); return nil }); err != nil {
		t.Fatal(err)
	}
}

func numbersFrom(from, to int) (list []string) {
	for i := from; i <= to; i++ {
		list = append(list, fmt.Sprint(i))
	}
	return list
}

// Whoever reads the first few of a long list does not read all of it.
func TestListsAreReadInTheirOrder(t *testing.T) {
	s := openStore(t, filepath.Join(t.TempDir(), "parley.db"))
	if err := storetest.EveryStatement(s); err != nil {
		t.Fatal(err)
	}
	for order, read := range map[string]func(tx *store.Tx) error{
		"ORDER BY d.message_id LIMIT $6":      func(tx *store.Tx) error { _, err := tx.UnreadMail(store.MailFilter{To: 1}); return err },
		"ORDER BY d.message_id LIMIT $2":      func(tx *store.Tx) error { _, err := tx.Mail(1, 1); return err },
		"ORDER BY i.message_id DESC LIMIT $4": func(tx *store.Tx) error { _, err := tx.Inbox(1, 0, 1); return err },
	} {
		if err := s.Update(t.Context(), read); err != nil {
			t.Fatal(err)
		}
		sql, params := "", 0
		s.onWriter(t, func(c *conn) {
			for text, st := range c.stmts {
				if strings.HasSuffix(text, order) && strings.Contains(text, "/*list") {
					sql, params = text, len(st.params)
				}
			}
		})
		plan := strings.Join(s.explain(t, sql, params), "\n")
		if !strings.Contains(plan, "MERGE (UNION ALL)") || strings.Contains(plan, "TEMP B-TREE") {
			t.Errorf("%s\n%s", sql, plan)
		}
	}
}

// A view that goes on for long finds the mail of its moment, though meanwhile some was
// seen and all of it went into the table, several times over.
func TestAViewFindsTheListsOfItsMoment(t *testing.T) {
	w := newTalk(t)
	w.tell(t, 1, 4)
	err := w.View(t.Context(), func(tx *store.Tx) error {
		if got, err := w.unread(tx); err != nil || !slices.Equal(got, numbersFrom(1, 4)) {
			t.Errorf("at first %v, %v", got, err)
		}
		w.see(t, 2)
		w.tell(t, 5, 60)
		w.see(t, 1)
		w.see(t, 30)
		if got, err := w.unread(tx); err != nil || !slices.Equal(got, numbersFrom(1, 4)) {
			t.Errorf("later %v, %v", got, err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	want := slices.Concat(numbersFrom(3, 29), numbersFrom(31, 60))
	if err := w.View(t.Context(), func(tx *store.Tx) error {
		if got, err := w.unread(tx); err != nil || !slices.Equal(got, want) {
			t.Errorf("in the end %v, %v", got, err)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if mark := w.tail.lists[store.MailList].mark; mark.upto == 0 {
		t.Error("nothing was put into the table")
	}
	w.tell(t, 61, 61) // nobody reads any more
	if n := len(w.tail.retired); n > 0 {
		t.Errorf("%d ids stay in memory", n)
	}
}

// What is not in the table is found again by whoever opens the files next, wherever
// the last one was stopped.
func TestListsAreFoundAgainAfterAKill(t *testing.T) {
	w := newTalk(t)
	var want []string
	for i := 1; i <= 40; i++ {
		w.tell(t, i, i)
		want = append(want, fmt.Sprint(i))
		if i%3 == 0 {
			w.see(t, parley.MessageID(i-1))
			want = slices.DeleteFunc(want, func(body string) bool { return body == fmt.Sprint(i-1) })
		}
		path := filepath.Join(t.TempDir(), "parley.db")
		for _, end := range []string{"", "-wal"} {
			data, err := os.ReadFile(w.path + end)
			if err == nil {
				err = os.WriteFile(path+end, data, 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		s, err := Open(path, Options{Synchronous: hasty, checks: true})
		if err != nil {
			t.Fatal(err)
		}
		after := &talk{Store: s, a: w.a, b: w.b, dm: w.dm}
		for range 2 {
			if err := after.View(t.Context(), func(tx *store.Tx) error {
				if got, err := after.unread(tx); err != nil || !slices.Equal(got, want) {
					t.Errorf("after %d: %v, %v", i, got, err)
				}
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			for range 4 { // which go on with the pass, and compare
				after.see(t, 1_000)
			}
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// A database from before has its lists in the table, once.
func TestListsOfAnOlderDatabase(t *testing.T) {
	names, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		t.Fatal(err)
	}
	before := slices.IndexFunc(names, func(name string) bool { return strings.Contains(name, "0034") })
	path := oldFile(t, storetest.FirstContent, firstStep(t))
	if err := migrateWith(t, path, steps(t, before)); err != nil {
		t.Fatal(err)
	}
	c := raw(t, path)
	err = sqlitex.ExecuteScript(c, `
		INSERT INTO message (id, team_id, thread_id, n, prev_id, author_id, kind, body, context, task_id, origin_id, at, priority) VALUES
			(4, 1, 1, 4, 3, 1, 'notification', 'read', '', 0, 0, 1, 0), (5, 1, 1, 5, 4, 1, 'notification', 'unread', '', 0, 0, 1, 0),
			(6, 1, 1, 6, 5, 1, 'notification', 'urgent', '', 0, 0, 1, 0), (7, 1, 1, 7, 6, 2, 'notification', 'to fetch', '', 0, 0, 1, 0);
		INSERT INTO delivery (message_id, recipient_id, pull, seen_at, mail, about_id) VALUES
			(4, 2, 0, 9, 1, 0), (5, 2, 0, 0, 1, 0), (6, 2, 0, 0, 1, -1), (7, 1, 1, 0, 0, 0);
		INSERT INTO inbox (task_id, n, message_id) VALUES (102, 1, 5), (102, 2, 7), (103, 1, 7);
		INSERT INTO task (id, team_id, parent_id, root_id, retry_of, pattern, requester_id, agent_id, thread_id, request_id, title, priority, state, callback,
			due_at, deadline_at, wait_until, ask_depth, delegation_depth, created_at) VALUES
			(103, 1, 102, 102, 0, 'ask', 2, 1, 1, 0, 'a child', 2, 1, 1, 0, 0, 0, 1, 0, 5), (104, 1, 103, 102, 0, 'ask', 1, 2, 1, 0, 'its child', 2, 1, 1, 0, 0, 0, 1, 0, 5);`, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	s, err := Open(path, Options{Synchronous: hasty, checks: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	bodies := func(list []parley.Message, err error) string {
		var said []string
		for _, m := range list {
			said = append(said, m.Body)
		}
		return fmt.Sprint(said, err)
	}
	if err := s.View(t.Context(), func(tx *store.Tx) error {
		for want, got := range map[string]string{
			"[unread urgent] <nil>":   bodies(tx.UnreadMail(store.MailFilter{To: 2, Limit: 9})),
			"[urgent] <nil>":          bodies(tx.MailAbout(2, 102, 0, 9)),
			"[to fetch] <nil>":        bodies(tx.Mail(1, 9)),
			"[unread to fetch] <nil>": bodies(tx.Inbox(102, 0, 2)),
		} {
			if got != want {
				t.Errorf("%s, not %s", got, want)
			}
		}
		tree, err := tx.Subtree(102)
		if len(tree) != 3 || tree[2].ID != 104 {
			t.Errorf("%d tasks", len(tree))
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if err := s.Update(t.Context(), token("x")); err != nil { // which compares
		t.Fatal(err)
	}
}

// A list to which nothing comes moves on with the ids, or opening a store would look for what it
// lacks in the whole record.
func TestAListThatNobodyUsesMovesOn(t *testing.T) {
	w := newTalk(t)
	w.writer.conn.limits.span = 8 // nobody else uses it now
	w.tell(t, 1, 20)
	w.onWriter(t, func(c *conn) {
		for _, list := range []store.List{store.MailList, store.PullList, store.AboutList, store.InboxList} {
			if mark := c.tail.lists[list].mark; mark.upto < 20-8 {
				t.Errorf("the mark of %s is %+v", store.ListNames[list], mark)
			}
		}
	})
}

// Retention takes what it removes out of the lists too, which are checked after every commit.
func TestWhatIsRemovedLeavesTheLists(t *testing.T) {
	w := newTalk(t)
	m := parley.Message{Team: w.a.Team, Thread: w.dm.Main, Author: w.a.ID, Kind: parley.AskMessage, Body: "now"}
	for _, fn := range []func(*store.Tx) error{
		func(tx *store.Tx) error { return tx.Post(&m, store.Recipient{ID: w.b.ID, About: store.AnyTask}) },
		func(tx *store.Tx) error { return w.say(tx, "later", "") },
		func(tx *store.Tx) error { tx.RemoveMessages([]parley.MessageID{m.ID}); return nil },
	} {
		if err := w.Update(t.Context(), fn); err != nil {
			t.Fatal(err)
		}
	}
	w.onWriter(t, func(c *conn) {
		if ids := c.tail.of(store.AboutList, int64(w.b.ID)); len(ids) > 0 {
			t.Errorf("listed are %v", ids)
		}
	})
}
