package provider

import "parley/internal/model"

var _ model.Limited = (*Model)(nil)

// Quote implements model.Limited.
func (m *Model) Quote(req model.Request) (model.Quote, bool) {
	q := model.Quote{Input: model.AtMost(req), MaxOutput: int64(m.output)}
	if p := m.entry.Price; p != nil {
		q.InputCost, q.OutputPrice = p.Cost(model.Usage{Input: q.Input}), p.Output
	}
	return q, true
}

// bound is the longest reply to a request, in tokens; 0 leaves it to the provider.
func (m *Model) bound(req model.Request) int {
	limit, most := int(req.MaxOutput), m.longestReply()
	if limit > 0 && (most == 0 || limit < most) {
		return limit
	}
	return most
}

// cutByLimit reports whether a reply ended at the limit of its request, and not at
// what the model or its window allows: then it is shorter, and asking again with a
// higher limit does not help.
func (m *Model) cutByLimit(d *draft, req model.Request) bool {
	limit := int64(m.bound(req))
	if d.end != cut || limit == 0 || limit != req.MaxOutput || limit == int64(m.longestReply()) {
		return false
	}
	const share = 10 // providers do not count the last tokens alike
	return d.usage.Output == 0 || d.usage.Output >= limit-limit/share
}

// cutReply is what is left of a reply that was cut: what it consumed. A server that
// does not count has written up to the limit.
func (m *Model) cutReply(u model.Usage, req model.Request) model.Reply {
	if u.Output == 0 {
		u.Output = req.MaxOutput
		u.Cost = max(u.Cost, m.entry.Price.Cost(u))
	}
	return model.Reply{Usage: u, Cut: req.MaxOutput}
}
