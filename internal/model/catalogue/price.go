package catalogue

import (
	"math"

	"charm.land/catwalk/pkg/catwalk"

	"parley/internal/model"
)

// Price is in dollars for a million tokens, which is the same as millionths of
// a dollar for one token.
type Price struct {
	Input, Output         float64
	CacheRead, CacheWrite float64
}

// Cost is what a step costs, in millionths of a dollar, rounded up: for a
// budget, too much is safer than too little.
func (p *Price) Cost(u model.Usage) int64 {
	if p == nil {
		return 0
	}
	sum := p.Input*float64(u.Input) + p.Output*float64(u.Output) +
		p.CacheRead*float64(u.CacheRead) + p.CacheWrite*float64(u.CacheWrite)
	return int64(math.Ceil(sum - 1e-6)) // not one more for a rounding error
}

// priceOf reads the prices of the list. Its two prices for cached tokens do not
// always mean the same. For Anthropic the first is for writing to the cache and
// the second for reading; for older models of OpenAI both are for reading; for
// some of Gemini's the second is for all output. Reading from a cache is always
// cheaper than reading anew, and writing never is, so the figures themselves
// tell. Tokens without a price of their own cost as much as other input.
func priceOf(m catwalk.Model) *Price {
	if m.CostPer1MIn == 0 && m.CostPer1MOut == 0 {
		return nil
	}
	p := &Price{Input: m.CostPer1MIn, Output: m.CostPer1MOut, CacheRead: m.CostPer1MIn, CacheWrite: m.CostPer1MIn}
	for _, cached := range []float64{m.CostPer1MInCached, m.CostPer1MOutCached} {
		if cached > 0 && cached < p.CacheRead {
			p.CacheRead = cached
		}
	}
	if m.CostPer1MInCached > m.CostPer1MIn {
		p.CacheWrite = m.CostPer1MInCached
	}
	return p
}
