package turn

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"parley"
	"parley/internal/model"
	"parley/internal/tool"
)

// A task that, on results from an agent, does nothing but delegate to it again may go
// round for ever at its own pace: each turn is short, and none goes in circles by
// itself. So the rounds are counted over all turns of the task, and after a number of
// them people are asked whether it may go on. The answer to a question is a result, and
// so is that nobody answered it.

// passRounds reports whether the calls of the last reply may run. If they would be one
// round too many, the first of them is held until a person has decided.
func (r *run) passRounds(ctx context.Context) (bool, error) {
	i := slices.IndexFunc(r.pending, func(p pendingCall) bool { return p.round })
	if i >= 0 {
		return r.roundDecided(ctx, r.pending[i].Call)
	}
	c := r.rounds(r.agent.Tools)
	if c.n <= r.agent.Limits.Rounds {
		return true, nil
	}
	need := &parley.NeedsApproval{Rule: "rounds", Reason: c.reason(r.agent.Limits.Rounds) +
		fmt.Sprintf(" Approving allows %d more; denying fails the task.", r.agent.Limits.Rounds)}
	return false, r.hold(ctx, r.pending[0].Call, need, true)
}

// roundDecided runs the held call if a person has allowed more rounds.
func (r *run) roundDecided(ctx context.Context, call model.Call) (bool, error) {
	decided, _, err := r.decisions(ctx)
	if err != nil {
		return false, err
	}
	switch a := decided[call.ID]; a.State {
	case parley.ApprovalPending:
		return false, nil
	case parley.ApprovalApproved:
		return true, r.runDecided(ctx, call, a)
	default:
		c := r.rounds(r.agent.Tools)
		why := c.reason(r.agent.Limits.Rounds) + " Going on was not approved."
		if a.Comment != "" {
			why += " " + parley.Quote(a.Comment)
		}
		return false, &stopped{reason: why}
	}
}

// stopped says that the task must not go on.
type stopped struct{ reason string }

func (e *stopped) Error() string { return e.reason }

// roundCount is how often a task, on results, did nothing but contact again those who
// sent them.
type roundCount struct {
	n     int
	peers []string // whom the last reply contacts
	asks  bool     // the last results were answers to questions

	from map[string]bool // who sent the last results, or was asked for them
	news bool            // nothing was called since they came
	// answered are the questions of which an answer was counted. All answers to a
	// question are one result: of the many who answer a question to all, each may be
	// asked something in return, and nobody goes in circles.
	answered map[parley.QuestionID]bool
}

// rounds counts the replies in a row that, on results from agents, only contacted these
// again, up to the last reply, and whom that contacts. Several such replies on the same
// results are one round. Those before the last decision of a person do not count.
func (t *transcript) rounds(tools []tool.Tool) roundCount {
	last := slices.IndexFunc(t.pending, func(p pendingCall) bool { return addressed(tools, p.Call) == "" })
	if last >= 0 || len(t.pending) == 0 {
		return roundCount{} // it does something else, which ends the row
	}
	c := roundCount{from: map[string]bool{}, answered: map[parley.QuestionID]bool{}}
	for i, e := range t.past {
		if i == t.roundHeld {
			c.n = min(c.n, 1)
		}
		switch {
		case e.stored != nil && e.stored.isResult():
			c.take(e.stored)
		case e.stored != nil || e.Role != model.Assistant || len(e.Calls) == 0:
		default:
			c.reply(tools, e.Calls)
		}
	}
	if t.roundHeld == len(t.past) {
		c.n = min(c.n, 1)
	}
	return c
}

// isResult reports whether a message says what came of a contact.
func (l *letter) isResult() bool {
	switch l.Kind {
	case parley.ResultMessage, parley.FailureMessage, parley.AnswerMessage, parley.UnansweredMessage:
		return true
	}
	return false
}

// take takes in a result. Those that come before the next calls belong together. An
// answer is also from the one who was asked, if somebody else has given it.
func (c *roundCount) take(l *letter) {
	if !c.answered[l.Question] {
		if !c.news {
			clear(c.from)
			c.asks = true
		}
		c.news = true
	}
	c.from[parley.FoldName(l.from)] = true
	if l.Question == 0 {
		c.asks = false
		return
	}
	c.answered[l.Question], c.from[parley.FoldName(l.asked)] = true, true
}

// reply takes in the calls of a reply.
func (c *roundCount) reply(tools []tool.Tool, calls []model.Call) {
	c.peers = contactedOf(tools, calls, c.from)
	switch {
	case c.peers == nil:
		c.n = 0
	case c.news:
		c.n++
	}
	c.news = false
}

func (c *roundCount) reason(limit int) string {
	who := strings.Join(c.peers, " and ")
	if c.asks {
		return fmt.Sprintf("%d rounds did nothing but ask %s again on the answers.", limit, strings.Replace(who, everyone, "all agents", 1))
	}
	return fmt.Sprintf("%d rounds did nothing but delegate to %s again on its results.", limit, who)
}

// everyone stands for all agents. It is no name that anybody can have.
const everyone = "*"

// addressed is whom a call contacts, everyone if it asks all; empty if nobody.
func addressed(tools []tool.Tool, c model.Call) string {
	tl, ok := tool.Find(tools, c.Name)
	if !ok {
		return ""
	}
	ready := tl.Prepare(c.Args)
	if ready.All {
		return everyone
	}
	return strings.TrimSpace(ready.Peer)
}

// contactedOf are those whom calls contact, if all of them contact some of these; nil
// otherwise. A call that asks everyone asks these too.
func contactedOf(tools []tool.Tool, calls []model.Call, these map[string]bool) (names []string) {
	if len(these) == 0 { // the arguments of the calls need not be read
		return nil
	}
	for _, c := range calls {
		name := addressed(tools, c)
		if !these[parley.FoldName(name)] && name != everyone {
			return nil
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}
