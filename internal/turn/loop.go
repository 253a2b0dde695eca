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

// run is one turn: what it does, around the transcript of what is stored.
type run struct {
	*Runner
	transcript
	agent Agent
	lease parley.Lease
	slot  *meter
	names names
	side  sideSpending
	// start is what the turn began with, until it is stored.
	start *parley.TurnStart
	// awaited are the tasks that pending calls wait for.
	awaited []parley.TaskID
	// lookedTo is the number of the last message of the thread that was looked at
	// for news.
	lookedTo int
}

// runTurn goes on where the stored steps end, or begins a new turn, and runs it to
// its end.
func (t *run) runTurn(ctx context.Context, handover *parley.Handover) (parley.Outcome, error) {
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
		if reason := t.stopReason(t.agent); reason != "" {
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
			return t.endAsked(ctx, parley.TurnEnd{Reason: t.modelFailure(failure)})
		}
		reply.Calls = t.distinct(reply.Calls)
		step := draft{content: t.replyStep(reply), spent: t.spent(reply)}
		if len(reply.Calls) == 0 && reply.Rejected == "" {
			last, err := t.encode(1, step)
			if err != nil {
				return 0, err
			}
			return t.endAsked(ctx, parley.TurnEnd{Text: reply.Text, Steps: []parley.Step{last}})
		}
		if err := t.storeSteps(ctx, nil, step); err != nil {
			return 0, err
		}
	}
}

// takeUp puts the transcript together, and begins a turn unless one is under way.
func (t *run) takeUp(ctx context.Context, handover *parley.Handover) error {
	b, ok := t.remember(handover)
	if !ok {
		err := t.retry(ctx, func() (err error) { b, err = t.load(ctx, handover); return err })
		if err != nil {
			return err
		}
	}
	if t.underWay {
		return nil
	}
	t.enrich(ctx, &b)
	t.start = &b.start
	t.lookedTo = max(t.lookedTo, b.start.ReadTo)
	t.begin(b.start.Turn, b.prompt, b.mail)
	return nil
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
func (t *transcript) distinct(calls []model.Call) []model.Call {
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
	return replyStep{Prompt: &t.prompt, Reply: reply}
}

// promptDelay is how long a model may think before the start of its turn is
// stored by itself. A model that answers at once, as a scripted one does, saves
// a commit.
const promptDelay = 50 * time.Millisecond

// think asks the model for the next step. If it takes its time over the first,
// what the turn began with is stored meanwhile, so that whoever looks sees that
// the message was seen. The failure is the model's, the error is the store's.
func (t *run) think(ctx context.Context) (reply model.Reply, failure, err error) {
	t.publish(live.Step, "")
	request := t.request(t.agent)
	if t.start == nil {
		reply, failure = t.agent.Model.Step(ctx, request, t.say)
		return reply, failure, nil
	}
	stored := make(chan error, 1)
	timer := time.AfterFunc(promptDelay, func() { stored <- t.storeSteps(ctx, nil, draft{content: t.prompt}) })
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
	return t.endTurn(ctx, e)
}

// endAsked is end after the model was asked, and so shown what had arrived.
func (t *run) endAsked(ctx context.Context, e parley.TurnEnd) (parley.Outcome, error) {
	e.Seen, e.ReadTo = t.unshown.ids, t.unshown.place
	return t.end(ctx, e)
}
