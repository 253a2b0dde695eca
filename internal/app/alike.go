package app

import (
	"parley/internal/config"
	"parley/internal/policy"
)

// alike is what members of a team share that are the same in it: a team may have a hundred
// thousand, of which nearly all have the same rules. It is for one goroutine at a time.
type alike struct {
	rules map[ruleKey]*policy.Rules
	names map[config.Model]string
}

// ruleKey is what the rules of an agent depend on that names nobody and has no patterns of
// its own.
type ruleKey struct{ manager, mode, behavior, preset string }

func newAlike() *alike {
	return &alike{rules: map[ruleKey]*policy.Rules{}, names: map[config.Model]string{}}
}

// rulesOf are the rules of an agent.
func (s *alike) rulesOf(a *config.Agent) (*policy.Rules, error) {
	if a.CanInvoke != nil || a.Contacts != nil || a.Profile.Own != nil {
		return a.Rules()
	}
	key := ruleKey{a.Manager, a.Mode, a.Behavior, a.Profile.Preset}
	if known := s.rules[key]; known != nil {
		return known, nil
	}
	made, err := a.Rules()
	if err == nil {
		s.rules[key] = made
	}
	return made, err
}

// nameOf is a model's name in the files.
func (s *alike) nameOf(m config.Model) string {
	name, known := s.names[m]
	if !known {
		name = m.String()
		s.names[m] = name
	}
	return name
}
