package keeper

import "parley"

const (
	// liftBefore and liftAfter are how many messages around one count as what it was
	// said in answer to, and what was said of it.
	liftBefore = 3
	liftAfter  = 1
	// liftShare is what the best of them adds.
	liftShare = 0.4
)

// lift lets a message gain from those around it: an answer seldom repeats the words
// of its question.
func lift(list []found) {
	type place struct {
		keeper parley.KeeperID
		n      int
	}
	own := make(map[place]float64, len(list))
	for _, f := range list {
		own[place{f.Keeper, f.N}] = f.score
	}
	for i, f := range list {
		best := 0.0
		for n := f.N - liftBefore; n <= f.N+liftAfter; n++ {
			if n != f.N {
				best = max(best, own[place{f.Keeper, n}])
			}
		}
		list[i].score += liftShare * best
	}
}
