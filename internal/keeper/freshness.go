package keeper

import (
	"math"
	"time"
)

const (
	// halfLife is how long it takes an unused keeper to lose half of the freshness
	// that it can lose. Each use makes that longer, the first uses more than later
	// ones.
	halfLife = 30 * 24 * time.Hour
	// minFreshness is the least: an old message that fits much better is still found.
	minFreshness = 0.6
)

// freshness is the factor for the worth of a message, by how long its keeper has been
// unused and how often it was used before.
func freshness(unused time.Duration, uses int) float64 {
	life := float64(halfLife) * (1 + math.Log2(1+float64(max(uses, 0))))
	return minFreshness + (1-minFreshness)*math.Exp2(-float64(max(unused, 0))/life)
}
