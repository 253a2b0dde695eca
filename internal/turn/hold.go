package turn

import (
	"context"
	"encoding/json"
	"slices"

	"parley"
	"parley/internal/model"
	"parley/internal/store"
	"parley/internal/tool"
)

// hold puts a call off until somebody has decided about it: one record with the
// exact payload, and a step that says so. round says that it is about more rounds:
// only people decide about that.
func (r *run) hold(ctx context.Context, call model.Call, need *parley.NeedsApproval, round bool) error {
	a := parley.Approval{
		Team: r.lease.Team, Task: r.lease.Task, Turn: r.turn, Call: call.ID, Agent: r.lease.Agent,
		Target: need.Target, Rule: need.Rule, Reason: need.Reason,
	}.Of(call.Name, parley.CanonicalArgs(call.Args))
	a.PeopleOnly = a.PeopleOnly || round
	return r.storeSteps(ctx, draft{build: func(tx *store.Tx, task *parley.Task) (content, error) {
		a := a
		a.ExpiresAt = tx.Now.Add(r.agent.Limits.ApprovalExpiry)
		tx.InsertApproval(&a)
		task.Approvals++
		tx.Record(parley.Event{Team: a.Team, Kind: parley.EventApprovalRequested, Actor: a.Agent, Target: a.Target, Task: a.Task,
			Detail: a.ID.String() + ": " + a.Tool + " [rule: " + a.Rule + "]"})
		return held{Call: call.ID, Approval: a.ID, Text: parley.HeldText, Round: round}, nil
	}})
}

// runHeld gives the held calls their results, if all of them are decided about.
func (r *run) runHeld(ctx context.Context) error {
	decided, all, err := r.decisions(ctx)
	if err != nil || !all {
		return err
	}
	for _, call := range r.pending {
		if !call.held {
			continue
		}
		if err := r.runDecided(ctx, call.Call, decided[call.ID]); err != nil {
			return err
		}
	}
	return nil
}

// decisions reads what was decided about the pending calls.
func (r *run) decisions(ctx context.Context) (decided map[string]parley.Approval, all bool, err error) {
	err = r.retry(ctx, func() error {
		return r.Store.View(ctx, func(tx *store.Tx) error {
			decided, all = map[string]parley.Approval{}, true
			list, err := tx.ApprovalsOf(r.lease.Task)
			if err != nil {
				return err
			}
			for _, a := range list {
				if a.Turn != r.turn {
					continue
				}
				decided[a.Call] = a
				all = all && a.State != parley.ApprovalPending
				if err := r.names.learn(tx, a.Target); err != nil {
					return err
				}
			}
			return nil
		})
	})
	return decided, all, err
}

// runDecided runs an approved call as it was shown, once, or tells the model
// that it was not approved.
func (r *run) runDecided(ctx context.Context, call model.Call, a parley.Approval) error {
	if a.State != parley.ApprovalApproved {
		return r.storeResult(ctx, call, tool.Result{}, parley.ErrApprovalDenied(call.Name, r.names.of(a.Target), a.Comment))
	}
	args := parley.CanonicalArgs(call.Args)
	if parley.CallDigest(call.Name, args) != a.Digest || parley.CallDigest(a.Tool, a.Args) != a.Digest {
		return r.storeResult(ctx, call, tool.Result{}, parley.Errorf(parley.Denied, "The call is not the one that was approved, so it was not made."))
	}
	approved := model.Call{ID: call.ID, Name: a.Tool, Args: json.RawMessage(a.Args)}
	return r.finishCall(ctx, approved, true)
}

// park ends the work on a task until its held calls are decided about, or what
// others wait for has ended. That may have happened at this very moment: then the
// turn goes on.
func (r *run) park(ctx context.Context) (parley.Outcome, error) {
	if err := r.flush(ctx); err != nil {
		return 0, err
	}
	if slices.ContainsFunc(r.pending, pendingCall.isHeld) {
		// Before it waits: after a crash in between, the turn comes here again.
		if err := r.retry(ctx, func() error { return r.Rules.AskManager(ctx, r.lease) }); err != nil {
			if ctx.Err() != nil {
				return 0, context.Cause(ctx)
			}
			r.logFault("approval", err) // people still see it in the list
		}
	}
	out := parley.TurnAgain
	err := r.update(ctx, func(tx *store.Tx) error {
		out = parley.TurnAgain
		task, _, err := r.fence(tx)
		if err != nil {
			return err
		}
		why, err := r.waitsFor(tx, task)
		if err != nil || why == "" {
			return err
		}
		out = parley.TaskParked
		task.State, task.Worker = parley.Waiting, 0
		tx.UpdateTask(&task)
		tx.Record(parley.Event{Team: task.Team, Kind: parley.EventWaiting, Actor: task.Agent, Target: task.Requester, Task: task.ID,
			Detail: why})
		return nil
	})
	return out, err
}

// waitsFor says for what a task has to wait; empty if for nothing. No task that
// is waited for ends without the lock that is held here. If one of several has
// ended, the turn takes it before it waits for the others.
func (r *run) waitsFor(tx *store.Tx, task parley.Task) (why string, err error) {
	if task.Approvals > 0 {
		return "approval", nil
	}
	for _, id := range r.awaited {
		child, err := tx.Task(id)
		if err != nil || !child.State.Open() {
			return "", err
		}
		why = "answer"
	}
	return why, nil
}
