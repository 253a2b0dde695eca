package turn

import (
	"fmt"
	"strings"

	"parley/internal/model"
	"parley/internal/tool"
)

const (
	// maxFailures is how many tool calls in a row may fail before a turn is
	// stopped: its model does not learn from the errors.
	maxFailures = 5
	// maxRounds is how many replies in a row may do nothing but contact the same
	// agent before a turn is stopped: the two go in circles.
	maxRounds = 4
)

// stopReason is why the turn must not go on; empty if it may.
func (t *transcript) stopReason(a Agent) string {
	c := t.count(a.Tools)
	switch {
	case c.replies >= a.Limits.Steps:
		return fmt.Sprintf("the limit of %d steps in a turn is reached.", a.Limits.Steps)
	case c.failures >= maxFailures && c.rejected != "":
		return "five replies in a row could not be used. The last: " + c.rejected
	case c.failures >= maxFailures:
		return "five tool calls in a row failed."
	case c.rounds >= maxRounds:
		return fmt.Sprintf("four rounds in a row did nothing but contact %s: the two seem to go in circles.", c.peer)
	}
	return ""
}

// counts are what the limits of a turn are held against.
type counts struct {
	replies  int
	failures int    // in a row: calls that failed, and replies that could not be used
	rejected string // what was wrong with the last reply; empty if it could be used
	rounds   int    // replies in a row that only contacted peer
	peer     string
	counted  bool // the last of them is among them
}

// count counts what happened in the last turn.
func (t *transcript) count(tools []tool.Tool) (c counts) {
	for _, e := range t.past[t.began:] {
		switch {
		case e.stored != nil: // it arrived
		case e.Role == model.Assistant:
			c.addReply(onlyPeer(tools, e.Calls))
		case e.Role == model.User:
			c.failures, c.rejected = c.failures+1, e.Text
		case e.IsError:
			c.failures++
		default:
			c.addSuccess()
		}
	}
	return c
}

// addReply counts a reply that contacts nobody but the peer. One that does anything
// else ends the row.
func (c *counts) addReply(peer string) {
	c.replies++
	if peer == "" || !strings.EqualFold(peer, c.peer) {
		c.rounds = 0
	}
	c.peer, c.counted, c.rejected = peer, false, ""
}

// addSuccess counts a call that did not fail. The first of a reply that only
// contacts makes it a round.
func (c *counts) addSuccess() {
	c.failures = 0
	if c.peer != "" && !c.counted {
		c.rounds, c.counted = c.rounds+1, true
	}
}

// onlyPeer is the agent that all calls contact; empty if there is another call
// among them, or another agent.
func onlyPeer(tools []tool.Tool, calls []model.Call) (peer string) {
	for _, c := range calls {
		to := contacted(tools, c)
		if to == "" || peer != "" && !strings.EqualFold(to, peer) {
			return ""
		}
		peer = to
	}
	return peer
}

// contacted is whom a call contacts, as the model spells it; empty if nobody.
func contacted(tools []tool.Tool, c model.Call) string {
	tl, ok := tool.Find(tools, c.Name)
	if !ok {
		return ""
	}
	return strings.TrimSpace(tl.Prepare(c.Args).Peer)
}
