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
// exact payload, and a step that says so.
func (t *run) hold(ctx context.Context, call model.Call, need *parley.NeedsApproval) error {
	args := parley.CanonicalArgs(call.Args)
	a := parley.Approval{
		Team: t.lease.Team, Task: t.lease.Task, Turn: t.turn, Call: call.ID, Agent: t.lease.Agent,
		Tool: call.Name, Args: args, Digest: parley.CallDigest(call.Name, args), Target: need.Target,
		Rule: need.Rule, Reason: need.Reason,
	}
	return t.storeSteps(ctx, nil, draft{build: func(tx *store.Tx, task *parley.Task) (content, error) {
		a := a
		a.ExpiresAt = tx.Now.Add(t.agent.Limits.ApprovalExpiry)
		tx.InsertApproval(&a)
		task.Approvals++
		tx.Record(parley.Event{Team: a.Team, Kind: parley.EventApprovalRequested, Actor: a.Agent, Target: a.Target, Task: a.Task,
			Detail: a.ID.String() + ": " + a.Tool + " [rule: " + a.Rule + "]"})
		return held{Call: call.ID, Approval: a.ID, Text: parley.HeldText}, nil
	}})
}

// runHeld gives the held calls their results, if all of them are decided about.
func (t *run) runHeld(ctx context.Context) error {
	decided, all, err := t.decisions(ctx)
	if err != nil || !all {
		return err
	}
	for _, call := range t.pending {
		if !call.held {
			continue
		}
		if err := t.runDecided(ctx, call.Call, decided[call.ID]); err != nil {
			return err
		}
	}
	return nil
}

// decisions reads what was decided about the pending calls.
func (t *run) decisions(ctx context.Context) (decided map[string]parley.Approval, all bool, err error) {
	err = t.retry(ctx, func() error {
		return t.Store.View(ctx, func(tx *store.Tx) error {
			decided, all = map[string]parley.Approval{}, true
			list, err := tx.ApprovalsOf(t.lease.Task)
			if err != nil {
				return err
			}
			for _, a := range list {
				if a.Turn != t.turn {
					continue
				}
				decided[a.Call] = a
				all = all && a.State != parley.ApprovalPending
				if err := t.names.learn(tx, a.Target); err != nil {
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
func (t *run) runDecided(ctx context.Context, call model.Call, a parley.Approval) error {
	if a.State != parley.ApprovalApproved {
		return t.storeResult(ctx, call, tool.Result{}, parley.ErrApprovalDenied(call.Name, t.names.of(a.Target), a.Comment))
	}
	args := parley.CanonicalArgs(call.Args)
	if parley.CallDigest(call.Name, args) != a.Digest || parley.CallDigest(a.Tool, a.Args) != a.Digest {
		return t.storeResult(ctx, call, tool.Result{}, parley.Errorf(parley.Denied, "The call is not the one that was approved, so it was not made."))
	}
	approved := model.Call{ID: call.ID, Name: a.Tool, Args: json.RawMessage(a.Args)}
	return t.finishCall(ctx, approved, true)
}

// park ends the work on a task until its held calls are decided about, or what
// others wait for has ended. That may have happened at this very moment: then the
// turn goes on.
func (t *run) park(ctx context.Context) (parley.Outcome, error) {
	if slices.ContainsFunc(t.pending, pendingCall.isHeld) {
		// Before it waits: after a crash in between, the turn comes here again.
		if err := t.retry(ctx, func() error { return t.Rules.AskManager(ctx, t.lease) }); err != nil {
			if ctx.Err() != nil {
				return 0, context.Cause(ctx)
			}
			t.logFault("approval", err) // people still see it in the list
		}
	}
	out := parley.TurnAgain
	err := t.update(ctx, func(tx *store.Tx) error {
		out = parley.TurnAgain
		task, _, err := t.fence(tx)
		if err != nil {
			return err
		}
		why, err := t.waitsFor(tx, task)
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
func (t *run) waitsFor(tx *store.Tx, task parley.Task) (why string, err error) {
	if task.Approvals > 0 {
		return "approval", nil
	}
	for _, id := range t.awaited {
		child, err := tx.Task(id)
		if err != nil || !child.State.Open() {
			return "", err
		}
		why = "answer"
	}
	return why, nil
}
