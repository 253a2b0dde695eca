package turn

import (
	"strings"

	"parley/internal/model"
	"parley/internal/tool"
)

// maxRounds is how many replies in a row may do nothing but contact the same
// agent before a turn is stopped: the two go in circles.
const maxRounds = 4

// beginRound looks at a reply: one that does anything but contact the same agent
// again ends the row.
func (t *run) beginRound(reply model.Reply) {
	peer := t.onlyContacts(reply.Calls)
	if peer == "" || !strings.EqualFold(peer, t.peer) {
		t.rounds = 0
	}
	t.peer, t.counted = peer, false
}

// countRound counts the round when the first contact of its reply has come about.
// Those that fail are counted elsewhere.
func (t *run) countRound() {
	if t.peer != "" && !t.counted {
		t.rounds, t.counted = t.rounds+1, true
	}
}

// onlyContacts is the agent that all calls contact; empty if there is another
// call among them, or another agent.
func (t *run) onlyContacts(calls []model.Call) (peer string) {
	for _, c := range calls {
		to := t.contacted(c)
		if to == "" || peer != "" && !strings.EqualFold(to, peer) {
			return ""
		}
		peer = to
	}
	return peer
}

// contacted is whom a call contacts, as the model spells it; empty if nobody.
func (t *run) contacted(c model.Call) string {
	tl, ok := tool.Find(t.agent.Tools, c.Name)
	if !ok {
		return ""
	}
	return strings.TrimSpace(tl.Prepare(c.Args).Peer)
}
