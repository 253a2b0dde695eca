package sqlite

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"zombiezen.com/go/sqlite/sqlitex"

	"parley"
	"parley/internal/bubbletest"
	"parley/internal/store"
)

// talk is two agents and their dm.
type talk struct {
	*Store
	a, b parley.Agent
	dm   parley.Channel
}

func newTalk(t *testing.T) *talk {
	t.Helper()
	s, err := Open(filepath.Join(t.TempDir(), "parley.db"), Options{Synchronous: hasty, checks: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	w := &talk{Store: s}
	if err := s.Update(t.Context(), func(tx *store.Tx) (err error) {
		team := parley.Team{Name: "main"}
		tx.InsertTeam(&team)
		w.a, w.b = parley.Agent{Team: team.ID, Name: "a", Kind: parley.Native}, parley.Agent{Team: team.ID, Name: "b", Kind: parley.Native}
		tx.InsertAgent(&w.a)
		tx.InsertAgent(&w.b)
		w.dm, err = tx.EnsureDM(team.ID, w.a.ID, w.b.ID)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return w
}

// say posts a message of a to b under a key, as mail.
func (w *talk) say(tx *store.Tx, body, key string) error {
	if _, err := tx.ContactState(w.a.ID, w.b.ID, 0, ""); err != nil {
		return err
	}
	m := parley.Message{Team: w.a.Team, Thread: w.dm.Main, Author: w.a.ID, Kind: parley.NotificationMessage, Body: body, Key: key}
	if err := tx.Post(&m, store.Recipient{ID: w.b.ID, Mail: true}); err != nil {
		return err
	}
	tx.Record(parley.Event{Team: w.a.Team, Kind: parley.EventMessage, Actor: w.a.ID, Target: w.b.ID, Message: m.ID})
	return nil
}

// said reads what was said, oldest first, and checks that it is one chain.
func (w *talk) said(t *testing.T) (bodies []string) {
	t.Helper()
	if err := w.View(t.Context(), func(tx *store.Tx) error {
		thread, err := tx.Thread(w.dm.Main)
		if err != nil {
			return err
		}
		n := thread.Count
		for id := thread.Last; id != 0; n-- {
			m, err := tx.Message(id)
			if err != nil {
				return err
			}
			if m.N != n {
				t.Errorf("%q is number %d and found at %d", m.Body, m.N, n)
			}
			bodies, id = append(bodies, m.Body), m.Prev
		}
		events, _, err := tx.Events(w.a.Team, "", 10_000)
		if err == nil && len(events) != len(bodies) {
			t.Errorf("%d events of %d messages", len(events), len(bodies))
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	slices.Reverse(bodies)
	return bodies
}

var intoTable = regexp.MustCompile(`^INSERT (?:OR FAIL )?INTO (\w+)`)

// The rows of a batch go in together: few statements, and the same rows in the same order.
func TestTheRowsOfABatchGoInTogether(t *testing.T) {
	bubbletest.Test(t, func(t *testing.T) {
		w := newTalk(t)
		var closures []func(*store.Tx) error
		var want []string
		for i := range 3*mostAtOnce - 1 { // twice the most, and one of each smaller number
			want = append(want, fmt.Sprint("message ", i))
			closures = append(closures, func(tx *store.Tx) error { return w.say(tx, want[i], fmt.Sprint("key ", i)) })
		}
		end, err := w.Count()
		if err != nil {
			t.Fatal(err)
		}
		for _, err := range batch(t, w.Store, closures) {
			if err != nil {
				t.Error(err)
			}
		}
		if diff := cmp.Diff(want, w.said(t)); diff != "" {
			t.Errorf("said (-want +got):\n%s", diff)
		}
		counts, err := end()
		if err != nil {
			t.Fatal(err)
		}
		runs := map[string]int64{}
		for _, s := range counts.Statements {
			if insert := intoTable.FindStringSubmatch(s.SQL); insert != nil && s.Writer {
				runs[insert[1]] += s.Runs
			}
		}
		if diff := cmp.Diff(map[string]int64{"message": 6, "delivery": 6, "event": 6, "thread": 6}, runs); diff != "" {
			t.Errorf("inserts (-want +got):\n%s", diff)
		}
	})
}

// A row that the engine refuses fails its own closure, though it is inserted with others
// and long after the closure has ended.
func TestARefusedRowOfABatchFailsItsOwnClosure(t *testing.T) {
	bubbletest.Test(t, func(t *testing.T) {
		w := newTalk(t)
		if err := w.Update(t.Context(), func(tx *store.Tx) error { return w.say(tx, "before", "taken") }); err != nil {
			t.Fatal(err)
		}
		want := []string{"before"}
		var closures []func(*store.Tx) error
		for i := range mostAtOnce + 4 {
			key := fmt.Sprint("key ", i)
			if i == 7 {
				key = "taken"
			} else {
				want = append(want, fmt.Sprint("message ", i))
			}
			closures = append(closures, func(tx *store.Tx) error { return w.say(tx, fmt.Sprint("message ", i), key) })
		}
		for i, err := range batch(t, w.Store, closures) {
			if (err != nil) != (i == 7) {
				t.Errorf("closure %d: %v", i, err)
			}
		}
		if diff := cmp.Diff(want, w.said(t)); diff != "" {
			t.Errorf("said (-want +got):\n%s", diff)
		}
	})
}

// A closure that fails after writing takes what the writer remembers with it.
func TestTheWriterForgetsWhatWasRolledBack(t *testing.T) {
	w := newTalk(t)
	for _, body := range []string{"one", "refused", "two"} {
		err := w.Update(t.Context(), func(tx *store.Tx) error {
			if err := w.say(tx, body, ""); err != nil || body != "refused" {
				return err
			}
			return errRefused
		})
		if (err != nil) != (body == "refused") {
			t.Errorf("%s: %v", body, err)
		}
	}
	if diff := cmp.Diff([]string{"one", "two"}, w.said(t)); diff != "" {
		t.Errorf("said (-want +got):\n%s", diff)
	}
}

// What a closure has written it reads, though the rows wait.
func TestAClosureReadsWhatItHasWritten(t *testing.T) {
	w := newTalk(t)
	if err := w.Update(t.Context(), func(tx *store.Tx) error {
		if err := w.say(tx, "one", ""); err != nil {
			return err
		}
		list, err := tx.UnreadMail(store.MailFilter{To: w.b.ID, Limit: 10})
		if err != nil || len(list) != 1 {
			t.Errorf("mail: %v %v", list, err)
		}
		thread, err := tx.Thread(w.dm.Main)
		if err != nil || thread.Count != 1 {
			t.Errorf("thread: %+v %v", thread, err)
		}
		tx.SetRate(w.a.ID, parley.Rate{At: 7, Debt: 1500})
		a, err := tx.Agent(w.a.ID)
		if err != nil || a.Rate != (parley.Rate{At: 7, Debt: 1000}) {
			t.Errorf("agent: %+v %v", a, err)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

// A statement that changes rows without saying which makes the writer forget their table.
func TestTheWriterForgetsWhatIsChangedBehindItsBack(t *testing.T) {
	w := newTalk(t)
	if err := w.Update(t.Context(), func(tx *store.Tx) error {
		if err := w.say(tx, "one", ""); err != nil {
			return err
		}
		w.writer.conn.exec("UPDATE thread SET kept = 1")
		w.writer.conn.exec("UPDATE agent SET offline = 1")
		w.writer.conn.exec("UPDATE delivery SET seen_at = 1")
		w.writer.conn.TakeFrom(store.MailList, int64(w.b.ID), 1) // lists have to be told
		s, err := tx.ContactState(w.a.ID, w.b.ID, 0, "")
		thread, err2 := tx.LockThread(w.dm.Main)
		if err != nil || err2 != nil || !thread.Kept || !s.Sender.Offline || s.Mail {
			t.Errorf("%+v %+v %v %v", s, thread, err, err2)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

// Check notices a row that is remembered wrongly, or the tests that rely on it show
// nothing.
func TestCheckNoticesWhatIsRememberedWrongly(t *testing.T) {
	w := newTalk(t)
	if err := w.Update(t.Context(), func(tx *store.Tx) error { return w.say(tx, "one", "") }); err != nil {
		t.Fatal(err)
	}
	c := w.writer.conn // nobody else uses it now
	if err := c.hot.Check(c); err != nil {
		t.Fatal(err)
	}
	run := func(sql string) {
		t.Helper()
		if err := sqlitex.ExecuteTransient(c.raw, sql, nil); err != nil {
			t.Fatal(err)
		}
	}
	for _, change := range []string{"UPDATE thread SET a_read = 1", "UPDATE agent SET home = 'x' WHERE id = 1", "UPDATE rate SET debt = 9"} {
		run(change)
		if c.hot.Check(c) == nil {
			t.Errorf("not noticed: %s", change)
		}
		c.hot.ForgetAll()
		if err := w.Update(t.Context(), func(tx *store.Tx) error { return w.say(tx, "more", "") }); err != nil {
			t.Fatal(err)
		}
	}
	run("UPDATE delivery SET seen_at = 1")
	if c.hot.Check(c) == nil || c.checkLists() == nil {
		t.Errorf("not noticed: what was seen")
	}
	run("UPDATE delivery SET seen_at = 0") // or the next commit would
}

func TestTraits(t *testing.T) {
	set := func(names ...string) (of tables) {
		for _, name := range names {
			of |= 1 << slices.Index(laterTables, name)
		}
		return of
	}
	for sql, want := range map[string]traits{
		"INSERT INTO event (id) VALUES ($1) /*later*/":                               {waits: true, insert: true, several: true, table: slices.Index(laterTables, "event"), touches: set("event")},
		"UPDATE thread SET kept = $1 WHERE id = $2 /*later*/":                        {waits: true, table: slices.Index(laterTables, "thread"), touches: set("thread")},
		"SELECT id FROM task JOIN message m ON m.id = request_id":                    {touches: set("task", "message")},
		"UPDATE task SET title = '' WHERE id = $1":                                   {touches: set("task"), changes: []string{"task"}},
		"INSERT INTO rate (a) VALUES ($1) ON CONFLICT (a) DO UPDATE SET b /*later*/": {waits: true, several: true, table: slices.Index(laterTables, "rate"), touches: set("rate")},
		"INSERT INTO thread (id) VALUES ($1)":                                        {touches: set("thread")},
		"INSERT INTO delivery (message_id) VALUES ($1)":                              {touches: set("delivery"), changes: []string{"delivery"}},
		"INSERT INTO rate (agent_id) VALUES ($1) ON CONFLICT (x) DO UPDATE SET":      {touches: set("rate"), changes: []string{"rate"}},
		"WITH x AS (SELECT 1) DELETE FROM delivery WHERE message_id IN x":            {touches: set("delivery"), changes: []string{"delivery"}},
		"BEGIN IMMEDIATE": {},
	} {
		if diff := cmp.Diff(want, traitsOf(sql), cmp.AllowUnexported(traits{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", sql, diff)
		}
	}
}

// Also what opening the store prepares waits for what is to be written before it reads.
func TestEveryStatementOfTheWriterHasItsTraits(t *testing.T) {
	w := newTalk(t)
	w.onWriter(t, func(c *conn) {
		for sql, s := range c.stmts {
			if want := traitsOf(sql); s.waits != want.waits || s.touches != want.touches || !slices.Equal(s.changes, want.changes) {
				t.Errorf("%s: %+v, and not %+v", sql, s.traits, want)
			}
		}
	})
}

// A step is later than all that are stored, also if the first one could not be.
func TestAFailedStepDoesNotSetTheTime(t *testing.T) {
	w := newTalk(t)
	const ahead = 1 << 60
	insert := func(n int) func(*store.Tx) error {
		return func(tx *store.Tx) error {
			tx.InsertStep(parley.Step{Task: 1, Turn: 1, N: n, Kind: parley.StepReply, Content: []byte("{}")})
			return nil
		}
	}
	if err := w.Update(t.Context(), func(tx *store.Tx) error {
		w.writer.conn.Exec("INSERT INTO step (task_id, turn, n, kind, content, at) VALUES (9, 1, 1, 'reply', '{}', $1)", int64(ahead))
		return w.say(tx, "with it", "")
	}); err != nil {
		t.Fatal(err)
	}
	if err := w.Update(t.Context(), func(tx *store.Tx) error {
		w.writer.conn.err = errors.New("the disk is full")
		return insert(1)(tx)
	}); err == nil {
		t.Error("it was stored")
	}
	if err := w.Update(t.Context(), insert(2)); err != nil {
		t.Fatal(err)
	}
	newest := int64(0)
	w.onWriter(t, func(c *conn) {
		if err := c.Query(store.Query{SQL: "SELECT at FROM step WHERE n = 2", Row: func(r store.Row) { newest = r.Int(0) }}); err != nil {
			t.Error(err)
		}
	})
	if newest <= ahead {
		t.Errorf("it is of %d, and another one of %d", newest, int64(ahead))
	}
}
