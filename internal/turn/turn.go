// Package turn runs one agent on one task: it puts the conversation before the
// model, runs the tools that the model calls, and stores each step before the
// next begins.
//
// A turn can end at any moment, with the process or with its lease, and go on
// elsewhere from the last stored step. Everything that it knows is therefore
// derived from what is stored, by one fold: transcript.apply takes in a step that
// was stored just now as it takes in one that is read back. What the model is shown
// is a function of the transcript; run has the effects around it. A finished tool
// call is not run again, and a call whose outcome is unknown is either safe to
// repeat or reported to the model as interrupted.
package turn

import (
	"context"
	"errors"
	"log/slog"

	"parley"
	"parley/internal/live"
	"parley/internal/model"
	"parley/internal/store"
	"parley/internal/tool"
)

// Agent is what a native agent is made of.
type Agent struct {
	Name         string
	Instructions string
	// Knowledge is its memory and what the team shares: it follows the
	// instructions and changes more often.
	Knowledge string
	Model     model.Model
	ModelName string // in the team's files
	Tools     []tool.Tool
	Limits    *parley.Limits
	// Isolated keeps its mail to the dm with the sender.
	Isolated bool
	// Release, if there is one, is called when the turn no longer needs the tools.
	Release func()
}

// Agents finds an agent's definition. A turn works with what it found at its
// beginning.
type Agents interface {
	Definition(id parley.AgentID) (Agent, bool)
	// Name is how a participant is called; empty for one whom this hub does not
	// know.
	Name(id parley.AgentID) string
}

// Ender stores the end of a turn. Package contact implements it.
type Ender interface {
	EndTurn(ctx context.Context, e parley.TurnEnd) (parley.Outcome, error)
}

// Rules say whether an agent may make a tool call. Package contact implements
// it.
type Rules interface {
	// Permit refuses with parley.NeedsApproval what somebody may still approve,
	// unless that has happened.
	Permit(ctx context.Context, lease parley.Lease, action string, approved bool) error
	// AskManager brings what a turn waits for to the agent's manager.
	AskManager(ctx context.Context, lease parley.Lease) error
}

// Pauses says which teams are paused. Package work implements it.
type Pauses interface {
	Paused(team parley.TeamID) bool
}

// Enricher finds what the reader may know of a text and has not at hand: a few
// lines, or none. It ends with the context.
type Enricher interface {
	Relevant(ctx context.Context, team parley.TeamID, reader parley.AgentID, text string) string
}

// Runner runs turns. It is safe for concurrent use.
type Runner struct {
	Store  store.Store
	Agents Agents
	Ender  Ender
	Rules  Rules
	Pauses Pauses
	Log    *slog.Logger
	// Live is for those who look at a task while it runs.
	Live *live.Fan
	// Enricher finds what belongs to a question; nil if nothing does.
	Enricher Enricher
	// Replies remembers how long the agents' replies are. Its zero value is ready.
	Replies Replies
}

// Run runs turns of a leased task until it ends, waits, or is no longer ours.
// What was handed over saves the first turn from reading it.
func (r *Runner) Run(ctx context.Context, lease parley.Lease, handover *parley.Handover, slot parley.Slot) error {
	def, ok := r.Agents.Definition(lease.Agent)
	if !ok {
		return r.fail(ctx, lease, "it is no longer in the team's files.")
	}
	if def.Release != nil {
		defer def.Release()
	}
	defer r.Live.Silent(lease.Task)
	for {
		t := &run{Runner: r, agent: def, lease: lease, slot: newMeter(slot), names: names{Agents: r.Agents}}
		outcome, err := t.runTurn(ctx, handover)
		handover = nil
		switch {
		case errors.Is(err, parley.ErrLost), errors.Is(err, errParked):
			return nil
		case errors.Is(err, errUncertain): // go on from what is stored
		case err != nil:
			return err
		case outcome != parley.TurnAgain:
			return nil
		}
	}
}

func (r *Runner) fail(ctx context.Context, lease parley.Lease, reason string) error {
	_, err := r.endTurn(ctx, parley.TurnEnd{Lease: lease, Reason: reason})
	if errors.Is(err, parley.ErrLost) {
		return nil
	}
	return err
}
