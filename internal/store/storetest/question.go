package storetest

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/internal/store"
)

// question stores an open question by Ann.
func (w *world) question(q parley.Question, routes ...parley.Route) parley.Question {
	w.t.Helper()
	q.Team, q.Asker = w.team.ID, w.ann.ID
	w.update(func(tx *store.Tx) error {
		q.ID = tx.NewQuestionID()
		tx.InsertQuestion(&q)
		for i := range routes {
			routes[i].Question, routes[i].N = q.ID, i+1
			tx.InsertRoute(&routes[i])
		}
		return nil
	})
	return q
}

// closeQuestion closes a question if it is open, and reports whether it was.
func closeQuestion(tx *store.Tx, id parley.QuestionID, as parley.QuestionState) (closed bool, err error) {
	q, err := tx.LockQuestion(id)
	if err != nil || q.State != parley.QuestionOpen {
		return false, err
	}
	q.State, q.ClosedAt = as, tx.Now
	tx.UpdateQuestion(&q)
	return true, nil
}

func questionRoundTrip(t *testing.T, open Open) {
	w := newWorld(t, open)
	routes := []parley.Route{
		{Agent: w.bob.ID, By: w.ann.ID, Task: 101},
		{Agent: w.carol.ID, By: w.bob.ID, Task: 102, Hop: 1, Enrichment: "ask Carol"},
	}
	q := w.question(parley.Question{Task: 7, Target: w.bob.ID, Text: "Which port?", Context: "staging", Key: "k", ExpiresAt: 1 << 60}, routes...)
	if q.ID == 0 || q.State != parley.QuestionOpen || q.CreatedAt == 0 || routes[1].State != parley.RouteAsked || routes[1].At == 0 {
		t.Errorf("stored as %+v, %+v", q, routes)
	}
	w.update(func(tx *store.Tx) error {
		locked, err := tx.LockQuestion(q.ID)
		locked.State, locked.Hops, locked.ClosedAt, locked.NextAt = parley.QuestionAnswered, 1, tx.Now, tx.Now+1
		tx.UpdateQuestion(&locked)
		routes[0].State, routes[1].State, routes[1].Answer = parley.RouteForwarded, parley.RouteAnswered, 9
		tx.UpdateRoute(&routes[0])
		tx.UpdateRoute(&routes[1])
		q = locked
		return err
	})
	w.update(func(tx *store.Tx) error {
		q.Text, q.Context, routes[1].Enrichment = "[gone]", "", "[gone too]"
		tx.SetQuestionText(q.ID, q.Text, q.Context)
		tx.SetEnrichment(routes[1])
		return nil
	})
	w.view(func(tx *store.Tx) error {
		got, err := tx.Question(q.ID)
		if d := cmp.Diff(q, got); d != "" || err != nil {
			t.Error(d, err)
		}
		legs, err := tx.Routes(q.ID)
		if d := cmp.Diff(routes, legs); d != "" {
			t.Error(d)
		}
		if _, err := tx.Question(q.ID + 1); err != store.ErrNotFound {
			t.Errorf("one that is not there: %v", err)
		}
		return err
	})
}

func questionKey(t *testing.T, open Open) {
	w := newWorld(t, open)
	q := w.question(parley.Question{Task: 7, Key: "k"})
	w.question(parley.Question{Task: 7})
	w.question(parley.Question{Task: 7}) // without a key it is another
	w.view(func(tx *store.Tx) error {
		got, err := tx.QuestionByKey([]parley.TaskID{7}, w.ann.ID, "k")
		if got.ID != q.ID {
			t.Errorf("found %+v", got)
		}
		if _, err := tx.QuestionByKey([]parley.TaskID{8}, w.ann.ID, "k"); err != store.ErrNotFound {
			t.Errorf("of another task: %v", err)
		}
		return err
	})
	err := w.Update(t.Context(), func(tx *store.Tx) error {
		tx.InsertQuestion(&parley.Question{ID: tx.NewQuestionID(), Team: w.team.ID, Asker: w.ann.ID, Task: 7, Key: "k"})
		return nil
	})
	if err == nil {
		t.Error("the same key has two questions")
	}
}

func questionLists(t *testing.T, open Open) {
	w := newWorld(t, open)
	first := w.question(parley.Question{ExpiresAt: 30, NextAt: 20}, parley.Route{Agent: w.bob.ID}) // others are asked then
	second := w.question(parley.Question{ExpiresAt: 10}, parley.Route{Agent: w.carol.ID})
	later := w.question(parley.Question{ExpiresAt: 1 << 60}, parley.Route{Agent: w.bob.ID}, parley.Route{Agent: w.carol.ID})
	w.view(func(tx *store.Tx) error {
		for _, c := range []struct {
			filter store.QuestionFilter
			want   []parley.QuestionID
		}{
			{store.QuestionFilter{}, []parley.QuestionID{later.ID, second.ID, first.ID}},
			{store.QuestionFilter{Agent: w.bob.ID}, []parley.QuestionID{later.ID, first.ID}},
			{store.QuestionFilter{Agent: w.ann.ID, Reader: w.carol.ID}, []parley.QuestionID{later.ID, second.ID}},
			{store.QuestionFilter{Reader: w.bob.ID, Limit: 1}, []parley.QuestionID{later.ID}},
		} {
			c.filter.Team = w.team.ID
			if c.filter.Limit == 0 {
				c.filter.Limit = 10
			}
			if got := listedQuestions(t, tx, c.filter); !cmp.Equal(got, c.want) {
				t.Errorf("%+v lists %v, want %v", c.filter, got, c.want)
			}
		}
		at, err := tx.NextQuestion()
		if at != 10 {
			t.Errorf("the next is due at %d", at)
		}
		ids, failed := tx.DueQuestions(10)
		if !cmp.Equal(ids, []parley.QuestionID{second.ID, first.ID}) || failed != nil {
			t.Errorf("due are %v, %v", ids, failed)
		}
		return err
	})
	w.update(func(tx *store.Tx) error { _, err := closeQuestion(tx, second.ID, parley.QuestionExpired); return err })
	w.view(func(tx *store.Tx) error {
		if got := listedQuestions(t, tx, store.QuestionFilter{Team: w.team.ID, Open: true, Limit: 10}); len(got) != 2 {
			t.Errorf("open are %v", got)
		}
		at, err := tx.NextQuestion()
		if at != 20 {
			t.Errorf("the next is due at %d", at)
		}
		return err
	})
}

func listedQuestions(t *testing.T, tx *store.Tx, f store.QuestionFilter) (ids []parley.QuestionID) {
	t.Helper()
	list, err := tx.Questions(f)
	if err != nil {
		t.Error(err)
	}
	for _, q := range list {
		ids = append(ids, q.ID)
	}
	return ids
}

func answerAgainstExpiry(t *testing.T, open Open) {
	w := newWorld(t, open)
	q := w.question(parley.Question{ExpiresAt: 1})
	won := make(chan bool, 2)
	for _, as := range []parley.QuestionState{parley.QuestionAnswered, parley.QuestionExpired} {
		go func() {
			var closed bool
			err := w.Update(t.Context(), func(tx *store.Tx) (err error) {
				closed, err = closeQuestion(tx, q.ID, as)
				return err
			})
			if err != nil {
				t.Error(err)
			}
			won <- closed
		}()
	}
	if first, second := <-won, <-won; first == second {
		t.Errorf("both won, or none: %v", first)
	}
}

func oldQuestions(t *testing.T, open Open) {
	w := newWorld(t, open)
	closed := w.question(parley.Question{}, parley.Route{Agent: w.bob.ID})
	still := w.question(parley.Question{}, parley.Route{Agent: w.bob.ID})
	last := w.question(parley.Question{})
	w.update(func(tx *store.Tx) error {
		for _, id := range []parley.QuestionID{closed.ID, last.ID} {
			if _, err := closeQuestion(tx, id, parley.QuestionAnswered); err != nil {
				return err
			}
		}
		return nil
	})
	w.update(func(tx *store.Tx) error {
		before := tx.Now.Add(time.Hour)
		n, err := tx.OldQuestions(w.team.ID, before)
		if n != 1 {
			t.Errorf("old are %d", n)
		}
		tx.RemoveQuestions(w.team.ID, before)
		return err
	})
	w.view(func(tx *store.Tx) error {
		if got := listedQuestions(t, tx, store.QuestionFilter{Team: w.team.ID, Limit: 10}); !cmp.Equal(got, []parley.QuestionID{last.ID, still.ID}) {
			t.Errorf("left are %v", got)
		}
		routes, err := tx.Routes(closed.ID)
		if len(routes) != 0 {
			t.Errorf("routes are left: %v", routes)
		}
		return err
	})
}
