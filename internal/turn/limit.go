package turn

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"parley/internal/model"
	"parley/internal/tool"
)

const (
	// maxFailures is how many tool calls in a row may fail before a turn is
	// stopped: its model does not learn from the errors.
	maxFailures = 5
	// maxRepeats is how many rounds with the same agent may say the same before a
	// turn is stopped: the two go in circles.
	maxRepeats = 4
	// maxRounds is how many rounds with the same agent there may be in a row,
	// whatever is said.
	maxRounds = 12
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
	case c.repeats >= maxRepeats:
		return fmt.Sprintf("four rounds in a row did nothing but contact %s: the two seem to go in circles.", c.peer)
	case len(c.said) >= maxRounds:
		return fmt.Sprintf("twelve rounds in a row did nothing but contact %s: the two seem to go in circles.", c.peer)
	}
	return ""
}

// counts are what the limits of a turn are held against.
type counts struct {
	replies int
	// failures are those in a row: replies with a call that failed, and replies that
	// could not be used.
	failures int
	failed   bool   // the last reply is among them
	refused  bool   // the last failure was a refusal by the rate
	rejected string // what was wrong with the last reply; empty if it could be used

	peer    string     // whom the last reply contacted, if it did nothing else
	words   []string   // what it said
	said    [][]string // what was said in the row of rounds that only contacted peer
	repeats int        // how many of them said what the last one did
	counted bool       // the last reply is among them
}

// count counts what happened in the last turn.
func (t *transcript) count(tools []tool.Tool) (c counts) {
	for _, e := range t.past[t.began:] {
		switch {
		case e.stored != nil: // it arrived
		case e.Role == model.Assistant:
			c.addReply(onlyPeer(tools, e.Calls), e.Calls)
		case e.Role == model.User:
			c.failures, c.rejected = c.failures+1, e.Text
		case e.IsError:
			c.addFailure(e.refused)
		default:
			c.addSuccess()
		}
	}
	return c
}

// addReply takes in a reply. One that does anything but contact the same peer as
// those before it ends their row.
func (c *counts) addReply(peer string, calls []model.Call) {
	c.replies++
	if peer == "" || !strings.EqualFold(peer, c.peer) {
		c.said, c.repeats = nil, 0
	}
	c.peer, c.words = peer, nil
	if peer != "" {
		c.words = wordsOf(calls)
	}
	c.counted, c.failed, c.rejected = false, false, ""
}

// addFailure counts a call that failed, once for a reply: its model reads all of
// them together. Refusals by the rate in a row count once altogether. They say
// nothing about the calls, only that they come too early.
func (c *counts) addFailure(refused bool) {
	if !c.failed && (!refused || !c.refused) {
		c.failures, c.failed = c.failures+1, true
	}
	c.refused = refused
}

// addSuccess counts a call that did not fail. The first of a reply that only
// contacts makes it a round.
func (c *counts) addSuccess() {
	c.failures, c.failed, c.refused = 0, false, false
	if c.peer == "" || c.counted {
		return
	}
	c.counted, c.repeats = true, 1
	for _, before := range c.said {
		if sameWords(before, c.words) {
			c.repeats++
		}
	}
	c.said = append(c.said, c.words)
}

// wordsOf are the words of all texts in the arguments of calls, sorted.
func wordsOf(calls []model.Call) (words []string) {
	for _, call := range calls {
		var args any
		if json.Unmarshal(call.Args, &args) == nil {
			words = appendWords(words, args)
		}
	}
	slices.Sort(words)
	return words
}

func appendWords(words []string, v any) []string {
	switch v := v.(type) {
	case string:
		apart := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
		words = append(words, strings.FieldsFunc(strings.ToLower(v), apart)...)
	case float64: // a number in a context may be all that differs
		words = append(words, fmt.Sprint(v))
	case []any:
		for _, item := range v {
			words = appendWords(words, item)
		}
	case map[string]any:
		for _, item := range v { // in any order, since the words are sorted
			words = appendWords(words, item)
		}
	}
	return words
}

// sameWords reports whether two sorted lists have the same words but for a tenth.
func sameWords(a, b []string) bool {
	common := 0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch cmp.Compare(a[i], b[j]) {
		case -1:
			i++
		case 1:
			j++
		default:
			common, i, j = common+1, i+1, j+1
		}
	}
	return 10*common >= 9*max(len(a), len(b))
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
