package page

import (
	"context"
	"sync"
	"time"

	"parley"
	"parley/internal/reading"
)

// What a team has spent today is added up from its steps, since a counter would be
// written with each of them. After a busy day that takes a while, which no view waits
// for: it shows the sum before, or none, and asks again.

const (
	// quick is what a sum may take to be made anew for every view.
	quick = 20 * time.Millisecond
	// rests is how many times as long a sum is kept as it took to make.
	rests = 20
	// waitForSum is how long a view waits for a sum.
	waitForSum = 60 * time.Millisecond
	// askAgain is when a view that has got none asks for it again.
	askAgain = 500 * time.Millisecond
)

type tallyKey struct {
	team  parley.TeamID
	agent parley.AgentID
	since int64
}

// tally is a sum, and the making of the next one.
type tally struct {
	cost   reading.Cost
	at     time.Time // when it was made; zero if there is none
	took   time.Duration
	err    error
	making chan struct{} // closed when the next one is there; nil if none is made
}

type tallies struct {
	mu sync.Mutex
	of map[tallyKey]*tally
}

// Sum is what was spent, as far as it is known.
type Sum struct {
	reading.Cost
	Known bool
	Again time.Duration // when to ask again; 0 if it is up to date
}

// Later is Again for the script, in milliseconds.
func (s Sum) Later() int64 { return s.Again.Milliseconds() }

// costToday adds up by agent what was spent since midnight where the visitor is.
func (v *visit) costToday() (Sum, error) {
	year, month, day := v.now.In(v.zone).Date()
	since := time.Date(year, month, day, 0, 0, 0, 0, v.zone)
	query := reading.CostQuery{By: parley.CostByAgent, Since: since, Zone: v.zone, Limit: 1 << 16}
	return v.tallies.sum(v.ctx, tallyKey{v.Team, v.Agent, since.Unix()}, func() (reading.Cost, error) {
		ctx, cancel := context.WithTimeout(v.stopping, time.Minute) // the view may be gone by then
		defer cancel()
		return v.Reading.Cost(ctx, v.Caller, query)
	})
}

// sum returns the sum of that name, if need be after having begun to make it.
func (ts *tallies) sum(ctx context.Context, key tallyKey, add func() (reading.Cost, error)) (Sum, error) {
	making, old := ts.begin(key, add)
	if making == nil {
		return old, nil
	}
	wait := time.NewTimer(waitForSum)
	defer wait.Stop()
	select {
	case <-making:
	case <-wait.C:
		old.Again = askAgain
		return old, nil
	case <-ctx.Done():
		return Sum{}, ctx.Err()
	}
	ts.mu.Lock()
	defer ts.mu.Unlock()
	t := ts.of[key]
	return Sum{Cost: t.cost, Known: t.err == nil, Again: old.Again}, t.err
}

// begin makes a sum unless the one before is still good, and returns what is closed then.
func (ts *tallies) begin(key tallyKey, add func() (reading.Cost, error)) (making chan struct{}, old Sum) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	t := ts.of[key]
	if t == nil {
		ts.forget()
		t = &tally{}
		ts.of[key] = t
	}
	old = Sum{Cost: t.cost, Known: !t.at.IsZero() && t.err == nil}
	if t.making != nil {
		old.Again = askAgain // it was begun before what the visitor may have heard of
		return t.making, old
	}
	if left := t.took*rests - time.Since(t.at); old.Known && t.took > quick && left > 0 {
		old.Again = left
		return nil, old
	}
	t.making = make(chan struct{})
	go ts.make(t, add)
	return t.making, old
}

func (ts *tallies) make(t *tally, add func() (reading.Cost, error)) {
	from := time.Now()
	cost, err := add()
	ts.mu.Lock()
	defer ts.mu.Unlock()
	t.cost, t.err, t.at = cost, err, time.Now()
	t.took = t.at.Sub(from)
	close(t.making)
	t.making = nil
}

// forget drops the sums of days before.
func (ts *tallies) forget() {
	if ts.of == nil {
		ts.of = map[tallyKey]*tally{}
	}
	for key, t := range ts.of {
		if t.making == nil && time.Since(t.at) > time.Hour {
			delete(ts.of, key)
		}
	}
}
