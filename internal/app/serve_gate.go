package app

import (
	"parley"
	"parley/internal/gate"
)

// newGate makes what requests pass first. own is the token of the hub's command line.
func (s *serving) newGate(own string) *gate.Gate {
	g := gate.New(gate.Config{Store: s.store, Log: s.cfg.Log, Host: hostOf(s.cfg.Listen), Known: s.hub.knows})
	g.Trust(own)
	return g
}

// knows reports whether the files of this hub have a participant. On a database that
// several hubs share, somebody who was removed here may still be in the files of
// another hub; and this one would not know the rules for somebody who is only there.
func (h *Hub) knows(id parley.AgentID) bool {
	e, ok := h.Directory.Entry(id)
	return ok && !e.Retired
}
