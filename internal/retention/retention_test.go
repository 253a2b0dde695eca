package retention_test

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/retention"
	"parley/internal/store"
	"parley/internal/store/memtest"
)

const day = 24 * time.Hour

// archive is a team in memory with a past.
type archive struct {
	*testing.T
	store    *memtest.Store
	team     parley.TeamID
	ann, bob parley.AgentID
	thread   parley.ThreadID
}

func newArchive(t *testing.T) *archive {
	t.Helper()
	a := &archive{T: t, store: memtest.Open(t)}
	ann, bob := parley.Agent{Name: "Ann", Kind: parley.Native}, parley.Agent{Name: "Bob", Kind: parley.Native}
	a.team = a.store.Team("main", &ann, &bob)
	a.ann, a.bob = ann.ID, bob.ID
	a.store.Do(func(tx *store.Tx) error {
		dm, err := tx.EnsureDM(a.team, ann.ID, bob.ID)
		a.thread = dm.Main
		return err
	})
	return a
}

// story stores a question that was asked, forwarded and answered, with everything
// that can be attached to its task. Every text in it contains the name.
func (a *archive) story(name string, closed bool) {
	a.Helper()
	a.store.Do(func(tx *store.Tx) error {
		q := parley.Question{ID: tx.NewQuestionID(), Team: a.team, Asker: a.ann, Target: a.bob, Text: name, Context: name, Key: name, ExpiresAt: tx.Now.Add(time.Hour)}
		tx.InsertQuestion(&q)
		t := parley.Task{ID: tx.NewTaskID(), Team: a.team, Requester: a.ann, Agent: a.bob, Thread: a.thread, Pattern: parley.QuestionPattern, State: parley.Queued,
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

// holds are the names of the tables that contain a word.
func (a *archive) holds(word string) (tables []string) {
	a.Helper()
	for table, rows := range a.store.Rows() {
		if strings.Contains(strings.Join(rows, ""), word) {
			tables = append(tables, table)
		}
	}
	slices.Sort(tables)
	return tables
}

// nothing is an empty index.
type nothing struct{}

func (nothing) Forget(*store.Tx, []parley.MessageID) error { return nil }

// What is older than the rule is gone with everything attached to it, including
// questions and the files that tasks were about. What is younger, or still open,
// stays complete.
func TestASweepTakesEverythingOfWhatIsOld(t *testing.T) {
	a := newArchive(t)
	a.story("ancient", true)
	a.story("unfinished", false)
	a.store.Pass(91 * day)
	a.story("recent", true)
	a.store.Pass(day)
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
	a.store.Pass(1000 * day)
	a.story("recent", true)
	before := a.holds("ancient")
	gone, err := retention.New(a.store, a.team, retention.Rule{}, nothing{}, slog.New(slog.DiscardHandler)).Sweep(t.Context())
	if err != nil || gone != (retention.Removed{}) || !slices.Equal(before, a.holds("ancient")) {
		t.Errorf("removed %+v, %v", gone, err)
	}
}

// Events have a rule of their own.
func TestEventsAreKeptByTheirOwnRule(t *testing.T) {
	a := newArchive(t)
	record := func(detail string) {
		t.Helper()
		a.store.Do(func(tx *store.Tx) error {
			tx.Record(parley.Event{Team: a.team, Kind: parley.EventStatus, Detail: detail})
			return nil
		})
	}
	record("ancient")
	a.store.Pass(20 * day)
	record("middle-aged")
	a.store.Pass(20 * day)
	record("recent")
	for _, c := range []struct {
		rule retention.Rule
		gone int
		left []string
	}{
		{retention.Rule{Messages: day}, 0, []string{"ancient", "middle-aged", "recent"}},
		{retention.Rule{Messages: day, Events: 30 * day}, 1, []string{"middle-aged", "recent"}},
		{retention.Rule{Messages: 90 * day, Events: 10 * day}, 1, []string{"recent"}},
	} {
		gone, err := retention.New(a.store, a.team, c.rule, nothing{}, slog.New(slog.DiscardHandler)).Sweep(t.Context())
		if err != nil || gone.Events != c.gone {
			t.Errorf("%+v removed %+v, %v", c.rule, gone, err)
		}
		for _, word := range []string{"ancient", "middle-aged", "recent"} {
			if there := len(a.holds(word)) > 0; there != slices.Contains(c.left, word) {
				t.Errorf("%+v: %s is there: %v", c.rule, word, there)
			}
		}
	}
}
