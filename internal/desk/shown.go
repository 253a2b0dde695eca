package desk

import (
	"context"
	"slices"
	"sync"
	"time"

	"parley"
	"parley/internal/access"
	"parley/internal/store"
)

// storeShown is how long what was shown may wait to be stored as seen.
const storeShown = 20 * time.Millisecond

// shown is what callers have read in the results of their calls, such as the answer to an
// ask, and what is not yet stored as seen. Storing it is not on the path of the call: it
// would be a commit of its own, and if the hub dies before, the message comes again. To its
// reader it counts as seen at once.
type shown struct {
	storing sync.Mutex // held while some of it is stored

	mu   sync.Mutex
	ids  map[parley.AgentID][]parley.MessageID
	soon bool // somebody is going to store it
}

// Shown notes that the caller has read messages in the result of a call.
func (s *Service) Shown(c access.Caller, ids []parley.MessageID) {
	if len(ids) == 0 {
		return
	}
	s.shown.mu.Lock()
	defer s.shown.mu.Unlock()
	if s.shown.ids == nil {
		s.shown.ids = map[parley.AgentID][]parley.MessageID{}
	}
	s.shown.ids[c.Agent] = append(s.shown.ids[c.Agent], ids...)
	if !s.shown.soon {
		s.shown.soon = true
		time.AfterFunc(storeShown, s.Settle)
	}
}

// by is what a caller was shown that is not yet stored as seen.
func (h *shown) by(agent parley.AgentID) []parley.MessageID {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.ids[agent])
}

// take is all of it. It stays until it is stored.
func (h *shown) take() map[parley.AgentID]int {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.soon = false
	n := make(map[parley.AgentID]int, len(h.ids))
	for agent, ids := range h.ids {
		n[agent] = len(ids)
	}
	return n
}

// drop forgets the first of each caller, which are stored.
func (h *shown) drop(n map[parley.AgentID]int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for agent, stored := range n {
		if h.ids[agent] = h.ids[agent][stored:]; len(h.ids[agent]) == 0 {
			delete(h.ids, agent)
		}
	}
}

// Settle stores what was shown. The hub calls it when it stops.
func (s *Service) Settle() {
	s.shown.storing.Lock()
	defer s.shown.storing.Unlock()
	n := s.shown.take()
	if len(n) == 0 {
		return
	}
	err := s.store.Update(context.Background(), func(tx *store.Tx) error {
		for agent, count := range n {
			for _, id := range s.shown.by(agent)[:count] {
				tx.MarkSeen(id, agent)
			}
		}
		return nil
	})
	if err != nil {
		s.log.Warn("what was shown could not be stored as seen; it comes again", "error", err)
	}
	s.shown.drop(n)
}

// settled returns once all that the caller was shown is stored, before it is handed
// anything out.
func (s *Service) settled(c access.Caller) {
	if len(s.shown.by(c.Agent)) > 0 {
		s.Settle()
	}
}
