package keeper

import (
	"testing"

	"parley"
)

// An answer that repeats little of its question is boosted by the question, within
// the same keeper and only nearby.
func TestBoost(t *testing.T) {
	at := func(keeper parley.KeeperID, n int, worth float64) found {
		return found{KeptMessage: parley.KeptMessage{Keeper: keeper, N: n}, worth: worth}
	}
	list := []found{at(1, 4, 10), at(1, 5, 2), at(1, 8, 2), at(1, 3, 2), at(1, 1, 2), at(2, 5, 2)}
	boost(list)
	for i, want := range []float64{10 + boostShare*2, 2 + boostShare*10, 2 + boostShare*2, 2 + boostShare*10, 2, 2} {
		if list[i].worth != want {
			t.Errorf("%s has %v, want %v", list[i].name(), list[i].worth, want)
		}
	}
}
