package contact

import (
	"context"

	"parley"
	"parley/internal/policy"
	"parley/internal/store"
)

// Permit asks the rules about a tool call of the caller, and puts a refusal on
// record. Asking, delegating and notifying need no permit: open decides about
// them.
func (s *Service) Permit(ctx context.Context, c Caller, action string) error {
	who, target := s.partyOf(c.Agent), parley.AgentID(0)
	call := policy.Call{Action: action}
	if name := policy.Contacted(action); name != "" {
		e, err := s.dir.Find(c.Team, name)
		if err != nil {
			s.recordRefusal(ctx, c, 0, err, parley.EventToolRefused, refusalText(parley.Clip(action, 200), err))
			return err
		}
		to := e.Party()
		call, target = policy.Contacting(action, &to), e.ID
	}
	ruling := policy.Authorize(&who, call)
	err := c.judge(ruling, target)
	if err != nil && !c.waits(err) {
		s.recordRefusal(ctx, c, target, err, parley.EventToolRefused, parley.Clip(action, 200)+": "+ruling.Explained(err))
	}
	return err
}

// PermitOutside asks the rules about what somebody does through a door that a
// native agent has a tool for: the same action, the same decision. A turn's calls
// were decided about before they ran.
func (s *Service) PermitOutside(ctx context.Context, c Caller, category, detail string) error {
	if c.Token != 0 {
		return nil
	}
	return s.Permit(ctx, c, policy.Action(category, detail))
}

// ReadsGroup reports whether the rules let an agent read a group that it is in,
// without asking anybody.
func (s *Service) ReadsGroup(agent parley.AgentID, c parley.Channel) bool {
	who := s.partyOf(agent)
	return policy.Authorize(&who, policy.ReadIn(c.Name)).Verdict == policy.Allow
}

// judge is what a ruling means to the caller: one who has the approval that it
// wants needs no second one. What the rules deny by now is denied.
func (c Caller) judge(r policy.Ruling, target parley.AgentID) error {
	if r.Verdict == policy.NeedsApproval && c.Approved {
		return nil
	}
	err := r.Err()
	if need, ok := parley.AsNeedsApproval(err); ok {
		need.Target = target
	}
	return err
}

// waits reports whether the caller is going to wait for the approval or the budget
// that is wanted: then nothing was refused.
func (c Caller) waits(err error) bool {
	need, wanted := parley.AsNeedsApproval(err)
	if c.Token != 0 {
		return wanted || parley.IsBudgetSpent(err)
	}
	return wanted && need.Approval != 0
}

// party is a stored participant as the rules see it: with the rules that this
// hub has of it, and with none if it is another hub's.
func (s *Service) party(a parley.Agent) policy.Party {
	if e, ok := s.dir.Entry(a.ID); ok {
		return e.Party()
	}
	return policy.Party{Name: a.Name, Key: parley.FoldName(a.Name), Kind: a.Kind}
}

// stored is the party with this id, also one whom only other hubs know.
func (s *Service) stored(tx *store.Tx, id parley.AgentID) (policy.Party, error) {
	if e, ok := s.dir.Entry(id); ok {
		return e.Party(), nil
	}
	a, err := tx.Agent(id)
	return s.party(a), err
}

func (s *Service) partyOf(id parley.AgentID) policy.Party {
	e, _ := s.dir.Entry(id) // nobody, without rules, if it is not here
	return e.Party()
}
