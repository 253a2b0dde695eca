package turn

import (
	"context"
	"errors"
	"fmt"
	"time"

	"parley"
	"parley/internal/live"
	"parley/internal/model"
	"parley/internal/store"
)

const (
	// inPlace is the longest that a turn waits for a provider without giving its task
	// back: storing that would cost more than it saves.
	inPlace = time.Second
	// longWait is when the one who asked is told that it takes longer.
	longWait = 15 * time.Minute
)

// errAgain says that the model can be asked again.
var errAgain = errors.New("the model is to be asked again")

// afterFailure deals with what a model call came to nothing for: it waits, or makes the
// conversation shorter. It returns errAgain if the turn goes on, errParked if the task
// waits, and nil if the failure stands.
func (r *run) afterFailure(ctx context.Context, failure error) error {
	var e *model.Error
	if !errors.As(failure, &e) {
		return nil
	}
	if err := r.flush(ctx); err != nil {
		return err
	}
	if err := r.storeLost(ctx, e.Usage); err != nil {
		return err
	}
	switch {
	case e.Busy && e.RetryAfter < inPlace:
		return r.waitHere(ctx, e)
	case e.Busy:
		return r.waitForProvider(ctx, e)
	case e.Class == model.TooLong:
		return r.shorten(ctx, e)
	}
	return nil
}

// storeLost stores what model calls have consumed that came to nothing.
func (r *run) storeLost(ctx context.Context, u model.Usage) error {
	if u == (model.Usage{}) {
		return nil
	}
	var drafts []draft
	if r.start != nil {
		drafts = append(drafts, draft{content: r.prompt})
	}
	return r.storeSteps(ctx, append(drafts, draft{content: lost{Usage: u}, spent: r.spent(model.Reply{Usage: u})})...)
}

// waitHere waits for a moment, without its place among the workers.
func (r *run) waitHere(ctx context.Context, e *model.Error) error {
	r.slot.Release()
	timer := time.NewTimer(e.RetryAfter)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
	if err := r.slot.Acquire(ctx); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return errAgain
}

// waitForProvider gives the task back until the provider may be asked again. It then
// goes on from what is stored, here or on another hub. A task whose deadline is earlier
// fails now, since its requester can do something about it.
func (r *run) waitForProvider(ctx context.Context, e *model.Error) error {
	var due parley.Micros
	parked := false
	err := r.update(ctx, func(tx *store.Tx) error {
		parked = false
		task, _, err := r.fence(tx)
		if err != nil {
			return err
		}
		if due = tx.Now.Add(e.RetryAfter); task.Deadline != 0 && due >= task.Deadline {
			return nil
		}
		parked = true
		return r.parkBusy(tx, &task, e, due)
	})
	if err != nil {
		return err
	}
	if !parked {
		e.Message += fmt.Sprintf(" %s asks for patience until %s, which is after the task's deadline.", e.Provider, due.Time().UTC().Format(time.RFC3339))
		return nil
	}
	r.publish(live.Waiting, parley.ProviderWaitText(e.Provider, e.RetryAfter))
	return errParked
}

// parkBusy stores that a task waits. Only the first refusal is put on record: others
// may follow until the provider answers.
func (r *run) parkBusy(tx *store.Tx, t *parley.Task, e *model.Error, due parley.Micros) error {
	t.State, t.Worker, t.Waits, t.Due = parley.Waiting, 0, parley.WaitProvider, due
	tx.UpdateTask(t)
	if t.ProviderSince == 0 {
		t.ProviderSince = tx.Now
		tx.Record(parley.Event{Team: t.Team, Kind: parley.EventProviderBusy, Actor: t.Agent, Target: t.Requester, Task: t.ID,
			Detail: fmt.Sprintf("%s: %s", parley.ProviderAndTime(e.Provider, e.RetryAfter), e.Message)})
	}
	t.Provider = e.Provider
	tx.SetProvider(t)
	if e.RetryAfter <= longWait || t.Awaited(tx.Now) {
		return nil // who waits for the answer sees it, and hears why when its time is over
	}
	return tellRequester(tx, *t, parley.LongWaitText(t.ID, e.Provider, due))
}

// tellRequester posts a word of the hub's to the one who asked for a task, in its
// conversation.
func tellRequester(tx *store.Tx, t parley.Task, text string) error {
	requester, err := tx.Agent(t.Requester)
	if err != nil {
		return err
	}
	m := parley.Message{Team: t.Team, Thread: t.Thread, Author: t.Agent, Kind: parley.NotificationMessage, Body: text}
	if err := tx.Post(&m, store.Recipient{ID: requester.ID, Pulls: requester.Pulls(), Mail: !requester.Pulls()}); err != nil {
		return err
	}
	tx.Record(parley.Event{Team: t.Team, Kind: parley.EventMessage, Actor: t.Agent, Target: t.Requester, Task: t.ID, Message: m.ID})
	return nil
}

// answered puts on record that a task waits for its provider no longer.
func (r *run) answered(ctx context.Context) error {
	if r.task.ProviderSince == 0 {
		return nil
	}
	err := r.update(ctx, func(tx *store.Tx) error {
		task, _, err := r.fence(tx)
		if err != nil || task.ProviderSince == 0 {
			return err
		}
		tx.Record(parley.Event{Team: task.Team, Kind: parley.EventProviderAnswered, Actor: task.Agent, Target: task.Requester, Task: task.ID,
			Detail: fmt.Sprintf("%s, after %s", task.Provider, tx.Now.Since(task.ProviderSince).Round(time.Second))})
		task.ProviderSince = 0
		tx.SetProvider(&task)
		return nil
	})
	if err == nil {
		r.task.ProviderSince = 0
	}
	return err
}
