package reading

import (
	"context"
	"encoding/json"
	"errors"

	"parley"
	"parley/internal/access"
	"parley/internal/store"
)

// Approval is an approval with a description.
type Approval struct {
	parley.Approval
	// Wants says in one line what the agent wants to do.
	Wants string
	// Decides says whether the caller may decide about it.
	Decides bool
	// Made is the task of a contact from outside, once it has been made.
	Made parley.TaskID
}

// Approvals lists pending approvals, oldest first; with all also decided ones, newest
// first. People see those of their team, an agent its own and those that it may
// decide.
func (s *Service) Approvals(ctx context.Context, c access.Caller, all bool, limit int) (list []Approval, err error) {
	err = s.store.View(ctx, func(tx *store.Tx) error {
		read := tx.PendingApprovals
		if all {
			read = tx.Approvals
		}
		found, err := read(c.Team, max(limit, maxScanned))
		if err != nil {
			return err
		}
		list, err = s.readable(tx, c, found)
		return err
	})
	return list[:min(len(list), limit)], err
}

// maxScanned is how many approvals are searched for those that the caller may see.
const maxScanned = 1000

// Deciding lists what waits for the caller's decision, oldest first.
func (s *Service) Deciding(ctx context.Context, c access.Caller, limit int) (list []Approval, err error) {
	all, err := s.Approvals(ctx, c, false, limit)
	for _, a := range all {
		if a.Decides {
			list = append(list, a)
		}
	}
	return list, err
}

func (s *Service) Approval(ctx context.Context, c access.Caller, id parley.ApprovalID) (out Approval, err error) {
	err = s.store.View(ctx, func(tx *store.Tx) error {
		a, err := tx.Approval(id)
		if err != nil {
			return orMissing(err, false, id)
		}
		list, err := s.readable(tx, c, []parley.Approval{a})
		if err == nil && len(list) == 0 {
			return missing(id)
		}
		if err == nil {
			out = list[0]
		}
		return err
	})
	return out, err
}

// TaskApprovals reads the pending approvals of a task.
func (s *Service) TaskApprovals(ctx context.Context, c access.Caller, id parley.TaskID) (list []Approval, err error) {
	err = s.store.View(ctx, func(tx *store.Tx) error {
		t, err := tx.Task(id)
		if err := orMissing(err, s.seesTask(c, t), id); err != nil || t.Approvals == 0 {
			return err
		}
		found, err := tx.ApprovalsOf(id)
		if err != nil {
			return err
		}
		var pending []parley.Approval
		for _, a := range found {
			if a.State == parley.ApprovalPending {
				pending = append(pending, a)
			}
		}
		list, err = s.readable(tx, c, pending)
		return err
	})
	return list, err
}

// readable returns what the caller may see.
func (s *Service) readable(tx *store.Tx, c access.Caller, found []parley.Approval) ([]Approval, error) {
	list := make([]Approval, 0, len(found))
	for _, a := range found {
		may, err := s.access.MayDecide(tx, c, a)
		if err != nil {
			return nil, err
		}
		sees, err := s.sees(tx, c, a)
		if err != nil {
			return nil, err
		}
		if !may && !sees {
			continue
		}
		target, err := s.nameIn(tx, a.Target)
		if err != nil {
			return nil, err
		}
		made, err := madeTask(tx, a.Message)
		if err != nil {
			return nil, err
		}
		list = append(list, Approval{Approval: a, Wants: wants(a, target), Decides: may, Made: made})
	}
	return list, nil
}

// sees reports whether an approval is shown to the caller although it does not
// decide about it.
func (s *Service) sees(tx *store.Tx, c access.Caller, a parley.Approval) (bool, error) {
	if a.Team == c.Team && a.Agent == c.Agent {
		return true, nil
	}
	return s.access.Oversees(tx, c, a)
}

// madeTask is the task of the contact that was made; 0 if there is none, or if it has
// been removed.
func madeTask(tx *store.Tx, contact parley.MessageID) (parley.TaskID, error) {
	if contact == 0 {
		return 0, nil
	}
	m, err := tx.Message(contact)
	if errors.Is(err, store.ErrNotFound) {
		return 0, nil
	}
	return m.Task, err
}

// nameIn is Name within a transaction.
func (s *Service) nameIn(tx *store.Tx, id parley.AgentID) (string, error) {
	if e, ok := s.dir.Entry(id); ok || id == 0 {
		return e.Name, nil
	}
	a, err := tx.Agent(id)
	return a.Name, err
}

// wants describes a call in one line. All toolsets pass the text of a contact as
// message or task, and its pattern as action.
func wants(a parley.Approval, target string) string {
	var args struct{ Action, Message, Task string }
	_ = json.Unmarshal([]byte(a.Args), &args) // other arguments are shown as they are
	text := args.Message
	if text == "" {
		text = args.Task
	}
	if target == "" || text == "" {
		return parley.Clip(a.Tool+" "+a.Args, 200)
	}
	how := args.Action
	if how == "" {
		how = a.Tool
	}
	return parley.Clip(how+" "+target+": "+text, 200)
}
