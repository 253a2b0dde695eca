package access

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"parley"
	"parley/internal/store"
)

const (
	// refusalsOneByOne is how many refusals of a participant are recorded one by one
	// within a minute: more than a mistake makes, and less than a flood.
	refusalsOneByOne = 30
	refusalWindow    = time.Minute
	// refusalRunes bounds the text of a recorded refusal, which may quote its caller.
	refusalRunes = 300
)

// refusals counts those of each participant, so that nobody can flood the
// record with them. Counts are of this hub and of its lifetime.
type refusals struct {
	mu     sync.Mutex
	counts map[parley.AgentID]*refusalCount
}

// refusalCount is one participant's present minute.
type refusalCount struct {
	start  time.Time
	n      int
	summed map[string]int // by rule, of those that were not recorded one by one
}

// take counts a refusal. It says whether to record it, and what else to put on
// record: that the rest of the minute is only counted, or what had been.
func (r *refusals) take(who parley.AgentID, rule string, now time.Time) (record bool, sum string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.counts == nil {
		r.counts = map[parley.AgentID]*refusalCount{}
	}
	c := r.counts[who]
	if c == nil {
		c = &refusalCount{start: now}
		r.counts[who] = c
	}
	if now.Sub(c.start) >= refusalWindow {
		sum = c.sum()
		*c = refusalCount{start: now}
	}
	c.n++
	if c.n <= refusalsOneByOne {
		return true, sum
	}
	if c.summed == nil {
		c.summed = map[string]int{}
		sum = fmt.Sprintf("more than %d refusals within a minute; the others are counted", refusalsOneByOne)
	}
	c.summed[rule]++
	return false, sum
}

// sum says how many were only counted, rule by rule.
func (c *refusalCount) sum() string {
	if len(c.summed) == 0 {
		return ""
	}
	total, parts := 0, []string{}
	for _, rule := range slices.Sorted(maps.Keys(c.summed)) {
		total += c.summed[rule]
		parts = append(parts, fmt.Sprintf("%s %d", rule, c.summed[rule]))
	}
	return fmt.Sprintf("%d further refusals in the minute from %s: %s", total, c.start.UTC().Format(time.RFC3339), strings.Join(parts, ", "))
}

// RecordRefused records that a contact was refused. detail says what was tried and ends
// with the rule.
func (a *Control) RecordRefused(ctx context.Context, c Caller, target parley.AgentID, err error, detail string) {
	a.record(ctx, c, target, err, parley.EventRefused, detail)
}

// RecordDenied records that the caller lacked a right, and returns the error. Other
// errors pass: they refuse nobody in particular.
func (a *Control) RecordDenied(ctx context.Context, c Caller, what string, err error) error {
	rule := parley.RuleOf(err)
	if rule == RuleDecider || rule != "" && parley.KindOf(err) == parley.Denied {
		a.record(ctx, c, 0, err, parley.EventDenied, RefusalText(what, err))
	}
	return err
}

// record writes a refusal after it, in its own transaction, since the refused one
// stores nothing.
func (a *Control) record(ctx context.Context, c Caller, target parley.AgentID, err error, kind parley.EventKind, detail string) {
	if store.IsOutage(err) || parley.KindOf(err) == parley.Internal {
		return
	}
	e := parley.Event{Team: c.Team, Kind: kind, Actor: c.Agent, Target: target, Task: c.Task, Detail: detail}
	rule := e.Rule()
	if rule == "" {
		rule = string(parley.KindOf(err))
	}
	record, sum := a.refusals.take(c.Agent, rule, time.Now())
	if !record && sum == "" {
		return
	}
	failed := a.store.Update(ctx, func(tx *store.Tx) error {
		if sum != "" {
			tx.Record(parley.Event{Team: c.Team, Kind: parley.EventSummed, Actor: c.Agent, Detail: sum})
		}
		if record {
			tx.Record(e)
		}
		return nil
	})
	if failed != nil {
		a.log.Warn("a refusal could not be recorded", "error", failed)
	}
}

// RefusalText is what the record says of a refusal by a limit, a right or the
// target's state.
func RefusalText(what string, err error) string {
	return parley.WithRule(parley.Clip(what+": "+parley.Public(err), refusalRunes), parley.RuleOf(err))
}

// The rights that an access.refused event names.
const (
	RulePeopleOnly  = "people_only"  // only a person may
	RuleOwnTask     = "own_task"     // only whose task it is, or who asked for it
	RuleOwnApproval = "own_approval" // nobody decides about what they want themselves
	RuleDecider     = "decider"      // only a person or the manager decides
	RuleShown       = "shown"        // who is no person decides only about what they were shown
)
