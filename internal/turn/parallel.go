package turn

import (
	"context"
	"sync"

	"parley/internal/tool"
)

// maxParallel bounds how many calls run at once.
const maxParallel = 8

// readersIn is how many of the calls, from the first on, can run at once: more
// than one only if they all just read. A call that may change something waits
// for those before it, and those after it for it.
func (r *run) readersIn(calls []pendingCall) int {
	n := 0
	for n < min(len(calls), maxParallel) && r.reads(calls[n]) {
		n++
	}
	return max(n, 1)
}

func (r *run) reads(call pendingCall) bool {
	tl, ok := tool.Find(r.agent.Tools, call.Name)
	return ok && tl.Reads(call.Args)
}

// finishCalls runs calls at once and stores what came of them in their order.
// Nothing is stored before all have returned: after a crash those without a
// result are run again, which is harmless for what reads.
func (r *run) finishCalls(ctx context.Context, calls []pendingCall) error {
	if len(calls) == 1 {
		return r.finishCall(ctx, calls[0].Call, false)
	}
	results, errs := make([]tool.Result, len(calls)), make([]error, len(calls))
	var running sync.WaitGroup
	if err := r.flush(ctx); err != nil {
		return err
	}
	for i, call := range calls {
		running.Go(func() { results[i], errs[i] = r.call(ctx, call.Call, false) })
	}
	running.Wait()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var drafts []draft
	for i, call := range calls {
		if errs[i] == nil {
			drafts = append(drafts, r.resultDraft(call.Call, results[i], nil))
			continue
		}
		if err := r.storeAll(ctx, drafts); err != nil {
			return err
		}
		if err := r.settle(ctx, call.Call, false, results[i], errs[i]); err != nil {
			return err
		}
		drafts = nil
	}
	return r.storeAll(ctx, drafts)
}

// storeAll stores the results of calls that ran at once.
func (r *run) storeAll(ctx context.Context, drafts []draft) error {
	if len(drafts) == 0 {
		return nil
	}
	return r.storeSteps(ctx, drafts...)
}
