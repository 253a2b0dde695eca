package keeper

import "parley"

const (
	// boostBefore and boostAfter are how many messages before and after a message
	// count as its neighbours: what it answers, and what answers it.
	boostBefore = 3
	boostAfter  = 1
	// boostShare is how much of the best neighbour's worth is added.
	boostShare = 0.4
)

// boost makes a message worth more because of its neighbours: an answer seldom
// repeats the words of its question.
func boost(list []found) {
	type place struct {
		keeper parley.KeeperID
		n      int
	}
	own := make(map[place]float64, len(list))
	for _, f := range list {
		own[place{f.Keeper, f.N}] = f.worth
	}
	for i, f := range list {
		best := 0.0
		for n := f.N - boostBefore; n <= f.N+boostAfter; n++ {
			if n != f.N {
				best = max(best, own[place{f.Keeper, n}])
			}
		}
		list[i].worth += boostShare * best
	}
}
