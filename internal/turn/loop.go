package turn

import (
	"context"
	"errors"
	"fmt"
	"time"

	"parley"
	"parley/internal/live"
	"parley/internal/model"
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
	if err := t.takeUp(ctx, handover); err != nil {
		return 0, err
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
		if err := t.getReady(ctx); err != nil {
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

// takeUp puts the conversation together, and begins a turn unless one is under
// way.
func (t *run) takeUp(ctx context.Context, handover *parley.Handover) error {
	if !t.remember(handover) {
		if err := t.insist(ctx, func() error { return t.load(ctx, handover) }); err != nil {
			return err
		}
	}
	if !t.underWay {
		t.begin()
		t.enrich(ctx)
	}
	return nil
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

// getReady makes sure that the model can be asked: the team is not paused, the
// conversation is not too long, and the budget allows it.
func (t *run) getReady(ctx context.Context) error {
	if t.Pauses.Paused(t.lease.Team) {
		return parley.ErrPaused
	}
	if err := t.makeRoom(ctx); err != nil {
		return err
	}
	return t.reserve(ctx)
}

// distinct gives calls ids that no other of the task has: they are part of the
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

// end stores what the turn came to, also if it was stopped at this very
// moment: what is there is not thrown away, and that of a cancelled task is
// put on record.
func (t *run) end(ctx context.Context, e parley.TurnEnd) (parley.Outcome, error) {
	e.Lease, e.Start, e.InboxRead = t.lease, t.start, t.inboxRead
	e.Seen, e.ReadTo = t.shown.ids, t.shown.place
	return t.endTurn(ctx, e)
}
