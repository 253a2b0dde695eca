package scenario

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"parley"
	"parley/internal/app"
	"parley/internal/store"
)

// faulty is a store that cannot write for a while, as with a full disk.
type faulty struct {
	store.Store
	full *atomic.Bool
}

var errFull = errors.New("the disk is full")

func (f faulty) Update(ctx context.Context, fn func(*store.Tx) error) error {
	if f.full.Load() {
		return errFull
	}
	return f.Store.Update(ctx, fn)
}

// A full disk is not the agent's failure: whenever it happens in a turn, the
// work is done once there is room again.
func TestAFullDiskFailsNoTask(t *testing.T) {
	for _, c := range []struct {
		name     string
		from, to time.Duration
	}{
		{"when the prompt is stored", 0, 500 * time.Millisecond},
		{"when a tool's result is stored", 9 * time.Second, 15 * time.Second},
		{"when the end is stored", 19 * time.Second, 25 * time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			var full atomic.Bool
			Play(t, Team{Agents: []string{"CallerBot", "DataBot"}, Script: `
agents:
  CallerBot: [{steps: [{wait: 10s, call: list_agents, args: {}}, {wait: 10s, say: 'Done.'}]}]
`, Hub: func(c *app.HubConfig) { c.Store = faulty{c.Store, &full} }}, func(s *Stage) {
				id := s.As("rutger").Delegate("CallerBot", "Go.")
				if c.from > 0 {
					s.Pass(c.from)
				}
				full.Store(true)
				s.Pass(c.to - c.from)
				full.Store(false)
				s.Pass(5 * time.Minute)
				s.Equal("state", parley.Completed, s.Task(id).State)
				s.Equal("result", "Done.", s.Result(id))
				s.log.faults.Store(0) // it rightly told of them
			})
		})
	}
}
