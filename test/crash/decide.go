package crash

import (
	"context"
	"maps"
	"math/rand/v2"
	"strings"
	"sync"

	"parley"
	"parley/api"
	"parley/client"
)

// decider is a person who decides about Intern's requests: it denies what is daring
// and approves the rest. Now and then two decide the same at once.
type decider struct {
	customer
	note func(a api.Approval) // of an acknowledged decision
	done chan struct{}
}

// refused is the reason that Intern reads.
const refused = "Not now."

// startDecider works until the context is done.
func startDecider(ctx context.Context, w *load, seed uint64) *decider {
	d := &decider{customer: customer{load: w, random: rand.New(rand.NewPCG(seed, 77))}, note: w.ledger.decided, done: make(chan struct{})}
	go func() {
		defer close(d.done)
		for ctx.Err() == nil {
			d.round(ctx)
			breathe(ctx)
		}
	}()
	return d
}

// round decides about everything that waits.
func (d *decider) round(ctx context.Context) {
	list, ok := try(ctx, &d.customer, func(hub *client.Client) ([]api.Approval, error) { return hub.Approvals(ctx, false, 50) }, nil)
	if !ok {
		return
	}
	for _, a := range list {
		times := 1 + d.random.IntN(2)
		var wg sync.WaitGroup
		for range times {
			wg.Go(func() { d.decide(ctx, d.hub, a) })
		}
		wg.Wait()
	}
}

// decide decides once. A second decision is refused, and a hub that does not answer
// is asked again in the next round.
func (d *decider) decide(ctx context.Context, hub *client.Client, a api.Approval) {
	var made api.Approval
	var err error
	if strings.Contains(string(a.Arguments), "dare") {
		made, err = hub.Deny(ctx, a.ID, "", refused)
	} else {
		made, err = hub.Approve(ctx, a.ID, "")
	}
	switch {
	case err == nil:
		d.note(made)
	case unanswered(err) || ctx.Err() != nil || parley.KindOf(err) == parley.Conflict:
	default:
		d.ledger.complain("the hub refused to decide about %s: %v", a.ID, err)
	}
}

// decideAll decides about what is left, at a hub that stays up, until told to stop.
func (g *ground) decideAll(ctx context.Context, c *client.Client) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	gate, ledger := newGate(), newLedger()
	gate.open(0, c)
	d := startDecider(ctx, &load{gate: gate, ledger: ledger}, 1)
	return func() {
		cancel()
		<-d.done
		if list := ledger.complaints(); len(list) > 0 {
			g.Errorf("%s", lines(list))
		}
	}
}

// decided enters an acknowledged decision. There is one for each approval.
func (l *ledger) decided(a api.Approval) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.decisions[a.ID] != "" {
		l.problems = append(l.problems, a.ID+" was decided twice")
	}
	l.decisions[a.ID] = a.State
	l.count()
}

// acknowledged is what was decided so far, by approval.
func (l *ledger) acknowledged() map[string]string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return maps.Clone(l.decisions)
}

// compareDecisions compares what was acknowledged before the database was read with
// what is stored.
func compareDecisions(r *record, acknowledged map[string]string) (wrong []string) {
	stored := map[string]string{}
	for _, a := range r.approvals {
		stored[parley.Approval{ID: parley.ApprovalID(a.id), Letters: a.letters}.Name()] = a.state.String()
	}
	for id, state := range acknowledged {
		if stored[id] != state {
			wrong = append(wrong, id+" was acknowledged as "+state+" and is "+stored[id])
		}
	}
	return wrong
}
