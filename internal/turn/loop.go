package turn

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
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
	// changes are those of the call that runs.
	changes changes
	// start is what the turn began with, until it is stored.
	start    *parley.TurnStart
	unstored unstored
	// begunWith is the mail that the turn began with.
	begunWith mail
	// failed are the tasks that this one goes on from, the oldest first.
	failed []failedTask
	// awaited are the tasks that pending calls wait for.
	awaited []parley.TaskID
	// lookedTo is the number of the last message of the thread that was looked at
	// for news.
	lookedTo int
	// quiet reports that nothing has come since the task was handed over; nil if nobody knows.
	quiet func() bool
	// maxOutput is how long the next reply may be, in tokens; 0 is as long as the
	// model likes.
	maxOutput int64
	// shortened is how often the model's window was made smaller.
	shortened int
}

// runTurn goes on where the stored steps end, or begins a new turn, and runs it to
// its end.
func (r *run) runTurn(ctx context.Context, handover *parley.Handover) (parley.Outcome, error) {
	if err := r.takeUp(ctx, handover); err != nil {
		return 0, err
	}
	for {
		err := r.runPending(ctx)
		if stop := (*stopped)(nil); errors.As(err, &stop) {
			return r.end(ctx, parley.TurnEnd{Reason: stop.reason})
		}
		if err != nil {
			return 0, err
		}
		if len(r.pending) > 0 {
			return r.park(ctx)
		}
		if reason := r.stopReason(r.agent); reason != "" {
			return r.end(ctx, parley.TurnEnd{Reason: reason})
		}
		if err := r.getReady(ctx); err != nil {
			return 0, err
		}
		reply, failure, err := r.think(ctx)
		if err != nil {
			return 0, err
		}
		if ctx.Err() != nil && (failure != nil || len(reply.Calls) > 0) {
			return 0, context.Cause(ctx)
		}
		if failure != nil {
			switch err := r.afterFailure(ctx, failure); {
			case errors.Is(err, errAgain):
				continue
			case err != nil:
				return 0, err
			}
			return r.endFailed(ctx, failure)
		}
		last, err := r.afterReply(ctx, reply)
		if err != nil {
			return 0, err
		}
		if last != nil {
			return r.endAsked(ctx, parley.TurnEnd{Text: reply.Text, Steps: []parley.Step{*last}})
		}
	}
}

// afterReply stores a reply. The one that ends the turn is returned instead: it is
// stored with the end.
func (r *run) afterReply(ctx context.Context, reply model.Reply) (last *parley.Step, err error) {
	if err := r.answered(ctx); err != nil {
		return nil, err
	}
	if reply.Cut > 0 {
		return nil, r.storeCut(ctx, reply)
	}
	r.Replies.add(r.lease.Agent, reply.Usage.Output)
	reply.Calls = r.distinct(reply.Calls)
	step := draft{content: r.replyStep(reply), spent: r.spent(reply)}
	if r.goesWith(reply) {
		return nil, r.putOff(nil, step)
	}
	if len(reply.Calls) > 0 || reply.Rejected != "" {
		return nil, r.storeSteps(ctx, step)
	}
	encoded, err := r.encode(1, step)
	return &encoded, err
}

// takeUp puts the transcript together, and begins a turn unless one is under way.
func (r *run) takeUp(ctx context.Context, handover *parley.Handover) error {
	b, ok := r.remember(handover)
	if !ok {
		err := r.retry(ctx, func() (err error) { b, err = r.load(ctx, handover); return err })
		if err != nil {
			return err
		}
	}
	if r.underWay {
		return nil
	}
	r.enrich(ctx, &b)
	r.start = &b.start
	r.lookedTo = max(r.lookedTo, b.start.ReadTo)
	r.begunWith = b.mail
	r.begin(b.start.Turn, b.prompt, b.mail)
	return nil
}

// getReady makes sure that the model can be asked: the team is not paused, the
// conversation is not too long, the budget allows it, and what came meanwhile is stored.
func (r *run) getReady(ctx context.Context) error {
	if r.Pauses.Paused(r.lease.Team) {
		return r.pause(ctx)
	}
	if err := r.makeRoom(ctx); err != nil {
		return err
	}
	if err := r.reserve(ctx); err != nil {
		return err
	}
	return r.storeUnread(ctx)
}

// pause ends the work between two steps because the team is paused.
func (r *run) pause(ctx context.Context) error {
	if err := r.flush(ctx); err != nil {
		return err
	}
	return parley.ErrPaused
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
func (r *run) replyStep(reply model.Reply) replyStep {
	if r.start == nil {
		return replyStep{Reply: reply}
	}
	return replyStep{Prompt: &r.prompt, Reply: reply}
}

// promptDelay is how long a model may think before the start of its turn is
// stored by itself. A model that answers at once, as a scripted one does, saves
// a commit.
const promptDelay = 50 * time.Millisecond

// think asks the model for the next step. If it takes its time,
// what the turn began with is stored meanwhile, so that whoever looks sees that
// the message was seen, or what came of the last call. The failure is the model's, the error is the store's.
func (r *run) think(ctx context.Context) (reply model.Reply, failure, err error) {
	r.publish(live.Step, "")
	request := r.request(r.agent)
	request.MaxOutput = r.maxOutput
	if r.start == nil && r.unstored.empty() {
		reply, failure = r.agent.Model.Step(ctx, request, r.say)
		return reply, failure, nil
	}
	stored := make(chan error, 1)
	timer := time.AfterFunc(promptDelay, func() { stored <- r.storeMeanwhile(ctx) })
	reply, failure = r.agent.Model.Step(ctx, request, r.say)
	if !timer.Stop() {
		if err := <-stored; err != nil && ctx.Err() == nil {
			return reply, failure, err
		}
	}
	return reply, failure, nil
}

// storeMeanwhile stores what is not stored yet while the model thinks.
func (r *run) storeMeanwhile(ctx context.Context) error {
	if r.start != nil {
		return r.storeSteps(ctx, draft{content: r.prompt})
	}
	return r.flush(ctx)
}

// say passes on what the model says of its reply.
func (r *run) say(d model.Delta) {
	if d.Restart {
		r.publish(live.Restart, "")
	}
	if d.Text != "" {
		r.publish(live.Text, d.Text)
	}
}

func (r *run) publish(kind live.Kind, text string) {
	r.Live.Publish(r.lease.Task, live.Piece{Kind: kind, Text: text})
}

// modelFailure is what the one who asked reads; the rest is for the log.
func (r *run) modelFailure(err error) string {
	var e *model.Error
	if errors.As(err, &e) {
		log := r.Log.With("agent", r.agent.Name, "task", r.lease.Task, "class", e.Class, "error", e.Message)
		if e.Cause != nil {
			log = log.With("cause", e.Cause)
		}
		log.Warn("a model failed")
		return e.Message
	}
	r.Log.Error("a model failed", "agent", r.agent.Name, "task", r.lease.Task, "error", err)
	return "its model could not be used."
}

// end stores what the turn came to, also if it was stopped at this very
// moment: what is there is not thrown away, and that of a cancelled task is
// put on record.
func (r *run) end(ctx context.Context, e parley.TurnEnd) (parley.Outcome, error) {
	u := &r.unstored
	e.Lease, e.Start, e.InboxRead = r.lease, cmp.Or(r.start, u.start), r.inboxRead
	e.Steps = append(slices.Clone(u.steps), e.Steps...)
	e.Seen, e.ReadTo = append(slices.Clone(u.seen), e.Seen...), max(u.readTo, e.ReadTo)
	return r.endTurn(ctx, e)
}

// endAsked is end after the model was asked, and so shown what had arrived.
func (r *run) endAsked(ctx context.Context, e parley.TurnEnd) (parley.Outcome, error) {
	e.Seen, e.ReadTo = r.unshown.ids, r.unshown.place
	return r.end(ctx, e)
}
