package turn

import (
	"context"

	"parley"
	"parley/internal/model"
	"parley/internal/store"
	"parley/internal/tool"
)

// changes are what the call that runs now does to files. They are stored before they
// are made, and settled together with the result of the call.
type changes struct {
	begun []parley.ChangeID
	// marker stands for whatever a command may change, until it is known.
	marker parley.ChangeID
	known  bool
}

// startCall stores what has to be stored before a call runs: that it begins, unless it
// replays, and what is not stored yet. A contact stores that itself, with what it opens.
func (r *run) startCall(ctx context.Context, call model.Call, tl tool.Tool) (context.Context, error) {
	switch {
	case !tl.Replays:
		return ctx, r.storeStart(ctx, call, tl.Commands)
	case r.unstored.empty():
		return ctx, nil
	case tl.Opens && !r.bounded():
		return store.WithBeside(ctx, beside{r}), nil
	default:
		return ctx, r.flush(ctx)
	}
}

// storeStart stores that a call begins, and of a command that nobody knows what it
// changes.
func (r *run) storeStart(ctx context.Context, call model.Call, commands bool) error {
	r.changes = changes{}
	if !commands {
		return r.storeSteps(ctx, draft{content: started{Call: call.ID}})
	}
	return r.storeSteps(ctx, draft{build: func(tx *store.Tx, _ *parley.Task) (content, error) {
		c := r.changeOf(parley.Change{State: parley.ChangeBegun, Place: parley.InWorkspace, Command: true,
			Doubt: "the command was interrupted, and nobody looked at what it had changed"}, call)
		tx.InsertChange(&c)
		r.changes.marker = c.ID
		return started{Call: call.ID}, nil
	}})
}

func (r *run) changeOf(c parley.Change, call model.Call) parley.Change {
	c.Team, c.Task, c.Turn, c.Call, c.Agent = r.lease.Team, r.lease.Task, r.turn, call.ID, r.lease.Agent
	return c
}

// changing stores changes under the lease, before they are made.
func (r *run) changing(ctx context.Context, call model.Call) func(...parley.Change) error {
	return func(list ...parley.Change) error {
		return r.update(ctx, func(tx *store.Tx) error {
			if _, _, err := r.fence(tx); err != nil {
				return err
			}
			r.changes.begun = nil
			for _, c := range list {
				c = r.changeOf(c, call)
				tx.InsertChange(&c)
				r.changes.begun = append(r.changes.begun, c.ID)
			}
			return nil
		})
	}
}

// commanded stores what a command has changed. It did so even if the turn has lost its
// lease meanwhile. That it changed nothing is stored with its result, if there is one.
func (r *run) commanded(ctx context.Context, call model.Call) func(context.Context, []parley.Change) error {
	return func(lasting context.Context, list []parley.Change) error {
		r.changes.known = true
		if len(list) == 0 && ctx.Err() == nil {
			return nil
		}
		return r.retry(lasting, func() error {
			return r.Store.Update(lasting, func(tx *store.Tx) error {
				for _, c := range list {
					c = r.changeOf(c, call)
					tx.InsertChange(&c)
				}
				tx.DropChange(r.changes.marker)
				return nil
			})
		})
	}
}

// settleChanges belongs to the result of a call. After a failure the files say what was
// made.
func (r *run) settleChanges(tx *store.Tx, failed bool) {
	if r.changes.marker != 0 && r.changes.known {
		tx.DropChange(r.changes.marker)
	}
	for _, id := range r.changes.begun {
		if !failed {
			tx.SettleChange(id)
		}
	}
}
