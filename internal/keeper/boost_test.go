package keeper

import (
	"testing"

	"parley"
)

// An answer that says little of what was asked is lifted by its question, within the
// same keeper and not from afar.
func TestLift(t *testing.T) {
	at := func(keeper parley.KeeperID, n int, score float64) found {
		return found{Kept: parley.Kept{Keeper: keeper, N: n}, score: score}
	}
	list := []found{at(1, 4, 10), at(1, 5, 2), at(1, 8, 2), at(1, 3, 2), at(1, 1, 2), at(2, 5, 2)}
	lift(list)
	for i, want := range []float64{10 + liftShare*2, 2 + liftShare*10, 2 + liftShare*2, 2 + liftShare*10, 2, 2} {
		if list[i].score != want {
			t.Errorf("%s has %v, want %v", list[i].Name(), list[i].score, want)
		}
	}
}
