package turn

import (
	"context"
	"errors"
	"sync"
	"time"

	"parley"
	"parley/internal/budget"
	"parley/internal/model"
	"parley/internal/store"
)

// consultTime bounds what a model is asked beside its turn: nobody waits longer for
// a topic or a summary, since both have something that takes their place.
const consultTime = 30 * time.Second

var errNoSideBudget = errors.New("the budget leaves nothing to ask beside the turn")

// sideSpending is what was spent beside the turn and not stored with a step yet.
// Calls that run at once share it.
type sideSpending struct {
	mu    sync.Mutex
	spent parley.Spending
}

func (s *sideSpending) add(u model.Usage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.spent = s.spent.Plus(parley.Spending{Input: u.Read(), Output: u.Output, Money: parley.Money(u.Cost)})
}

// take hands over what was spent, to be stored.
func (s *sideSpending) take() parley.Spending {
	s.mu.Lock()
	defer s.mu.Unlock()
	spent := s.spent
	s.spent = parley.Spending{}
	return spent
}

// sideSpent is what was spent beside the turn, and the time since the step before.
func (t *run) sideSpent() parley.Spending {
	spent := t.side.take()
	spent.Active = t.slot.read()
	return spent
}

// consult asks the agent's model something that is no step of its turn, within its
// budget. What it costs is stored with the next step.
func (t *run) consult(ctx context.Context, r model.Request) (model.Reply, error) {
	r.Agent = t.agent.Name
	ctx, cancel := context.WithTimeout(ctx, consultTime)
	defer cancel()
	if t.bounded() {
		if err := t.reserveSide(ctx, r); err != nil {
			return model.Reply{}, err
		}
	}
	reply, err := t.agent.Model.Step(ctx, r, nil)
	t.side.add(reply.Usage)
	return reply, err
}

// reserveSide holds what the model may need, as reserve does; where it does not
// fit, the turn does not wait for it.
func (t *run) reserveSide(ctx context.Context, r model.Request) error {
	most := model.Estimate(t.agent.Model, r)
	want := budget.Want{Tokens: most.Input + most.Output, Money: parley.Money(most.Cost)}
	return t.Store.Update(ctx, func(tx *store.Tx) error {
		account, err := t.account(tx)
		if err != nil {
			return err
		}
		task, _, err := t.fence(tx)
		if err != nil {
			return err
		}
		verdict, err := account.Judge(task.ID, want)
		if err == nil && verdict != budget.Fits {
			err = errNoSideBudget
		}
		if err != nil {
			return err
		}
		tx.Reserve(t.reservation(want))
		return nil
	})
}

func (t *run) reservation(w budget.Want) parley.Reservation {
	return parley.Reservation{Task: t.lease.Task, Root: t.lease.Budget, Team: t.lease.Team, Token: t.lease.Token,
		Turn: t.turn, Step: t.steps + 1, Tokens: w.Tokens, Money: w.Money}
}
