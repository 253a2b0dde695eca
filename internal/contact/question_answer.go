package contact

import (
	"context"
	"errors"
	"strings"

	"parley"
	"parley/internal/access"
	"parley/internal/policy"
	"parley/internal/question"
	"parley/internal/store"
)

// AnswerQuestion answers a question that the caller was asked. It does so once,
// and the asker gets it at once; the caller's task goes on.
func (s *Service) AnswerQuestion(ctx context.Context, c access.Caller, id parley.QuestionID, text, key string) error {
	if strings.TrimSpace(text) == "" {
		return parley.Errorf(parley.Conflict, "The answer is empty.").WithHint("Say what you know, or forward the question.")
	}
	if err := s.checkBody(c, text, key); err != nil {
		return err
	}
	return s.actOn(ctx, c, id, func(q *lockedQuestion, r *parley.Route) (bool, error) {
		if r != nil && r.State == parley.RouteAnswered {
			return false, q.answeredBefore(c, r, key)
		}
		if err := q.mayAct(r); err != nil {
			return false, err
		}
		return true, q.answer(r, parley.Message{Body: text, Origin: c.Task, Key: key})
	})
}

// PassQuestion says that the caller does not know. Nothing is delivered. Passing again,
// or after a forward, changes nothing.
func (s *Service) PassQuestion(ctx context.Context, c access.Caller, id parley.QuestionID) error {
	return s.actOn(ctx, c, id, func(q *lockedQuestion, r *parley.Route) (bool, error) {
		if r != nil && r.State == parley.RoutePassed {
			return false, nil
		}
		if err := q.mayAct(r); err != nil {
			return false, err
		}
		switch r.State {
		case parley.RouteAnswered:
			return false, errAnswered(q.ID)
		case parley.RouteAsked:
			return true, q.pass(r)
		}
		return true, nil
	})
}

// actOn has the caller act on a question under its lock. act gets the caller's route,
// nil if it was not asked, and reports whether the caller is done with the question
// now; if it was before, nothing changes.
func (s *Service) actOn(ctx context.Context, c access.Caller, id parley.QuestionID, act func(*lockedQuestion, *parley.Route) (bool, error)) error {
	what := "answer " + id.String()
	if err := s.access.PermitOutside(ctx, c, policy.TaskOp, what); err != nil {
		return err
	}
	err := s.store.Update(ctx, func(tx *store.Tx) error {
		q, err := s.lockQuestion(tx, c, id)
		if err != nil {
			return err
		}
		r := question.RouteOf(q.routes, c.Agent)
		if done, err := act(q, r); err != nil || !done {
			return err
		}
		if c.Token == 0 {
			q.complete(r)
		}
		return q.release()
	})
	return s.access.RecordDenied(ctx, c, what, err)
}

// pass notes that one who was asked does not know.
func (q *lockedQuestion) pass(r *parley.Route) error {
	r.State = parley.RoutePassed
	q.tx.UpdateRoute(r)
	q.tx.Record(parley.Event{Team: q.Team, Kind: parley.EventQuestionPassed, Actor: r.Agent, Target: q.Asker, Task: r.Task, Detail: q.ID.String()})
	return q.settle(parley.NobodyCouldAnswer)
}

// complete ends the task of somebody whose turns the hub does not run: with the
// answer or the forward there is nothing left to do.
func (q *lockedQuestion) complete(r *parley.Route) {
	for n := range q.tasks {
		t := &q.tasks[n]
		if t.ID != r.Task || !t.State.Open() {
			continue
		}
		f := finish{s: q.s, tx: q.tx, task: t}
		f.markCompleted()
	}
}

// mayAct refuses whoever was not asked, and everybody once the question is closed.
func (q *lockedQuestion) mayAct(r *parley.Route) error {
	switch {
	case q.over():
		return parley.ErrQuestionGone(q.ID.String())
	case r == nil:
		return parley.Errorf(parley.Denied, "You were not asked %s.", q.ID).WithRule(ruleAsked).
			WithHint("Only those who were asked answer or forward a question.")
	}
	return nil
}

// over reports whether nobody wants an answer any more: the question is closed, or
// the task that asked has failed or was cancelled.
func (q *lockedQuestion) over() bool {
	return q.State != parley.QuestionOpen || q.ExpiresAt <= q.tx.Now || !q.wanted()
}

// ruleAsked is the right of those who were asked.
const ruleAsked = "asked"

// answeredBefore lets a turn that goes on after a crash find its own answer, and
// refuses somebody who answers twice.
func (q *lockedQuestion) answeredBefore(c access.Caller, r *parley.Route, key string) error {
	m, err := q.tx.Message(r.Answer)
	own := false
	if err == nil && key != "" && m.Key == key {
		own, err = c.MadeIn(q.tx, m.Origin)
	}
	switch {
	case own:
		return nil
	case err != nil && !errors.Is(err, store.ErrNotFound):
		return err
	case q.State != parley.QuestionOpen:
		return parley.ErrQuestionGone(q.ID.String())
	}
	return errAnswered(q.ID)
}

func errAnswered(id parley.QuestionID) error {
	return parley.Errorf(parley.Conflict, "You have answered %s already.", id)
}

// answerQuestion makes the end of a task the answer to the question that it was
// asked, unless it has answered or forwarded that before.
func (f *finish) answerQuestion(kind parley.MessageKind) error {
	q, r, err := f.s.questionOf(f.tx, f.task, f.parent)
	if err != nil || r == nil || r.State != parley.RouteAsked {
		return err
	}
	if kind == parley.FailureMessage || f.task.Result == 0 && f.said == "" {
		reason := f.task.Error
		if reason == "" {
			reason = "it ended without an answer."
		}
		return q.fail(r, reason)
	}
	if !q.wantsAnswer(r) {
		return nil // the reply is in the dm
	}
	text, err := f.resultText()
	if err != nil {
		return err
	}
	if err := q.answer(r, parley.Message{Body: text}); err != nil || f.task.Result != 0 {
		return err
	}
	f.task.Result = r.Answer
	f.tx.UpdateProgress(f.task)
	return nil
}

// wantsAnswer reports whether the answer of one who was asked is still wanted.
func (q *lockedQuestion) wantsAnswer(r *parley.Route) bool {
	return r != nil && r.State == parley.RouteAsked && !q.over()
}

// answersInDM reports whether the closing text is delivered as the answer in the
// same dm where it would be posted: then it is not posted twice.
func (f *finish) answersInDM() (bool, error) {
	if !f.last || f.task.Callback != parley.CallbackAnswer || f.parent.ID != 0 && f.parent.State != parley.Completed {
		return false, nil
	}
	q, r, err := f.s.questionOf(f.tx, f.task, f.parent)
	return q != nil && q.wantsAnswer(r), err
}

// questionOf locks the question that a task was asked. The question is nil if it
// was too old to be kept.
func (s *Service) questionOf(tx *store.Tx, t, asking *parley.Task) (*lockedQuestion, *parley.Route, error) {
	m, err := tx.Message(t.Request)
	if err != nil {
		return nil, nil, err
	}
	q, err := s.openQuestion(tx, m.Question, asking)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	return q, question.RouteOf(q.routes, t.Agent), nil
}

// dropAnswer notes that a task that was cancelled will not answer its question, if
// it was asked one. The asker has cancelled it, or has ended without wanting the
// answer, and is not told.
func (s *Service) dropAnswer(tx *store.Tx, t, asking *parley.Task) error {
	if t.Callback != parley.CallbackAnswer {
		return nil
	}
	q, r, err := s.questionOf(tx, t, asking)
	if err != nil || r == nil || r.State != parley.RouteAsked {
		return err
	}
	r.State = parley.RouteFailed
	tx.UpdateRoute(r)
	switch {
	case q.State != parley.QuestionOpen || question.Awaited(q.routes):
	case question.Answered(q.routes):
		q.close(parley.QuestionAnswered)
	default:
		q.close(parley.QuestionExpired)
	}
	return nil
}
