package scenario

import (
	"encoding/json"

	"parley"
	"parley/internal/access"
	"parley/internal/store"
)

// Approve lets a call run that waits for a decision.
func (p Participant) Approve(id parley.ApprovalID) {
	p.s.Helper()
	p.must(p.s.approve(p.Caller, id))
}

// Deny refuses it.
func (p Participant) Deny(id parley.ApprovalID, reason string) {
	p.s.Helper()
	p.must(p.s.deny(p.Caller, id, reason))
}

// Shown names an approval as somebody does who was shown it.
func (s *Stage) Shown(id parley.ApprovalID) parley.ApprovalRef {
	s.Helper()
	a := s.Approval(id)
	return parley.ApprovalRef{ID: id, Letters: a.Letters, Digest: a.ShortDigest()}
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

// approve and deny decide as anybody: people by the number alone, everybody else as
// one who was shown the approval.
func (s *Stage) approve(c access.Caller, id parley.ApprovalID) error {
	s.Helper()
	_, err := s.Contacts.Approve(s.Context(), c, s.named(c, id))
	return err
}

func (s *Stage) deny(c access.Caller, id parley.ApprovalID, reason string) error {
	s.Helper()
	_, err := s.Contacts.Deny(s.Context(), c, s.named(c, id), reason)
	return err
}

func (s *Stage) named(c access.Caller, id parley.ApprovalID) parley.ApprovalRef {
	s.Helper()
	if e, _ := s.Directory.Entry(c.Agent); e.Kind == parley.Person {
		return parley.ApprovalRef{ID: id}
	}
	return s.Shown(id)
}
