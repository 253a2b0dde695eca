package reading

import (
	"context"

	"parley"
	"parley/internal/access"
	"parley/internal/policy"
)

// Explanation is what the rules say about a call, and why.
type Explanation struct {
	From, To string // To is empty if the call contacts nobody
	Action   string // tool:<category>:<detail>
	policy.Ruling
}

// Explain says what the rules would decide if a participant did something: ask,
// delegate, notify, or a tool's action. People may ask about anyone in their team, an
// agent only about itself. An empty from is the caller.
func (s *Service) Explain(ctx context.Context, c access.Caller, from, to, action string) (Explanation, error) {
	e, err := s.explain(c, from, to, action)
	return e, s.access.RecordDenied(ctx, c, "explain", err)
}

func (s *Service) explain(c access.Caller, from, to, action string) (Explanation, error) {
	who, ok := s.dir.Entry(c.Agent)
	if from != "" || !ok {
		var err error
		if who, err = s.dir.Find(c.Team, from); err != nil {
			return Explanation{}, err
		}
	}
	if who.ID != c.Agent && !s.seesAll(c) {
		return Explanation{}, parley.Errorf(parley.Denied, "Only people may ask about the rules of others.").WithRule(access.RulePeopleOnly).
			WithHint("Ask about your own.")
	}
	call, err := s.call(c, to, action)
	if err != nil {
		return Explanation{}, err
	}
	party := who.Party()
	e := Explanation{From: who.Name, Action: call.Action, Ruling: policy.Explain(&party, call)}
	if call.To != nil {
		e.To = call.To.Name
	}
	return e, nil
}

// call builds the call that is asked about. An action that names its target needs no
// other name, and an action that contacts nobody may not have one.
func (s *Service) call(c access.Caller, to, action string) (policy.Call, error) {
	if _, err := parley.ParsePattern(action); err == nil {
		target, err := s.target(c, to)
		return policy.Send(target), err
	}
	if err := policy.CheckAction(action); err != nil {
		return policy.Call{}, err
	}
	name := policy.Contacted(action)
	switch {
	case name == "" && to == "":
		return policy.Call{Action: action}, nil
	case name == "":
		return policy.Call{}, parley.Errorf(parley.Conflict, "%s contacts nobody, so there is no place for %s.", parley.Clip(action, 80), to).
			WithHint("Leave the name out; the command line takes - for it.")
	case to != "" && parley.FoldName(to) != parley.FoldName(name):
		return policy.Call{}, parley.Errorf(parley.Conflict, "%s contacts %s, not %s.", parley.Clip(action, 80), name, to)
	}
	target, err := s.target(c, name)
	if err != nil {
		return policy.Call{}, err
	}
	return policy.Contacting(action, target), nil
}

func (s *Service) target(c access.Caller, name string) (*policy.Party, error) {
	if name == "" {
		return &policy.Party{}, parley.Errorf(parley.NotFound, "It is not said who would be contacted.").WithHint("Name an agent or a person.")
	}
	e, err := s.dir.Find(c.Team, name)
	party := e.Party()
	return &party, err
}
