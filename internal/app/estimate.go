package app

import (
	"parley"
	"parley/internal/turn"
)

// FirstStep estimates what an agent's first step on a message costs at most; false if
// the price of its model is not known.
func (a *agents) FirstStep(agent parley.AgentID, message string) (parley.FirstStep, bool) {
	d, ok := a.find(agent)
	if !ok {
		return parley.FirstStep{}, false
	}
	return turn.FirstStep(d.now(), message)
}
