package turn

import (
	"context"
	"slices"
	"sync"

	"parley"
	"parley/internal/budget"
	"parley/internal/live"
	"parley/internal/model"
)

const (
	// usualOutput is how long a reply may be where a budget holds, unless the agent's
	// replies are longer.
	usualOutput = 4096
	// recentReplies is how many of them tell what is usual.
	recentReplies = 5
)

// Replies are the lengths of each agent's last replies, as far as this hub has seen
// them. After a restart a turn knows at least those of its own task.
type Replies struct {
	mu   sync.Mutex
	last map[parley.AgentID][]int64
}

func (r *Replies) add(agent parley.AgentID, output int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.last == nil {
		r.last = map[parley.AgentID][]int64{}
	}
	r.last[agent] = lastOf(r.last[agent], output)
}

func (r *Replies) of(agent parley.AgentID) []int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.last[agent])
}

// lastOf is a list of the last replies with one more.
func lastOf(list []int64, output int64) []int64 {
	list = append(list, output)
	return list[max(len(list)-recentReplies, 0):]
}

// countReply takes in how long a reply was, and whether the budget cut it off.
func (t *transcript) countReply(r model.Reply) {
	if t.cut = r.Cut; r.Cut == 0 {
		t.outputs = lastOf(t.outputs, r.Usage.Output)
	}
}

// usual is how long the next reply may be where the budget has more.
func (r *run) usual() int64 {
	known := r.Replies.of(r.lease.Agent)
	if len(known) < recentReplies {
		known = append(known, r.outputs...)
	}
	longest := int64(0)
	for _, n := range known {
		longest = max(longest, n)
	}
	return max(usualOutput, 2*longest)
}

// costOf is what a request may cost, for a reply that was cut off before at a limit, if
// there is one.
func (r *run) costOf(request model.Request, cut int64) budget.Call {
	q := model.QuoteOf(r.agent.Model, request)
	return budget.Call{Input: q.Input, InputCost: parley.Money(q.InputCost), Price: q.OutputPrice,
		Usual: r.usual(), Most: q.MaxOutput, Cut: cut, Firm: q.Firm}
}

// storeCut counts a reply that the budget's limit cut off. Nothing else is left of it:
// its model is asked again, with all that the budget has.
func (r *run) storeCut(ctx context.Context, reply model.Reply) error {
	r.publish(live.Restart, "")
	return r.storeSteps(ctx, draft{content: r.replyStep(model.Reply{Usage: reply.Usage, Cut: reply.Cut}), spent: r.spent(reply)})
}
