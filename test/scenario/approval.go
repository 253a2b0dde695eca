package scenario

import (
	"encoding/json"

	"parley"
	"parley/internal/store"
)

// Approve lets a call run that waits for a decision.
func (p Participant) Approve(id parley.ApprovalID) {
	p.s.Helper()
	p.must(p.s.Contacts.Approve(p.s.Context(), p.Caller, id))
}

// Deny refuses it.
func (p Participant) Deny(id parley.ApprovalID, reason string) {
	p.s.Helper()
	p.must(p.s.Contacts.Deny(p.s.Context(), p.Caller, id, reason))
}

// Approval reads an approval.
func (s *Stage) Approval(id parley.ApprovalID) (a parley.Approval) {
	s.Helper()
	s.view(func(tx *store.Tx) (err error) { a, err = tx.Approval(id); return err })
	return a
}

// Held are the placeholder texts of calls that wait for a decision.
func (s *Stage) Held(id parley.TaskID) (list []string) {
	s.Helper()
	for _, step := range s.Steps(id) {
		var h struct{ Text string }
		if step.Kind == parley.StepHeld {
			if err := json.Unmarshal(step.Content, &h); err != nil {
				s.Fatal(err)
			}
			list = append(list, h.Text)
		}
	}
	return list
}
