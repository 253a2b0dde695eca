package rulebook

import (
	"context"

	"parley"
	"parley/internal/access"
	"parley/internal/policy"
)

// Decisions are made about calls that wait for one. Package contact implements it.
type Decisions interface {
	// Decidable reads an approval, and refuses as Approve would.
	Decidable(ctx context.Context, c access.Caller, ref parley.ApprovalRef) (parley.Approval, error)
	Approve(ctx context.Context, c access.Caller, ref parley.ApprovalRef) (parley.Approval, error)
}

// Grants are the rules that let calls pass. Package reading implements it.
type Grants interface {
	// Grant is empty if no one rule does, and then says why.
	Grant(a parley.Approval) (grant policy.Grant, why string)
}

// Always writes the rule that lets a call pass from now on, as it was shown, and approves
// the call that waits. The rule comes first: if it cannot be written, the call still waits
// for a decision. It returns the name of the agent whose rule it is.
func (s *Service) Always(ctx context.Context, c access.Caller, ref parley.ApprovalRef, key, word string) (agent string, err error) {
	if err := s.peopleOnly(ctx, c, "always allow what "+ref.ID.String()+" is about"); err != nil {
		return "", err
	}
	a, err := s.Decisions.Decidable(ctx, c, ref)
	if err != nil {
		return "", err
	}
	switch grant, why := s.Grants.Grant(a); {
	case grant.Word == "":
		return "", parley.Errorf(parley.Conflict, "No one rule decides about such a call: %s", why).WithHint("Approve it this time.")
	case key != string(grant.Key) || word != grant.Word:
		return "", parley.Errorf(parley.Conflict, "The rule that would be written has changed meanwhile.").WithHint("Open the approval again.")
	}
	e, _ := s.dir.Entry(a.Agent) // it has a rule, so it is there
	unkeyed := c
	unkeyed.Key = "" // the key is the decision's; adding a word twice adds it once
	if _, err := s.Add(ctx, unkeyed, e.Name, key, []string{word}); err != nil {
		return "", err
	}
	if _, err := s.Decisions.Approve(ctx, c, ref); err != nil {
		return "", parley.Errorf(parley.KindOf(err), "The rule was written (%s %s), but this call was not approved: %s", key, word, parley.Public(err)).WithCause(err)
	}
	return e.Name, nil
}
