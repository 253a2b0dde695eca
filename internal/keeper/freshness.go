package keeper

import (
	"math"
	"time"
)

const (
	// halfLife is how long a keeper lies unused until it has sunk half of the way
	// that it can sink. Each use makes that longer, the first ones more than the
	// later.
	halfLife = 30 * 24 * time.Hour
	// floor is how far it sinks at most: what fits much better is still found.
	floor = 0.6
)

// freshness is what the score of a message counts for, by how long its keeper was
// not used and how often it was before.
func freshness(unused time.Duration, uses int) float64 {
	life := float64(halfLife) * (1 + math.Log2(1+float64(max(uses, 0))))
	return floor + (1-floor)*math.Exp2(-float64(max(unused, 0))/life)
}
