package retention_test

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	zombiezen "zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"parley"
	"parley/internal/retention"
	"parley/internal/store"
	"parley/internal/store/sqlite"
)

const day = 24 * time.Hour

// archive is a team in memory whose past can be looked at past the program.
type archive struct {
	*testing.T
	store    *sqlite.Store
	look     *zombiezen.Conn
	now      atomic.Int64
	team     parley.TeamID
	ann, bob parley.AgentID
	thread   parley.ThreadID
}

func newArchive(t *testing.T) *archive {
	t.Helper()
	a := &archive{T: t}
	a.now.Store(time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC).UnixMicro())
	var err error
	a.store, err = sqlite.OpenMemory(t.Name(), sqlite.Options{Readers: 1, Clock: func() time.Time { return time.UnixMicro(a.now.Load()) }})
	if err != nil {
		t.Fatal(err)
	}
	if a.look, err = zombiezen.OpenConn("file:/"+t.Name()+"?vfs=memdb", zombiezen.OpenReadWrite|zombiezen.OpenURI); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = a.look.Close(), a.store.Close() })
	a.update(func(tx *store.Tx) error {
		team := parley.Team{Name: "main"}
		tx.InsertTeam(&team)
		ann, bob := parley.Agent{Team: team.ID, Name: "Ann", Kind: parley.Native}, parley.Agent{Team: team.ID, Name: "Bob", Kind: parley.Native}
		tx.InsertAgent(&ann)
		tx.InsertAgent(&bob)
		dm, err := tx.EnsureDM(team.ID, ann.ID, bob.ID)
		a.team, a.ann, a.bob, a.thread = team.ID, ann.ID, bob.ID, dm.Main
		return err
	})
	return a
}

func (a *archive) update(fn func(*store.Tx) error) {
	a.Helper()
	if err := a.store.Update(context.Background(), fn); err != nil {
		a.Fatal(err)
	}
}

func (a *archive) pass(d time.Duration) { a.now.Add(d.Microseconds()) }

// story stores a question that was asked, forwarded and answered, with everything
// that can hang on its task. Every word of it has the name in it.
func (a *archive) story(name string, closed bool) {
	a.Helper()
	a.update(func(tx *store.Tx) error {
		q := parley.Question{ID: tx.NewQuestionID(), Team: a.team, Asker: a.ann, Target: a.bob, Text: name, Context: name, Key: name, ExpiresAt: tx.Now.Add(time.Hour)}
		tx.InsertQuestion(&q)
		t := parley.Task{ID: tx.NewTaskID(), Team: a.team, Requester: a.ann, Agent: a.bob, Thread: a.thread, Pattern: parley.Query, State: parley.Queued,
			Title: name, Callback: parley.CallbackAnswer}
		t.Root = t.ID
		m := parley.Message{Team: a.team, Thread: a.thread, Author: a.ann, Kind: parley.QuestionMessage, Body: name, Context: name, Task: t.ID, Question: q.ID}
		if err := tx.Post(&m, store.Recipient{ID: a.bob}); err != nil {
			return err
		}
		t.Request = m.ID
		tx.InsertTask(&t)
		tx.InsertTaskPath(&t, name+".go")
		tx.InsertRoute(&parley.Route{Question: q.ID, N: 1, Agent: a.bob, By: a.ann, Task: t.ID, Enrichment: name})
		tx.InsertStep(parley.Step{Task: t.ID, Turn: 1, N: 1, Kind: parley.StepReply, Content: fmt.Appendf(nil, "%q", name)})
		tx.InsertApproval(&parley.Approval{Team: a.team, Task: t.ID, Turn: 1, Call: name, Agent: a.bob, Tool: name, Args: name, State: parley.ApprovalDenied})
		tx.PutInbox(&t, m.ID)
		tx.MarkSeen(m.ID, a.bob)
		if closed {
			t.State, t.EndedAt, t.Error = parley.Completed, tx.Now, name
			tx.UpdateTask(&t)
			q.State, q.ClosedAt = parley.QuestionAnswered, tx.Now
			tx.UpdateQuestion(&q)
		}
		return nil
	})
}

// holds are the tables that have a word.
func (a *archive) holds(word string) (tables []string) {
	a.Helper()
	var all []string
	each := func(sql string, row func(*zombiezen.Stmt)) {
		a.Helper()
		if err := sqlitex.ExecuteTransient(a.look, sql, &sqlitex.ExecOptions{ResultFunc: func(s *zombiezen.Stmt) error { row(s); return nil }}); err != nil {
			a.Fatal(err)
		}
	}
	each(`SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name`, func(s *zombiezen.Stmt) { all = append(all, s.ColumnText(0)) })
	for _, table := range all {
		each(`SELECT * FROM "`+table+`"`, func(s *zombiezen.Stmt) {
			for i := range s.ColumnCount() {
				if strings.Contains(s.ColumnText(i), word) && !slices.Contains(tables, table) {
					tables = append(tables, table)
				}
			}
		})
	}
	return tables
}

// nothing is an index without a word in it.
type nothing struct{}

func (nothing) Forget(*store.Tx, []parley.MessageID) error { return nil }

// What is older than the rule is gone with all that hangs on it, questions and the
// files that tasks were about too; what is younger, or not over, stays whole.
func TestASweepTakesEverythingOfWhatIsOld(t *testing.T) {
	a := newArchive(t)
	a.story("ancient", true)
	a.story("unfinished", false)
	a.pass(91 * day)
	a.story("recent", true)
	a.pass(day)
	everywhere := a.holds("recent")
	for _, table := range []string{"approval", "message", "question", "question_route", "step", "task", "task_path"} {
		if !slices.Contains(everywhere, table) {
			t.Errorf("the story leaves %s out", table)
		}
	}
	sweeper := retention.New(a.store, a.team, retention.Rule{Messages: 90 * day}, nothing{}, slog.New(slog.DiscardHandler))
	gone, err := sweeper.Sweep(t.Context())
	if err != nil || gone.Messages != 1 {
		t.Errorf("removed %+v, %v", gone, err)
	}
	if left := a.holds("ancient"); left != nil {
		t.Errorf("what is old is still in %v", left)
	}
	for _, word := range []string{"unfinished", "recent"} {
		if got := a.holds(word); !slices.Equal(got, everywhere) {
			t.Errorf("%s is left in %v, of %v", word, got, everywhere)
		}
	}
}

// A rule that keeps everything sweeps nothing.
func TestNoRuleSweepsNothing(t *testing.T) {
	a := newArchive(t)
	a.story("ancient", true)
	a.pass(1000 * day)
	a.story("recent", true)
	before := a.holds("ancient")
	gone, err := retention.New(a.store, a.team, retention.Rule{}, nothing{}, slog.New(slog.DiscardHandler)).Sweep(t.Context())
	if err != nil || gone != (retention.Removed{}) || !slices.Equal(before, a.holds("ancient")) {
		t.Errorf("removed %+v, %v", gone, err)
	}
}
