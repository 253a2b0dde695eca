package crash

import (
	"context"
	"fmt"
	"math/rand/v2"

	"parley/client"
)

// reader follows the record of events from hub to hub, each time continuing where it
// stopped.
type reader struct {
	cursor string
	seen   map[string]bool // by cursor
	wrong  []string
	stop   context.CancelFunc
	done   chan struct{}
}

func startReader(g *gate, seed uint64) *reader {
	ctx, stop := context.WithCancel(context.Background())
	r := &reader{seen: map[string]bool{}, stop: stop, done: make(chan struct{})}
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

// compare says what the reader missed or read twice. What stands after the place where
// it stopped was recorded later: a hub that wakes up from a long sleep joins again, even
// when everything else has come to rest.
func (r *reader) compare(stored *record) []string {
	wrong := r.wrong
	var group, id int64
	if _, err := fmt.Sscanf(r.cursor, "%d.%d", &group, &id); err != nil {
		return append(wrong, fmt.Sprintf("the cursor %q: %v", r.cursor, err))
	}
	for _, e := range stored.events {
		passed := e.group < group || e.group == group && e.id <= id
		if passed && !r.seen[fmt.Sprintf("%d.%d", e.group, e.id)] {
			wrong = append(wrong, fmt.Sprintf("event %d.%d (%s) is on record and was not read", e.group, e.id, e.kind))
		}
	}
	return wrong
}
