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
		return parley.Errorf(parley.Invalid, "The answer is empty.").WithHint("Say what you know, or forward the question.")
	}
	if err := s.checkWords(c, text, key); err != nil {
		return err
	}
	if err := s.access.PermitOutside(ctx, c, policy.TaskOp, "answer "+id.String()); err != nil {
		return err
	}
	err := s.store.Update(ctx, func(tx *store.Tx) error {
		i, err := s.lockInquiry(tx, c, id)
		if err != nil {
			return err
		}
		r := question.Of(i.routes, c.Agent)
		if r != nil && r.State == parley.RouteAnswered {
			return i.answeredBefore(c, r, key)
		}
		if err := i.mayAct(r); err != nil {
			return err
		}
		if err := i.answer(r, parley.Message{Body: text, Origin: c.Task, Key: key}); err != nil {
			return err
		}
		if c.Token == 0 {
			i.complete(r)
		}
		return i.release()
	})
	return s.access.Denied(ctx, c, "answer "+id.String(), err)
}

// complete ends the task of somebody whose turns the hub does not run: once they
// have answered or forwarded the question there is nothing left of it.
func (i *inquiry) complete(r *parley.Route) {
	for n := range i.tasks {
		t := &i.tasks[n]
		if t.ID != r.Task || !t.State.Open() {
			continue
		}
		f := finish{s: i.s, tx: i.tx, task: t}
		f.end(parley.Completed)
		f.tx.MarkAnswered(t.Request, t.Agent)
		f.record(parley.EventCompleted, "")
	}
}

// mayAct refuses whoever was not asked, and everybody once the question is closed.
func (i *inquiry) mayAct(r *parley.Route) error {
	switch {
	case i.over():
		return parley.ErrQuestionGone(i.ID.String())
	case r == nil:
		return parley.Errorf(parley.Denied, "You were not asked %s.", i.ID).WithRule(ruleAsked).
			WithHint("Only those who were asked answer or forward a question.")
	}
	return nil
}

// over reports whether nobody wants an answer any more: the question is closed, or
// the task that asked has failed or was cancelled.
func (i *inquiry) over() bool {
	return i.State != parley.QuestionOpen || i.ExpiresAt <= i.tx.Now || !i.wanted()
}

// ruleAsked is the right that only those have who were asked.
const ruleAsked = "asked"

// answeredBefore tells a turn that goes on after a crash, and finds what it did
// before, from somebody who answers twice.
func (i *inquiry) answeredBefore(c access.Caller, r *parley.Route, key string) error {
	m, err := i.tx.Message(r.Answer)
	switch {
	case err == nil && key != "" && m.Key == key && m.Origin == c.Task:
		return nil
	case err != nil && !errors.Is(err, store.ErrNotFound):
		return err
	case i.State != parley.QuestionOpen:
		return parley.ErrQuestionGone(i.ID.String())
	}
	return parley.Errorf(parley.Conflict, "You have answered %s already.", i.ID)
}

// concludeQuestion makes the end of a task the answer to the question that it was
// asked, unless it has answered or forwarded that before.
func (f *finish) concludeQuestion(kind parley.MessageKind, result parley.MessageID) error {
	i, r, err := f.inquiry()
	if err != nil || r == nil || r.State != parley.RouteAsked {
		return err
	}
	if kind == parley.FailureMessage || result == 0 && f.said == "" {
		reason := f.task.Error
		if reason == "" {
			reason = "it ended without an answer."
		}
		return i.fail(r, reason)
	}
	text := f.said
	if text == "" {
		if text, err = f.resultText(result); err != nil {
			return err
		}
	}
	if !i.takes(r) {
		return nil // the reply is in the dm
	}
	if err := i.answer(r, parley.Message{Body: text}); err != nil || result != 0 {
		return err
	}
	f.task.Result = r.Answer
	f.tx.UpdateProgress(f.task)
	return nil
}

// takes reports whether somebody's answer is still wanted.
func (i *inquiry) takes(r *parley.Route) bool {
	return r != nil && r.State == parley.RouteAsked && !i.over()
}

// answersInDM reports whether the closing text of the task is about to be brought
// to the asker in the very dm where it would be posted: then it is, and not twice.
func (f *finish) answersInDM() (bool, error) {
	if !f.last || f.task.Callback != parley.CallbackAnswer || f.parent.ID != 0 && f.parent.State != parley.Completed {
		return false, nil
	}
	i, r, err := f.inquiry()
	return i != nil && i.takes(r), err
}

// inquiry locks the question that the task was asked.
func (f *finish) inquiry() (*inquiry, *parley.Route, error) {
	m, err := f.tx.Message(f.task.Request)
	if err != nil {
		return nil, nil, err
	}
	i, err := f.s.openInquiry(f.tx, m.Question, f.parent)
	if errors.Is(err, store.ErrNotFound) { // it was too old to be kept
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	return i, question.Of(i.routes, f.task.Agent), nil
}

// unask takes down that a task which was cancelled will not answer. Its asker has
// cancelled it, or has ended without wanting the answer, and is not told.
func (f *finish) unask() error {
	if f.task.Callback != parley.CallbackAnswer {
		return nil
	}
	i, r, err := f.inquiry()
	if err != nil || r == nil || r.State != parley.RouteAsked {
		return err
	}
	r.State = parley.RouteFailed
	f.tx.UpdateRoute(r)
	if i.State == parley.QuestionOpen && question.Hopeless(i.routes) {
		i.close(parley.QuestionExpired)
		f.tx.Record(parley.Event{Team: i.Team, Kind: parley.EventQuestionExpired, Target: i.Asker, Task: i.Task, Detail: i.ID.String()})
	}
	return nil
}
