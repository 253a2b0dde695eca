package scenario

import (
	"parley"
	"parley/internal/contact"
	"parley/internal/store"
)

// DelegateWith hands work over with a budget.
func (p Participant) DelegateWith(b parley.Budget, target, message string) parley.TaskID {
	p.s.Helper()
	made, err := p.s.Contacts.Delegate(p.s.Context(), p.Caller, contact.Request{Target: target, Message: message, Budget: b})
	p.must(err)
	return made.Task.ID
}

// Raise adds to the budget of a task's tree.
func (p Participant) Raise(id parley.TaskID, by parley.Budget) {
	p.s.Helper()
	p.must(p.s.Contacts.RaiseBudget(p.s.Context(), p.Caller, id, by))
}

// Pause stops the team.
func (p Participant) Pause() {
	p.s.Helper()
	p.must(p.s.Contacts.Pause(p.s.Context(), p.Caller))
}

// Resume lets it go on.
func (p Participant) Resume() {
	p.s.Helper()
	p.must(p.s.Contacts.Resume(p.s.Context(), p.Caller))
}

// Account reads the budget of a tree.
func (s *Stage) Account(root parley.TaskID) (b parley.TreeBudget) {
	s.Helper()
	s.view(func(tx *store.Tx) (err error) { b, err = tx.Budget(root); return err })
	return b
}

// checkAccounts makes sure that what a tree with a budget has spent is what its
// steps have, each once, and that nothing is reserved any more.
func (s *Stage) checkAccounts(all []parley.Task) {
	s.Helper()
	for _, t := range all {
		if t.Budget != t.ID {
			continue
		}
		b := s.Account(t.ID)
		s.view(func(tx *store.Tx) error {
			spent, tasks, err := tx.SpentBelow(t.ID)
			for _, m := range all { // mentions draw on the budget of their cause
				if m.Budget == t.ID && m.Parent == 0 && m.ID != t.ID {
					more, n, _ := tx.SpentBelow(m.ID)
					spent, tasks = spent.Plus(more), tasks+n
				}
			}
			if spent != b.Spent || tasks != b.Tasks {
				s.Errorf("%s: its account says %+v, %d tasks; its steps say %+v, %d", t.ID, b.Spent, b.Tasks, spent, tasks)
			}
			if left, _ := tx.Reserved(t.ID, 0); left != (parley.Reservation{}) {
				s.Errorf("%s: %+v is still reserved", t.ID, left)
			}
			return err
		})
	}
}

// SetBudget says what a task's tree may spend in all.
func (p Participant) SetBudget(id parley.TaskID, limit parley.Budget) {
	p.s.Helper()
	p.must(p.s.Contacts.SetBudget(p.s.Context(), p.Caller, id, limit))
}
