package bench

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"parley/client"
)

// Long polls: many clients wait for messages, and now and then one of them gets one.
// What is asked is the memory of the hub, which is a process of its own, and the time from
// the commit of a message until its recipient has read it.

const (
	pollHTTP = "http"
	pollMCP  = "mcp"
	// pollMemory is what parley.yaml allows the hub.
	pollMemory = 300e6
	pollWait   = 10 * time.Minute
)

func pollName(p plan, door string) string { return fmt.Sprintf("poll.%s.%d", door, p.polls) }

func (b *bench) polls(ctx context.Context) error {
	polls := map[string]poller{pollHTTP: pollOverHTTP, pollMCP: pollOverMCP}
	for _, door := range []string{pollHTTP, pollMCP} {
		name, poll := pollName(b.plan, door), polls[door]
		if !b.wanted.has(name) {
			continue
		}
		b.say("poll: %s clients wait for messages over %s", count(b.plan.polls), door)
		if err := b.poll(ctx, name, poll); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

func (b *bench) poll(ctx context.Context, name string, poll poller) (err error) {
	hub, err := startHub(ctx, errand{Engine: engineSQLite, Address: filepath.Join(b.dir, name+".db"), Natives: 1, Clients: b.plan.polls, Memory: pollMemory})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, hub.kill()) }()
	var empty, full usage
	if err := hub.order(ctx, "usage", &empty); err != nil {
		return err
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	w := waiters{hub: hub, arrived: make([]chan time.Time, b.plan.polls)}
	if err := w.start(ctx, stop, poll); err != nil {
		return err
	}
	var took []time.Duration
	for round := range b.plan.rounds + 1 { // the first is for all to begin
		for i := range w.arrived {
			d, err := w.deliver(ctx, i)
			if err != nil {
				return err
			}
			if round > 0 {
				took = append(took, d)
			}
		}
	}
	if err := hub.order(ctx, "usage", &full); err != nil {
		return err
	}
	slices.Sort(took)
	return b.report.add(Line{Name: name, Waiting: b.plan.polls, Rounds: b.plan.rounds, Ops: len(took), P50: inMicros(percentile(took, 50)), P99: inMicros(percentile(took, 99)),
		Max: inMicros(took[len(took)-1]), Heap: full.Heap, RSS: full.RSS, Peak: full.Peak, Goroutines: full.Goroutines, Bytes: (full.RSS - empty.RSS) / int64(b.plan.polls)})
}

// poller receives until the context is done. got is called when a batch was read.
type poller func(ctx context.Context, url, token string, ready func(), got func()) error

func pollOverHTTP(ctx context.Context, url, token string, ready func(), got func()) error {
	c := client.New(url, token)
	defer c.Close()
	ready()
	for cursor := ""; ; {
		batch, err := c.Receive(ctx, client.Fetch{Cursor: cursor, Wait: pollWait})
		if err != nil {
			return err
		}
		if cursor = batch.Cursor; len(batch.Items) > 0 {
			got()
		}
	}
}

func pollOverMCP(ctx context.Context, url, token string, ready func(), got func()) error {
	s, err := connectMCP(ctx, url, token)
	if err != nil {
		return err
	}
	defer func() { _ = s.Close() }() // it is over
	ready()
	for cursor := ""; ; {
		args := map[string]any{"wait_seconds": int(pollWait.Seconds())}
		if cursor != "" {
			args["cursor"] = cursor
		}
		res, err := s.CallTool(ctx, &mcp.CallToolParams{Name: "wait_for_messages", Arguments: args})
		if err != nil {
			return err
		}
		batch, _ := res.StructuredContent.(map[string]any)
		if res.IsError || batch == nil {
			return errors.New(textOf(res))
		}
		if cursor, _ = batch["cursor"].(string); cursor != "" {
			got()
		}
	}
}

// waiters are the clients that wait.
type waiters struct {
	hub     *hubProcess
	arrived []chan time.Time // of each client: when it has read a message
}

// start lets all begin to wait, a few at a time.
func (w *waiters) start(ctx context.Context, stop context.CancelCauseFunc, poll poller) error {
	ready, opening := make(chan struct{}, len(w.arrived)), make(chan struct{}, 20)
	for i := range w.arrived {
		arrived := make(chan time.Time, 1)
		w.arrived[i] = arrived
		go func() {
			opening <- struct{}{}
			err := poll(ctx, w.hub.URL, w.hub.Tokens[1+i], func() { <-opening; ready <- struct{}{} }, func() { arrived <- time.Now() })
			stop(fmt.Errorf("a client stopped waiting: %w", err))
		}()
	}
	for range w.arrived {
		select {
		case <-ready:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

// deliver sends a message to one client, and returns how long after the commit it was
// read.
func (w *waiters) deliver(ctx context.Context, i int) (time.Duration, error) {
	var c committed
	if err := w.hub.order(ctx, fmt.Sprintf("notify?to=%d", 1+i), &c); err != nil {
		return 0, err
	}
	select {
	case at := <-w.arrived[i]:
		return at.Sub(time.Unix(0, c.At)), nil
	case <-ctx.Done():
		return 0, context.Cause(ctx)
	case <-time.After(resultLimit):
		return 0, fmt.Errorf("a message did not arrive within %v", resultLimit)
	}
}
