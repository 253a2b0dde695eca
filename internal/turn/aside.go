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

// asideTime bounds what a model is asked beside its turn: nobody waits longer for
// a topic or a summary, since both have something that takes their place.
const asideTime = 30 * time.Second

var errNoAside = errors.New("the budget leaves nothing to ask beside the turn")

// asides is what was spent beside the turn and not stored with a step yet. Calls
// that run at once share it.
type asides struct {
	mu    sync.Mutex
	spent parley.Spending
}

func (a *asides) add(u model.Usage) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.spent = a.spent.Plus(parley.Spending{Input: u.Read(), Output: u.Output, Money: parley.Money(u.Cost)})
}

// take hands over what was spent, to be stored.
func (a *asides) take() parley.Spending {
	a.mu.Lock()
	defer a.mu.Unlock()
	spent := a.spent
	a.spent = parley.Spending{}
	return spent
}

// aside asks the agent's model something that is no step of its turn, within its
// budget. What it costs is stored with the next step.
func (t *run) aside(ctx context.Context, r model.Request) (model.Reply, error) {
	r.Agent = t.agent.Name
	ctx, cancel := context.WithTimeout(ctx, asideTime)
	defer cancel()
	if t.bounded() {
		if err := t.affordAside(ctx, r); err != nil {
			return model.Reply{}, err
		}
	}
	reply, err := t.agent.Model.Step(ctx, r, nil)
	t.asides.add(reply.Usage)
	return reply, err
}

// affordAside holds what the model may need, as reserve does; where it does not
// fit, the turn does not wait for it.
func (t *run) affordAside(ctx context.Context, r model.Request) error {
	most := model.Estimate(t.agent.Model, r)
	want := budget.Want{Tokens: most.Input + most.Output, Money: parley.Money(most.Cost)}
	return t.Store.Update(ctx, func(tx *store.Tx) error {
		account, err := t.account(tx)
		if err != nil {
			return err
		}
		task, err := t.fence(tx)
		if err != nil {
			return err
		}
		verdict, err := account.Judge(task.ID, want)
		if err == nil && verdict != budget.Fits {
			err = errNoAside
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
		Turn: t.number, Step: t.steps + 1, Tokens: w.Tokens, Money: w.Money}
}
