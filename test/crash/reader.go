package crash

import (
	"context"
	"math/rand/v2"

	"parley"
	"parley/internal/client"
)

// reader follows the record of events from hub to hub, going on each time
// where it was.
type reader struct {
	cursor string
	twice  []string
	counts map[parley.EventKind]int
	seen   map[string]bool
	stop   context.CancelFunc
	done   chan struct{}
}

func startReader(g *gate, seed uint64) *reader {
	ctx, stop := context.WithCancel(context.Background())
	r := &reader{counts: map[parley.EventKind]int{}, seen: map[string]bool{}, stop: stop, done: make(chan struct{})}
	go func() {
		defer close(r.done)
		random := rand.New(rand.NewPCG(seed, 99))
		var dead *client.Client
		for {
			c, err := g.enter(ctx, random, dead)
			if err != nil {
				return
			}
			_ = r.read(ctx, c, true) // until the hub is gone
			dead = c
		}
	}()
	return r
}

func (r *reader) read(ctx context.Context, c *client.Client, follow bool) error {
	for e, err := range c.Events(ctx, r.cursor, follow) {
		if err != nil {
			return err
		}
		if r.seen[e.Cursor] {
			r.twice = append(r.twice, e.Cursor)
		}
		r.seen[e.Cursor], r.cursor = true, e.Cursor
		r.counts[parley.EventKind(e.Kind)]++
	}
	return nil
}

// finish reads the rest from the last hub and returns how often each kind of
// event came.
func (r *reader) finish(c *client.Client) map[parley.EventKind]int {
	r.stop()
	<-r.done
	_ = r.read(context.Background(), c, false) // what is missing is found by whoever compares
	return r.counts
}
