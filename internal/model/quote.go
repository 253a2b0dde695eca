package model

import "math"

// Limited is a Model whose replies can be kept short: it obeys Request.MaxOutput.
type Limited interface {
	// Quote is what a step may consume; false if this one cannot be kept short.
	Quote(req Request) (Quote, bool)
}

// Quote is what one step may consume. What its reply costs depends on how long it is
// allowed to be.
type Quote struct {
	Input     int64 // tokens, at most
	InputCost int64 // in millionths of a US dollar
	// MaxOutput is the longest reply that the model gives; 0 is unknown.
	MaxOutput int64
	// OutputPrice is that of one token of the reply, in millionths of a US dollar.
	OutputPrice float64
	// Firm says that the reply cannot be kept short: it may need all of MaxOutput.
	Firm bool
}

// QuoteOf is what a step of any model may consume.
func QuoteOf(m Model, req Request) Quote {
	if l, ok := m.(Limited); ok {
		if q, ok := l.Quote(req); ok {
			return q
		}
	}
	most := Estimate(m, req)
	return Quote{Input: most.Input, InputCost: most.Cost, MaxOutput: most.Output, Firm: true}
}

// Cost is what a step with so long a reply costs at most.
func (q Quote) Cost(output int64) int64 {
	return q.InputCost + int64(math.Ceil(q.OutputPrice*float64(output)-1e-6))
}
