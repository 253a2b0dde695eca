package turn

import (
	"context"
	"errors"
	"slices"

	"parley"
	"parley/internal/live"
	"parley/internal/model"
	"parley/internal/store"
	"parley/internal/tool"
)

// runPending runs the calls of the last reply that have no result yet, in
// their order; those that stand together and only read, at once. Those that wait
// for an approval come last, all together, when none of them is pending any more;
// until then they are left. So is a call that waits for another task.
func (r *run) runPending(ctx context.Context) error {
	if len(r.pending) > 0 {
		if may, err := r.passRounds(ctx); !may || err != nil {
			return err
		}
	}
	calls := slices.DeleteFunc(slices.Clone(r.pending), pendingCall.isHeld)
	for len(calls) > 0 {
		if r.Pauses.Paused(r.lease.Team) {
			return r.pause(ctx)
		}
		n := r.readersIn(calls)
		if err := r.finishCalls(ctx, calls[:n]); err != nil {
			return err
		}
		calls = calls[n:]
	}
	if !slices.ContainsFunc(r.pending, pendingCall.isHeld) {
		return nil
	}
	return r.runHeld(ctx)
}

// finishCall runs a call and stores its result, or that it has to wait.
func (r *run) finishCall(ctx context.Context, call model.Call, approved bool) error {
	res, err := r.call(ctx, call, approved)
	return r.settle(ctx, call, approved, res, err)
}

// settle stores what came of a call, or that it has to wait.
func (r *run) settle(ctx context.Context, call model.Call, approved bool, res tool.Result, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if need, ok := parley.AsNeedsApproval(err); ok && !approved {
		return r.hold(ctx, call, need, false)
	}
	if spent, ok := parley.AsBudgetSpent(err); ok && r.lease.Budget != 0 {
		if err := r.awaitTasks(ctx, spent.Tasks); err != nil {
			return err
		}
		return r.finishCall(ctx, call, approved) // it was raised meanwhile
	}
	if given, ok := parley.AsBudgetGiven(err); ok {
		r.lease.Budget = given.Root
		return r.finishCall(ctx, call, approved)
	}
	if awaits, ok := parley.AsAwaits(err); ok {
		r.awaited = append(r.awaited, awaits.Task)
		return nil
	}
	return r.storeResult(ctx, call, res, err)
}

// storeResult stores what came of a call.
func (r *run) storeResult(ctx context.Context, call model.Call, res tool.Result, err error) error {
	if errors.Is(err, parley.ErrLost) || errors.Is(err, errUncertain) {
		return err
	}
	d := r.resultDraft(call, res, err)
	if err == nil {
		wait, err := r.waits(ctx, call)
		if err != nil {
			return err
		}
		if wait {
			return r.putOff(res.Seen, d)
		}
	}
	err = r.storeSteps(ctx, d)
	r.changes = changes{}
	return err
}

// resultDraft is what the model reads of a call.
func (r *run) resultDraft(call model.Call, res tool.Result, err error) draft {
	out := result{Call: call.ID, Text: res.Text, Exit: res.Exit}
	if err != nil {
		r.logFault(call.Name, err)
		out.Text, out.Error, out.Rate = parley.ToolError(err), true, parley.RuleOf(err) == parley.RuleRate
	}
	return draft{content: out, shown: &res, spent: r.sideSpent()}
}

func (r *run) call(ctx context.Context, call model.Call, approved bool) (res tool.Result, err error) {
	tl, ok := tool.Find(r.agent.Tools, call.Name)
	if r.isStarted(call.ID) && !tl.Replays { // also of a server that is not back yet
		return tool.Result{}, errInterrupted
	}
	if !ok {
		return tool.Result{}, tool.ErrUnknown(r.agent.Tools, call.Name)
	}
	ready := tl.Prepare(call.Args)
	if ready.Err != nil {
		return tool.Result{}, ready.Err // nobody is asked to approve what cannot be done
	}
	if ready.Action != "" {
		if err := r.Rules.Permit(ctx, r.lease, ready.Action, approved); err != nil {
			return tool.Result{}, err
		}
	}
	if ctx, err = r.startCall(ctx, call, tl); err != nil {
		return tool.Result{}, err
	}
	r.publish(live.Tool, call.Name)
	key, from := r.keyOf(call.ID)
	run := func() error {
		res, err = ready.Run(ctx, tool.Call{Lease: r.lease, Slot: r.slot, Key: key, From: from, Approved: approved,
			Unkept: r.unkept, Think: r.consult, Changing: r.changing(ctx, call), Commanded: r.commanded(ctx, call)})
		if tl.Opens && store.IsOutage(err) { // such a call runs alone
			r.unstored.doubt = true
		}
		return err
	}
	if tl.Replays {
		_ = r.retry(ctx, run)
	} else {
		_ = run()
	}
	return res, err
}

// errInterrupted is what a model reads of a call that had begun when the hub
// stopped.
var errInterrupted = parley.Errorf(parley.Failed, "The call was interrupted; whether it took effect is unknown.").
	WithHint("Look before you try again.")

// logFault logs what a tool could not do because of a fault of the hub; what
// a model did wrong is between it and its tools.
func (r *run) logFault(name string, err error) {
	if parley.KindOf(err) == parley.Internal {
		r.Log.Error("a tool failed", "agent", r.agent.Name, "task", r.lease.Task, "tool", name, "error", err)
	}
}
