package crash

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"parley"
	"parley/api"
	"parley/client"
)

// load is clients at work: each gives the team one job after the other, waits for the
// outcome, and compares it with the expected one. If a hub dies meanwhile, a client
// does what any program would: it asks the next hub again with the same key.
type load struct {
	gate   *gate
	ledger *ledger
	wg     sync.WaitGroup
	stop   context.CancelFunc // no new jobs
	abort  context.CancelFunc // not even the present ones

	decider *decider
}

// startLoad starts n clients. Their choices follow from the seed alone; what
// happens to them does not.
func startLoad(g *gate, l *ledger, seed uint64, n int) *load {
	w, all, going := newLoad(g, l)
	w.customers(all, going, seed, n, pickJob)
	// One more client sends notifications without a pause, so that there is hardly a
	// moment at which nothing is in flight.
	w.wg.Go(func() {
		c := customer{load: w, random: rand.New(rand.NewPCG(seed, uint64(n)))}
		for n := 1; going.Err() == nil; n++ {
			c.do(all, job{kind: kinds[0], id: fmt.Sprintf("n-%d", n)})
		}
	})
	w.decider = startDecider(all, w, seed)
	return w
}

// startJobs starts n clients that give the jobs of pick and nothing else.
func startJobs(g *gate, l *ledger, seed uint64, n int, pick func(*rand.Rand, string) job) *load {
	w, all, going := newLoad(g, l)
	w.customers(all, going, seed, n, pick)
	w.decider = startDecider(all, w, seed)
	return w
}

func newLoad(g *gate, l *ledger) (w *load, all, going context.Context) {
	all, abort := context.WithCancel(context.Background())
	going, stop := context.WithCancel(all)
	return &load{gate: g, ledger: l, stop: stop, abort: abort}, all, going
}

// customers starts n clients, each of which gives one job after the other.
func (w *load) customers(all, going context.Context, seed uint64, n int, pick func(*rand.Rand, string) job) {
	for i := range n {
		w.wg.Go(func() {
			c := customer{load: w, random: rand.New(rand.NewPCG(seed, uint64(i)))}
			for n := 1; going.Err() == nil; n++ {
				c.do(all, pick(c.random, fmt.Sprintf("%d-%d", i, n)))
			}
		})
	}
}

// finish lets every client finish its job. It returns false if they do not finish.
func (w *load) finish(limit time.Duration) bool {
	w.stop()
	defer func() {
		w.abort()
		<-w.decider.done
	}()
	done := make(chan struct{})
	go func() {
		w.wg.Wait()
		close(done)
	}()
	select {
	case <-done:
		return true
	case <-time.After(limit):
		w.abort()
		<-done
		return false
	}
}

// customer is one client. It gives up one in five contacts that were not answered, so
// that some stay unknown forever.
type customer struct {
	*load
	random *rand.Rand
	hub    *client.Client
}

// do gives one job to the team and waits for it.
func (c *customer) do(ctx context.Context, j job) {
	c.ledger.begin(j)
	made, ok := c.contact(ctx, j)
	if !ok || made.Task == nil {
		return
	}
	if j.cancel {
		c.cancel(ctx, j, made.Task.ID)
	}
	c.await(ctx, j, made.Task.ID)
}

// contact makes the contact, again under the same key if nobody answered.
func (c *customer) contact(ctx context.Context, j job) (made api.Contact, ok bool) {
	request := api.ContactRequest{Action: j.action, Agent: j.agent, Message: j.text(), Key: j.key()}
	return try(ctx, c, func(hub *client.Client) (api.Contact, error) {
		made, err := hub.Contact(ctx, request)
		if err == nil {
			c.ledger.accept(j, made)
		} else if unanswered(err) {
			c.ledger.doubt()
		}
		return made, err
	}, func() bool { return c.random.IntN(5) == 0 })
}

// cancel cancels a task while it is probably running.
func (c *customer) cancel(ctx context.Context, j job, id string) {
	halfWay := time.NewTimer(time.Duration(c.random.IntN(60)) * time.Millisecond)
	defer halfWay.Stop()
	select {
	case <-halfWay.C:
	case <-ctx.Done():
		return
	}
	c.ledger.cancel(j, maybeCancelled)
	_, _ = try(ctx, c, func(hub *client.Client) (api.Task, error) {
		t, err := hub.Cancel(ctx, id)
		if err == nil {
			c.ledger.cancel(j, surelyCancelled)
		}
		if parley.KindOf(err) == parley.Conflict {
			return t, nil // it has ended, perhaps by our first try
		}
		return t, err
	}, nil)
}

// await waits for the end of a task and checks the outcome.
func (c *customer) await(ctx context.Context, j job, id string) {
	t, ok := try(ctx, c, func(hub *client.Client) (api.Task, error) { return hub.WaitTask(ctx, id, 0) }, nil)
	if !ok {
		return
	}
	if wrong := j.checkResult(t.State, t.Result, t.Error); wrong != "" {
		c.ledger.complain("%s (%s) %s", id, j.text(), wrong)
	}
}

// try asks the hub, and the next one if that does not answer, until one answers or
// giveUp says stop.
func try[T any](ctx context.Context, c *customer, ask func(*client.Client) (T, error), giveUp func() bool) (out T, ok bool) {
	var dead *client.Client
	for {
		var err error
		if c.hub == nil || c.hub == dead {
			if c.hub, err = c.gate.enter(ctx, c.random, dead); err != nil {
				return out, false
			}
		}
		out, err = ask(c.hub)
		switch {
		case err == nil:
			return out, true
		case ctx.Err() != nil:
			return out, false
		case !unanswered(err):
			c.ledger.complain("the hub refused: %v", err)
			return out, false
		case giveUp != nil && giveUp():
			return out, false
		case silent(err):
			dead = c.hub
		default:
			breathe(ctx)
		}
	}
}

// unanswered reports whether an error says that no hub was reached, or one
// that is just stopping or has lost its database. All agents of the team are
// there, so it says nothing about them.
func unanswered(err error) bool { return err != nil && parley.KindOf(err) == parley.Unavailable }

// silent reports whether nobody answered at all. An error that a hub itself reports
// has no cause.
func silent(err error) bool {
	var e *parley.Error
	return errors.As(err, &e) && e.Cause != nil
}

// breathe is the pause before a hub that cannot serve at the moment is asked again.
func breathe(ctx context.Context) {
	pause := time.NewTimer(20 * time.Millisecond)
	defer pause.Stop()
	select {
	case <-pause.C:
	case <-ctx.Done():
	}
}
