package scenario

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"parley/internal/app"
	"parley/internal/contact"
	"parley/internal/store"
)

// tallied counts the transactions that stored something.
type tallied struct {
	store.Store
	commits *atomic.Int64
}

func (c tallied) Update(ctx context.Context, fn func(*store.Tx) error) error {
	wrote := false
	err := c.Store.Update(ctx, func(tx *store.Tx) error {
		err := fn(tx)
		wrote = tx.Wrote()
		return err
	})
	if err == nil && wrote {
		c.commits.Add(1)
	}
	return err
}

// An ask within an ask: both are opened, and both end. The reply that asks is stored with
// what it opens, and the answer to it with the end.
func TestAnAskWithinAnAskTakesFourCommits(t *testing.T) {
	var commits atomic.Int64
	Play(t, Team{Agents: []string{"CoordinatorBot", "DataBot"}, Script: `
agents:
  CoordinatorBot:
    - steps:
        - {call: contact_agent, args: {action: ask, agentId: DataBot, message: 'How much?'}}
        - say: 'It is {{result}}'
  DataBot: [{steps: [{say: '42'}]}]
`, Hub: func(c *app.HubConfig) { c.Store = tallied{c.Store, &commits} }}, func(s *Stage) {
		for range 2 { // the first time it also opens their conversations
			synctest.Wait()
			before := commits.Load()
			answer, err := s.Contacts.Ask(s.Context(), s.As("rutger").Caller, contact.Request{Target: "CoordinatorBot", Message: "Go."})
			s.Equal("error", nil, err)
			s.Equal("answer", "It is Response from DataBot: 42", answer.Text)
			synctest.Wait() // the asker hears of the end before the counter does
			s.Equal("commits", int64(4), commits.Load()-before)
		}
	})
}
