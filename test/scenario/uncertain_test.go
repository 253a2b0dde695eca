package scenario

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"parley"
	"parley/internal/app"
	"parley/internal/store"
)

// uncertain is a store over a network that breaks once, just when a commit has
// succeeded: it is stored, and whoever stored it does not know.
type uncertain struct {
	store.Store
	left *atomic.Int64 // updates until then
}

// Shared is true, as of every store over a network.
func (u uncertain) Shared() bool { return true }

func (u uncertain) Update(ctx context.Context, fn func(*store.Tx) error) error {
	err := u.Store.Update(ctx, fn)
	if u.left.Add(-1) == 0 && err == nil {
		return parley.Errorf(parley.Unavailable, "The connection was lost; whether it was stored is unknown.").
			WithCause(&store.Outage{Err: errors.New("connection reset")})
	}
	return err
}

// A commit without an answer, wherever it happens: what was stored counts, it is not
// stored again, and neither a model nor a requester notices.
func TestACommitWithoutAnAnswerIsNeitherLostNorRepeated(t *testing.T) {
	for nth := int64(1); nth <= 12; nth++ {
		t.Run(fmt.Sprint("update ", nth), func(t *testing.T) {
			var left atomic.Int64
			Play(t, Team{Agents: []string{"CoordinatorBot", "DataBot", "WriterBot"}, Script: `
agents:
  CoordinatorBot:
    - match: '^\[Delegation Result'
      steps: [{say: 'All: {{results}}'}]
    - steps:
        - calls:
            - {tool: contact_agent, args: {action: ask, agentId: DataBot, message: 'How much?'}}
            - {tool: contact_agent, args: {action: delegate, agentId: WriterBot, message: 'Write it down.'}}
        - say: 'Under way.'
  DataBot: [{steps: [{wait: 1s, say: '42'}]}]
  WriterBot: [{steps: [{wait: 1s, say: 'Written.'}]}]
`, Hub: func(c *app.HubConfig) { c.Store, c.Poll = uncertain{c.Store, &left}, 0 }}, func(s *Stage) {
				id := s.As("rutger").Delegate("CoordinatorBot", "Go.")
				left.Store(nth)
				s.Pass(5 * time.Minute)
				left.Store(0) // it has come by now, or the hub has nothing more to store
				s.Equal("state", parley.Completed, s.Task(id).State)
				s.Equal("result", "All: WriterBot: Written.", s.Result(id))
				s.Equal("tasks", 3, len(s.tasks()))
				for _, task := range s.tasks() {
					s.Equal("rescues of "+task.ID.String(), 0, task.Rescues)
				}
				s.log.faults.Store(0) // it may tell of it
			})
		})
	}
}
