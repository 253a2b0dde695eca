package rules

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"parley"
	"parley/internal/model"
	"parley/internal/policy"
	"parley/internal/store"
)

// rounds is the reference: how often a task, on results, did nothing but delegate again
// to those who sent them.
type rounds struct {
	n    int
	from []string // who sent the last results
	news bool     // nothing was called since they came
}

// take takes in a result. Those that come before the next calls belong together.
func (r *rounds) take(from string) {
	if !r.news {
		r.from = nil
	}
	r.from, r.news = append(r.from, from), true
}

// reply takes in the calls of a reply, each as whom it delegates to, or empty. It reports
// whether people are asked first. If they are, this is the first round of the next row.
func (r *rounds) reply(limit int, calls []string) (asks bool) {
	again := !slices.ContainsFunc(calls, func(to string) bool { return !slices.Contains(r.from, to) })
	switch {
	case !again:
		r.n = 0
	case r.news: // else it is the same round
		r.n++
	}
	r.news = false
	if asks = r.n > limit; asks {
		r.n = 1
	}
	return asks
}

// planning is a task of Plan's, who delegates to Ann and Bob. Boss is Plan's manager.
type planning struct {
	*house
	rounds
	top     parley.TaskID
	calls   int      // replies with calls in this turn
	results []review // that Plan's model has not been shown yet
	asked   int      // how often people must have been asked
	made    int      // how many subtasks there must be
	held    []string // what people are asked about
	failed  bool     // they said no
	reached int      // how often they were asked, over all tasks
}

// review is a result.
type review struct{ from, text string }

// A task that goes round in circles at its own pace is held just when the limit is
// reached, whatever else it does in between, and only people let it go on.
func TestPeopleAreAskedAfterSoManyRounds(t *testing.T) {
	dir := t.TempDir()
	n, reached := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		rapid.SyncTest(rt, func(rt *rapid.T) {
			limit := rapid.IntRange(1, 3).Draw(rt, "limit")
			p := &planning{house: newHouse(rt, filepath.Join(dir, fmt.Sprint(n)), func(l *parley.Limits) { l.Rounds = limit }, "Plan", "Boss", "Ann", "Bob")}
			p.members[1].Rules = &policy.Rules{Manager: parley.FoldName("Boss")}
			defer p.closes()
			p.opens()
			p.Repeat(map[string]func(*rapid.T){"step": func(*rapid.T) { p.act() }})
			reached += p.reached
		})
	})
	if reached == 0 && !t.Failed() {
		t.Error("people were never asked")
	}
}

func (p *planning) act() {
	if p.top == 0 || !p.task(p.top).State.Open() {
		p.begin()
	}
	all := p.minds.of(p.life)
	var what []string
	for _, th := range all {
		what = append(what, th.agent, th.agent, th.agent)
	}
	if p.held != nil {
		what = append(what, "approve", "approve", "approve", "deny", "expire")
	}
	switch one := rapid.SampledFrom(append(what, "restart")).Draw(p.T, "what"); one {
	case "Plan":
		p.replies(p.thinking())
	case "approve", "deny", "expire":
		p.decide(one)
	case "restart":
		p.restarts()
	default:
		i := slices.IndexFunc(all, func(th *thought) bool { return th.agent == one })
		p.reviews(all[i])
	}
	p.compare()
}

// begin has Pat delegate something to Plan.
func (p *planning) begin() {
	p.note("Pat delegates to Plan")
	made, err := p.life.hub.Contacts.Delegate(p.life.ctx, p.as("Pat"), requestTo("Plan"))
	p.must(err)
	rest()
	p.top, p.rounds = made.Task.ID, rounds{}
	p.calls, p.results, p.asked, p.made, p.held, p.failed = 0, nil, 0, 0, nil, false
}

// thinking is Plan's model, if it is its turn.
func (p *planning) thinking() *thought {
	for _, th := range p.minds.of(p.life) {
		if th.task == p.top {
			return th
		}
	}
	return nil
}

// replies has Plan call something or end its turn. A turn has few calls, since one with
// many goes in circles by itself.
func (p *planning) replies(th *thought) {
	p.results = slices.DeleteFunc(p.results, func(r review) bool {
		shown := slices.ContainsFunc(th.request.Messages, func(m model.Message) bool { return strings.Contains(m.Text, r.text) })
		if shown {
			p.take(r.from)
		}
		return shown
	})
	if p.calls == 3 || p.calls > 0 && rapid.Bool().Draw(p.T, "ends") {
		p.note("Plan ends its turn")
		p.calls = 0
		p.answers(th, says("I wait."))
		return
	}
	calls := p.draw()
	p.note("Plan:", fmt.Sprintf("%q", calls))
	p.calls++
	if p.reply(p.limits.Rounds, calls) {
		p.asked, p.reached, p.held = p.asked+1, p.reached+1, calls
	} else {
		p.made += delegations(calls)
	}
	var list []model.Call
	for i, to := range calls {
		switch {
		case to == "":
			list = append(list, toolCall("errand", nil))
		case i > 0: // however it is spelled
			list = append(list, contactCall(parley.Delegate, strings.ToLower(to)))
		default:
			list = append(list, contactCall(parley.Delegate, to))
		}
	}
	p.answers(th, calling(list...))
}

// draw draws calls: mostly to those who sent the last results, and now and then to
// anybody, or something else than a delegation.
func (p *planning) draw() (calls []string) {
	anybody := []string{"Ann", "Bob"}
	if len(p.from) > 0 && rapid.IntRange(0, 9).Draw(p.T, "again") > 1 {
		anybody = p.from
	} else if rapid.Bool().Draw(p.T, "other tools") {
		anybody = append(anybody, "")
	}
	for range rapid.SampledFrom([]int{1, 1, 1, 2, 3}).Draw(p.T, "calls") {
		calls = append(calls, rapid.SampledFrom(anybody).Draw(p.T, "to"))
	}
	return calls
}

func delegations(calls []string) (n int) {
	for _, to := range calls {
		if to != "" {
			n++
		}
	}
	return n
}

// reviews has somebody send Plan a result, or fail.
func (p *planning) reviews(th *thought) {
	r := review{th.agent, fmt.Sprintf("That was %s.", th.task)}
	a := says(r.text)
	if rapid.IntRange(0, 4).Draw(p.T, "fails") == 0 {
		a = breaks(r.text)
	}
	p.note(th.agent, "ends", th.task.String(), fmt.Sprint(a.err))
	p.results = append(p.results, r)
	p.answers(th, a)
}

// decide has people decide, or nobody in time. Plan's manager may not.
func (p *planning) decide(how string) {
	a := p.approvals()[p.asked-1]
	shown := parley.ApprovalRef{ID: a.ID, Letters: a.Letters, Digest: a.ShortDigest()}
	contacts, ctx := p.life.hub.Contacts, p.life.ctx
	if _, err := contacts.Approve(ctx, p.as("Boss"), shown); err == nil {
		p.wrong("Boss decides about %s", a.ID)
	}
	p.note(how, a.ID.String())
	align()
	var err error
	switch how {
	case "approve":
		_, err = contacts.Approve(ctx, p.as("Pat"), shown)
		p.made += delegations(p.held)
	case "deny":
		_, err = contacts.Deny(ctx, p.as("Pat"), shown, "Enough.")
		p.failed = true
	case "expire":
		wait(p.limits.ApprovalExpiry + time.Minute)
		p.failed = true
	}
	p.must(err)
	p.held = nil
	rest()
}

func (p *planning) approvals() (list []parley.Approval) {
	p.view(func(tx *store.Tx) (err error) { list, err = tx.ApprovalsOf(p.top); return err })
	return list
}

// compare compares the hub with the reference.
func (p *planning) compare() {
	p.Helper()
	list := p.approvals()
	if len(list) != p.asked {
		p.wrong("people were asked %d times; want %d", len(list), p.asked)
	}
	pending := slices.ContainsFunc(list, func(a parley.Approval) bool { return a.State == parley.ApprovalPending })
	if pending != (p.held != nil) {
		p.wrong("people are asked: %t; want %t", pending, p.held != nil)
	}
	made := 0
	for _, t := range p.tasks() {
		if t.Parent == p.top {
			made++
		}
	}
	if made != p.made {
		p.wrong("there are %d subtasks; want %d", made, p.made)
	}
	t := p.task(p.top)
	if denied := t.State == parley.TaskFailed && strings.Contains(t.Error, "Going on was not approved."); denied != p.failed || t.State == parley.TaskFailed && !denied {
		p.wrong("the task has failed: %t (%s); want %t", denied, t.Error, p.failed)
	}
}
