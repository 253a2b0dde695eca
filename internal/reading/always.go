package reading

import (
	"encoding/json"

	"parley"
	"parley/internal/policy"
)

// Actions names calls for the rules. Package app implements it.
type Actions interface {
	// ActionOf is empty if the agent has no such tool, or the tool contacts somebody.
	ActionOf(agent parley.AgentID, tool string, args json.RawMessage) string
}

// Grant finds the rule that would have let a call pass, or says why one rule cannot.
func (s *Service) Grant(a parley.Approval) (policy.Grant, string) {
	who, ok := s.dir.Entry(a.Agent)
	if !ok {
		return policy.Grant{}, "The agent is gone."
	}
	call, ok := s.callOf(a)
	if !ok {
		return policy.Grant{}, "No rule names this call alone."
	}
	party := who.Party()
	grant, err := policy.Always(&party, call)
	if err != nil {
		return policy.Grant{}, parley.Public(err)
	}
	return grant, ""
}

// callOf is the call of an approval as the rules see it.
func (s *Service) callOf(a parley.Approval) (policy.Call, bool) {
	action := ""
	if s.Actions != nil {
		action = s.Actions.ActionOf(a.Agent, a.Tool, json.RawMessage(a.Args))
	}
	if a.Target == 0 {
		return policy.Call{Action: action}, action != ""
	}
	e, ok := s.dir.Entry(a.Target)
	to := e.Party()
	switch {
	case !ok:
		return policy.Call{}, false
	case action == "":
		return policy.Send(&to), true
	case policy.Contacted(action) == "":
		return policy.Call{}, false
	}
	return policy.Contacting(action, &to), true
}
