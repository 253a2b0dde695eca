package turn

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"parley"
	"parley/internal/live"
	"parley/internal/model"
	"parley/internal/store"
	"parley/internal/tool"
)

// maxFailures is how many tool calls in a row may fail before a turn is
// stopped: its model does not learn from the errors.
const maxFailures = 5

// run is one turn.
type run struct {
	*Runner
	agent Agent
	lease parley.Lease
	slot  *meter
	// strangers are the names of those whom only other hubs know.
	strangers map[parley.AgentID]string

	asides asides
	conversation
}

// turn goes on where the stored steps end, or begins a new turn, and runs it
// to its end.
func (t *run) turn(ctx context.Context, handover *parley.Handover) (parley.Outcome, error) {
	if !t.remember(handover) {
		if err := t.insist(ctx, func() error { return t.load(ctx, handover) }); err != nil {
			return 0, err
		}
	}
	if !t.underWay {
		t.begin()
		t.enrich(ctx)
	}
	for {
		if err := t.runPending(ctx); err != nil {
			return 0, err
		}
		if len(t.pending) > 0 {
			return t.park(ctx)
		}
		if reason := t.broken(); reason != "" {
			return t.end(ctx, parley.TurnEnd{Reason: reason})
		}
		if t.Pauses.Paused(t.lease.Team) {
			return 0, parley.ErrPaused
		}
		if err := t.makeRoom(ctx); err != nil {
			return 0, err
		}
		if err := t.reserve(ctx); err != nil {
			return 0, err
		}
		reply, failure, err := t.think(ctx)
		if err != nil {
			return 0, err
		}
		if ctx.Err() != nil && (failure != nil || len(reply.Calls) > 0) {
			return 0, context.Cause(ctx)
		}
		if failure != nil {
			return t.end(ctx, parley.TurnEnd{Reason: t.modelFailure(failure)})
		}
		reply.Calls = t.distinct(reply.Calls)
		step, err := t.next(parley.StepReply, t.replyStep(reply))
		if err != nil {
			return 0, err
		}
		step.Spent = t.spent(reply)
		if len(reply.Calls) == 0 && reply.Rejected == "" {
			return t.end(ctx, parley.TurnEnd{Text: reply.Text, Steps: []parley.Step{step}})
		}
		if err := t.storeSteps(ctx, nil, step); err != nil {
			return 0, err
		}
		t.add(reply)
	}
}

// broken is why the turn must not go on; empty if it may.
func (t *run) broken() string {
	switch {
	case t.replies >= t.agent.Limits.Steps:
		return fmt.Sprintf("the limit of %d steps in a turn is reached.", t.agent.Limits.Steps)
	case t.failures >= maxFailures && t.unusable != "":
		return "five replies in a row could not be used. The last: " + t.unusable
	case t.failures >= maxFailures:
		return "five tool calls in a row failed."
	case t.rounds >= maxRounds:
		return fmt.Sprintf("four rounds in a row did nothing but contact %s: the two seem to go in circles.", t.peer)
	}
	return ""
}

// distinct gives calls ids that no other of the turn has: they are part of the
// key under which a call is known, and not every provider sees to it.
func (t *run) distinct(calls []model.Call) []model.Call {
	taken := map[string]bool{"": true}
	for _, m := range t.past {
		for _, c := range m.Calls {
			taken[c.ID] = true
		}
	}
	for i, c := range calls {
		for n := 2; taken[calls[i].ID]; n++ {
			calls[i].ID = fmt.Sprintf("%s~%d", c.ID, n)
		}
		taken[calls[i].ID] = true
	}
	return calls
}

// replyStep is a reply as stored, the first one with what the turn began with.
func (t *run) replyStep(reply model.Reply) replyStep {
	if t.start == nil {
		return replyStep{Reply: reply}
	}
	return replyStep{Prompt: t.prompt(), Reply: reply}
}

// think asks the model for the next step. If it takes its time over the first,
// what the turn began with is stored meanwhile, so that whoever looks sees that
// the message was seen. The failure is the model's, the error is the store's.
func (t *run) think(ctx context.Context) (reply model.Reply, failure, err error) {
	t.publish(live.Step, "")
	request := t.request()
	t.beShown()
	if t.start == nil {
		reply, failure = t.agent.Model.Step(ctx, request, t.say)
		return reply, failure, nil
	}
	stored := make(chan error, 1)
	timer := time.AfterFunc(promptDelay, func() { stored <- t.storePrompt(ctx) })
	reply, failure = t.agent.Model.Step(ctx, request, t.say)
	if !timer.Stop() {
		if err := <-stored; err != nil && ctx.Err() == nil {
			return reply, failure, err
		}
	}
	return reply, failure, nil
}

// say passes on what the model says of its reply.
func (t *run) say(d model.Delta) {
	if d.Restart {
		t.publish(live.Restart, "")
	}
	if d.Text != "" {
		t.publish(live.Text, d.Text)
	}
}

func (t *run) publish(kind live.Kind, text string) {
	t.Live.Publish(t.lease.Task, live.Piece{Kind: kind, Text: text})
}

// modelFailure is what the one who asked reads; the rest is for the log.
func (t *run) modelFailure(err error) string {
	var e *model.Error
	if errors.As(err, &e) {
		log := t.Log.With("agent", t.agent.Name, "task", t.lease.Task, "class", e.Class, "error", e.Message)
		if e.Cause != nil {
			log = log.With("cause", e.Cause)
		}
		log.Warn("a model failed")
		return e.Message
	}
	t.Log.Error("a model failed", "agent", t.agent.Name, "task", t.lease.Task, "error", err)
	return "its model could not be used."
}

// runPending runs the calls of the last reply that have no result yet, in
// their order; those that stand together and only read, at once. Those that wait
// for an approval come last, all together, when none of them is pending any more;
// until then they are left. So is a call that waits for another task.
func (t *run) runPending(ctx context.Context) error {
	calls := slices.DeleteFunc(slices.Clone(t.pending), func(c model.Call) bool { return t.held[c.ID] })
	for len(calls) > 0 {
		if t.Pauses.Paused(t.lease.Team) {
			return parley.ErrPaused
		}
		n := t.readersIn(calls)
		if err := t.finishCalls(ctx, calls[:n]); err != nil {
			return err
		}
		calls = calls[n:]
	}
	if !slices.ContainsFunc(t.pending, t.isHeld) {
		return nil
	}
	return t.runHeld(ctx)
}

// finishCall runs a call and stores its result, or that it has to wait.
func (t *run) finishCall(ctx context.Context, call model.Call, approved bool) error {
	res, err := t.call(ctx, call, approved)
	return t.settle(ctx, call, approved, res, err)
}

// settle stores what came of a call, or that it has to wait.
func (t *run) settle(ctx context.Context, call model.Call, approved bool, res tool.Result, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if need, ok := parley.AsNeedsApproval(err); ok && !approved {
		return t.hold(ctx, call, need)
	}
	if spent, ok := parley.AsBudgetSpent(err); ok && t.lease.Budget != 0 {
		if err := t.awaitTasks(ctx, spent.Tasks); err != nil {
			return err
		}
		return t.finishCall(ctx, call, approved) // it was raised meanwhile
	}
	if awaits, ok := parley.AsAwaits(err); ok {
		t.awaited = append(t.awaited, awaits.Task)
		return nil
	}
	return t.storeResult(ctx, call, res, err)
}

// storeResult stores what came of a call.
func (t *run) storeResult(ctx context.Context, call model.Call, res tool.Result, err error) error {
	if errors.Is(err, parley.ErrLost) || errors.Is(err, errUncertain) {
		return err
	}
	out := result{Call: call.ID, Text: res.Text}
	if err != nil {
		t.logFault(call.Name, err)
		out.Text, out.Error = parley.ToolError(err), true
	}
	step, err := t.next(parley.StepResult, out)
	if err != nil {
		return err
	}
	step.Spent = t.asides.take()
	step.Spent.Active = t.slot.read()
	if err := t.storeSteps(ctx, &res, step); err != nil {
		return err
	}
	t.addResult(out)
	return nil
}

func (t *run) call(ctx context.Context, call model.Call, approved bool) (res tool.Result, err error) {
	tl, ok := tool.Find(t.agent.Tools, call.Name)
	if !ok && t.started[call.ID] {
		return tool.Result{}, errInterrupted // of a server that is not back yet, say
	}
	if !ok {
		return tool.Result{}, tool.ErrUnknown(t.agent.Tools, call.Name)
	}
	if action, ok := tl.ActionOf(call.Args); ok {
		if err := t.Rules.Permit(ctx, t.lease, action, approved); err != nil {
			return tool.Result{}, err
		}
	}
	if !tl.Replays {
		if t.started[call.ID] {
			return tool.Result{}, errInterrupted
		}
		step, err := t.next(parley.StepCall, started{Call: call.ID})
		if err != nil {
			return tool.Result{}, err
		}
		if err := t.storeSteps(ctx, nil, step); err != nil {
			return tool.Result{}, err
		}
	}
	t.publish(live.Tool, call.Name)
	key := fmt.Sprintf("%d/%d/%s", t.lease.Task, t.number, call.ID)
	run := func() error {
		res, err = tl.Run(ctx, tool.Call{Lease: t.lease, Slot: t.slot, Key: key, Args: call.Args, Approved: approved,
			Said: t.said, Think: t.aside})
		return err
	}
	if tl.Replays {
		_ = t.insist(ctx, run)
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
func (t *run) logFault(name string, err error) {
	if parley.KindOf(err) == parley.Internal {
		t.Log.Error("a tool failed", "agent", t.agent.Name, "task", t.lease.Task, "tool", name, "error", err)
	}
}

// storeSteps stores steps under the lease, with what a result shows and what the
// model was shown before, and takes in what has arrived for the task meanwhile.
func (t *run) storeSteps(ctx context.Context, shown *tool.Result, steps ...parley.Step) error {
	var arrived arrival
	last := steps[len(steps)-1]
	err := t.update(ctx, func(tx *store.Tx) error {
		arrived = arrival{}
		account, err := t.accountFor(tx, steps)
		if err != nil {
			return err
		}
		task, thread, err := t.fenceThread(tx)
		if err != nil {
			return err
		}
		if t.takesIn(last) {
			if arrived, err = t.arrive(tx, task, thread); err != nil {
				return err
			}
		}
		if t.start != nil {
			tx.StartTurn(&task, t.start)
			tx.MarkSeen(task.Request, t.lease.Agent)
			tx.UpdateProgress(&task)
		}
		for _, s := range steps {
			tx.InsertStep(s)
		}
		if account != nil {
			account.Settle(task.ID, steps)
		}
		t.markShown(tx, shown)
		tx.Shown(&task, t.shown.ids, t.shown.place)
		if arrived.empty() {
			return nil
		}
		return t.storeArrived(tx, task, arrived, last.N+1)
	})
	if err != nil {
		return err
	}
	t.start, t.shown = nil, sight{}
	t.steps += len(steps)
	t.takeArrival(arrived)
	return nil
}

// markShown records what the result of a call shows.
func (t *run) markShown(tx *store.Tx, shown *tool.Result) {
	if shown == nil {
		return
	}
	for _, id := range shown.Seen {
		tx.MarkSeen(id, t.lease.Agent)
	}
	if shown.Read.Channel != 0 {
		tx.ReadGroup(shown.Read.Channel, t.lease.Agent, shown.Read.Upto)
	}
}

// fence makes sure that the lease still holds.
func (t *run) fence(tx *store.Tx) (parley.Task, error) {
	tasks, err := tx.LockTasks(t.lease.Task)
	if err != nil {
		return parley.Task{}, err
	}
	if tasks[0].State != parley.Running || tasks[0].Token != t.lease.Token {
		return parley.Task{}, parley.ErrLost
	}
	return tasks[0], nil
}

// fenceThread is fence, with the thread that the task is worked on in.
func (t *run) fenceThread(tx *store.Tx) (parley.Task, parley.Thread, error) {
	task, thread, err := tx.LockWorking(t.lease.Task, t.task.Thread)
	if err == nil && (task.State != parley.Running || task.Token != t.lease.Token) {
		err = parley.ErrLost
	}
	return task, thread, err
}

// next is the following step of this turn.
func (t *run) next(kind parley.StepKind, content any) (parley.Step, error) {
	b, err := json.Marshal(content)
	return parley.Step{Task: t.lease.Task, Turn: t.number, N: t.steps + 1, Kind: kind, Content: b}, err
}

// end stores what the turn came to, also if it was stopped at this very
// moment: what is there is not thrown away, and that of a cancelled task is
// put on record.
func (t *run) end(ctx context.Context, e parley.TurnEnd) (parley.Outcome, error) {
	e.Lease, e.Start, e.InboxRead = t.lease, t.start, t.inboxRead
	e.Seen, e.ReadTo = t.shown.ids, t.shown.place
	return t.endTurn(ctx, e)
}
