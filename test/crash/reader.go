package crash

import (
	"context"
	"fmt"
	"math/rand/v2"

	"parley"
	"parley/client"
)

// reader follows the record of events from hub to hub, each time continuing where it
// stopped.
type reader struct {
	cursor string
	seen   map[string]bool // by cursor
	counts map[parley.EventKind]int
	wrong  []string
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
			r.wrong = append(r.wrong, fmt.Sprintf("event %s (%s) came twice", e.Cursor, e.Kind))
		}
		r.seen[e.Cursor], r.cursor = true, e.Cursor
		r.counts[parley.EventKind(e.Kind)]++
	}
	return nil
}

// finish reads the rest from the last hub, until it has read so many in all. The
// last ones may be held back for a moment by something else in flight.
func (r *reader) finish(c *client.Client, all int) {
	r.stop()
	<-r.done
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for err := error(nil); len(r.seen) < all; {
		if err = r.read(ctx, c, false); err != nil {
			r.wrong = append(r.wrong, err.Error())
			return
		}
	}
}

// compare says what the reader missed or read twice.
func (r *reader) compare(stored *record) []string {
	counts := map[parley.EventKind]int{}
	for _, e := range stored.events {
		counts[e.kind]++
	}
	wrong := r.wrong
	for kind, n := range counts {
		if r.counts[kind] != n {
			wrong = append(wrong, fmt.Sprintf("%d events %s are on record, %d were read", n, kind, r.counts[kind]))
		}
	}
	return wrong
}
