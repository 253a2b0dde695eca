package reading

import (
	"context"
	"errors"

	"parley"
	"parley/internal/access"
	"parley/internal/policy"
	"parley/internal/store"
)

// Approval is an approval with a description.
type Approval struct {
	parley.Approval
	// Name is its id, whole unless the caller is the agent that wants it: what that
	// one cannot know, it cannot put into a request of its own making.
	Name string
	// Wants says in one line what the agent wants to do.
	Wants string
	// Left is how many characters of the arguments that line leaves out.
	Left int
	// Decides says whether the caller may decide about it.
	Decides bool
	// Made is the task of a contact from outside, once it has been made.
	Made parley.TaskID
	// Always is the one rule that decides calls like this from now on. Where there is
	// none, NotAlways says why. Only a person who may decide now reads them.
	Always    policy.Grant
	NotAlways string
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

// MayDecide reports whether an approval is among those that the caller decides about, for
// whoever follows the record within a transaction.
func (s *Service) MayDecide(tx *store.Tx, c access.Caller, a parley.Approval) (bool, error) {
	return s.access.MayDecide(tx, c, a)
}

// Approval reads one approval.
func (s *Service) Approval(ctx context.Context, c access.Caller, ref parley.ApprovalRef) (out Approval, err error) {
	err = s.store.View(ctx, func(tx *store.Tx) error {
		a, err := tx.Approval(ref.ID)
		if err != nil {
			return orMissing(err, false, ref.ID)
		}
		if a.Contradicts(parley.ApprovalRef{Letters: ref.Letters}) {
			return missing(ref.ID)
		}
		list, err := s.readable(tx, c, []parley.Approval{a})
		if err == nil && len(list) == 0 {
			return missing(ref.ID)
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
		name := a.Name()
		if a.Agent == c.Agent {
			name = a.ID.String()
		}
		line, left := wants(a, target)
		approval := Approval{Approval: a, Name: name, Wants: line, Left: left, Decides: may, Made: made}
		if may && a.State == parley.ApprovalPending && s.seesAll(c) {
			approval.Always, approval.NotAlways = s.Grant(a)
		}
		list = append(list, approval)
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
