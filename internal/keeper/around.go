package keeper

import "parley"

const (
	// before and after are how many messages around one count as what it was said
	// in answer to, and what was said of it.
	before = 3
	after  = 1
	// share is what the best of them adds.
	share = 0.4
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
		for n := f.N - before; n <= f.N+after; n++ {
			if n != f.N {
				best = max(best, own[place{f.Keeper, n}])
			}
		}
		list[i].score += share * best
	}
}
