package client

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"parley"
	"parley/api"
)

// start works on a task, unless that is happening already.
func (r *running) start(item api.BatchItem) bool {
	ctx, end := context.WithCancel(r.working)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.busy[item.Task] != nil {
		end()
		return false
	}
	r.busy[item.Task] = end
	r.handlers.Go(func() {
		defer r.free(item.Task, end)
		select {
		case r.slots <- struct{}{}:
			defer func() { <-r.slots }()
			r.work(ctx, item)
		case <-ctx.Done():
		}
	})
	return true
}

func (r *running) free(task string, end context.CancelFunc) {
	end()
	r.mu.Lock()
	delete(r.busy, task)
	r.mu.Unlock()
	select {
	case r.freed <- struct{}{}:
	default:
	}
}

// work runs the handler and ends the task with what it returns.
func (r *running) work(ctx context.Context, item api.BatchItem) {
	result, err := r.handle(ctx, &Work{BatchItem: item, client: r.Client})
	if ctx.Err() != nil {
		r.Log.Info("A task was left: it was cancelled, or the program stops.", "task", item.Task)
		return
	}
	if err == nil {
		err = r.finish(ctx, item.Task, func(ctx context.Context) error {
			_, err := r.Client.Complete(ctx, item.Task, orDone(result))
			return err
		})
		if err == nil {
			return
		}
		err = fmt.Errorf("the hub refused the result: %w", err)
	}
	reason := parley.Clip(err.Error(), longestReason)
	if strings.TrimSpace(reason) == "" {
		reason = "The program failed and did not say why."
	}
	err = r.finish(ctx, item.Task, func(ctx context.Context) error {
		_, err := r.Client.Fail(ctx, item.Task, reason)
		return err
	})
	if err != nil {
		r.Log.Error("A task could not be ended.", "task", item.Task, "error", err)
	}
}

const longestReason = 4000

// orDone is a result that is not empty, which the hub would refuse.
func orDone(result string) string {
	if strings.TrimSpace(result) == "" {
		return "Done."
	}
	return result
}

// handle calls the handler. One that panics fails its own task and no other.
func (r *running) handle(ctx context.Context, w *Work) (result string, err error) {
	defer func() {
		if p := recover(); p != nil {
			r.Log.Error("The handler panicked.", "task", w.Task, "panic", p, "stack", string(debug.Stack()))
			err = errors.New("the program failed while it worked on this")
		}
	}()
	return r.Handler(ctx, w)
}

// finish ends a task, with a key that is the same after a restart. It waits for a hub
// that is away, and for the subtasks of the task. It returns an error if the hub refuses
// the end itself.
func (r *running) finish(ctx context.Context, task string, end func(context.Context) error) error {
	keyed := WithKey(ctx, "finish "+task)
	for p := (pauses{}); ; {
		err := end(keyed)
		switch {
		case err == nil || parley.KindOf(err) == parley.Unauthentic:
			return nil // the loop hears of a revoked token itself
		case parley.KindOf(err) == parley.Limited && p.n >= mostLimited:
			return err
		case parley.KindOf(err) == parley.Conflict:
			if t, err := r.Client.Task(ctx, task); err == nil && t.Ended != nil {
				r.Log.Info("A task has ended already.", "task", task, "state", t.State)
				return nil
			}
		case !passes(err):
			return err
		default:
			r.Log.Warn("A task could not be ended yet; trying again.", "task", task, "error", err)
		}
		if !p.next(ctx) {
			return nil // left for the next start
		}
	}
}

// mostLimited is how often an end that a limit refuses is tried: some limits pass in
// seconds, others never.
const mostLimited = 5

// passes reports whether an error may be over if one waits: no hub answers, it is
// stopping, or it is asked too often.
func passes(err error) bool {
	switch parley.KindOf(err) {
	case parley.Unavailable, parley.Limited, parley.Timeout, parley.Internal:
		return !errors.Is(err, context.Canceled)
	default:
		return false
	}
}

// pauses grow from a tenth of a second to five seconds.
type pauses struct{ n int }

// next waits. It reports false when the context is done.
func (p *pauses) next(ctx context.Context) bool {
	wait := min(100*time.Millisecond<<p.n, 5*time.Second)
	p.n = min(p.n+1, 10)
	return pause(ctx, wait)
}
