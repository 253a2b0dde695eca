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
func (r *run) sideSpent() parley.Spending {
	spent := r.side.take()
	spent.Active = r.slot.read()
	return spent
}

// consult asks the agent's model something that is no step of its turn, within its
// budget. What it costs is stored with the next step.
func (r *run) consult(ctx context.Context, request model.Request) (model.Reply, error) {
	request.Agent = r.agent.Name
	ctx, cancel := context.WithTimeout(ctx, consultTime)
	defer cancel()
	if r.bounded() {
		limit, err := r.reserveSide(ctx, request)
		if err != nil {
			return model.Reply{}, err
		}
		request.MaxOutput = limit
	}
	reply, err := r.agent.Model.Step(ctx, request, nil)
	r.side.add(reply.Usage)
	var e *model.Error
	if errors.As(err, &e) {
		r.side.add(e.Usage)
	}
	if err == nil && reply.Cut > 0 {
		err = errNoSideBudget
	}
	return reply, err
}

// reserveSide holds what the model may need, as reserve does; where it does not
// fit, the turn does not wait for it.
func (r *run) reserveSide(ctx context.Context, request model.Request) (limit int64, err error) {
	call := r.costOf(request, 0)
	err = r.Store.Update(ctx, func(tx *store.Tx) error {
		account, err := r.account(tx)
		if err != nil {
			return err
		}
		task, _, err := r.fence(tx)
		if err != nil {
			return err
		}
		grant, err := account.Allot(task.ID, call)
		if err == nil && grant.Verdict != budget.Fits {
			err = errNoSideBudget
		}
		if err != nil {
			return err
		}
		limit = grant.Output
		tx.Reserve(r.reservation(grant.Want))
		return nil
	})
	return limit, err
}

func (r *run) reservation(w budget.Want) parley.Reservation {
	return parley.Reservation{Task: r.lease.Task, Root: r.lease.Budget, Team: r.lease.Team, Token: r.lease.Token,
		Turn: r.turn, Step: r.steps + 1, Tokens: w.Tokens, Money: w.Money}
}
