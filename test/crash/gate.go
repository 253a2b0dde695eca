package crash

import (
	"context"
	"math/rand/v2"
	"sync"

	"parley/client"
)

// gate tells clients which hubs are up. Hubs come and go; a client whose hub died
// takes another one, or waits for the next.
type gate struct {
	mu      sync.Mutex
	hubs    map[int]*client.Client
	changed chan struct{} // closed at the next change
}

func newGate() *gate {
	return &gate{hubs: map[int]*client.Client{}, changed: make(chan struct{})}
}

// open says that hub n is up.
func (g *gate) open(n int, c *client.Client) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.hubs[n] = c
	close(g.changed)
	g.changed = make(chan struct{})
}

// has reports whether hub n is known to be up.
func (g *gate) has(n int) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.hubs[n] != nil
}

// shut says that hub n is gone.
func (g *gate) shut(n int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if c := g.hubs[n]; c != nil {
		c.Close()
	}
	delete(g.hubs, n)
}

// enter returns a client of any hub that is up, except one that was found dead.
func (g *gate) enter(ctx context.Context, random *rand.Rand, dead *client.Client) (*client.Client, error) {
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		g.mu.Lock()
		var up []*client.Client
		for n := range maxHubs {
			if c := g.hubs[n]; c != nil && c != dead {
				up = append(up, c)
			}
		}
		changed := g.changed
		g.mu.Unlock()
		if len(up) > 0 {
			return up[random.IntN(len(up))], nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}
