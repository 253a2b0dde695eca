package contact

import (
	"testing"

	"parley"
)

func TestLeastLoaded(t *testing.T) {
	one := func(id, open int, reached bool) candidate {
		return candidate{id: parley.AgentID(id), open: open, reached: reached}
	}
	for name, c := range map[string]struct {
		list []candidate
		want parley.AgentID
	}{
		"nobody":                 {nil, 0},
		"nobody to be contacted": {[]candidate{one(1, 0, false)}, 0},
		"the only one":           {[]candidate{one(1, 9, true)}, 1},
		"the idle one":           {[]candidate{one(1, 2, true), one(2, 0, true), one(3, 1, true)}, 2},
		"not the forbidden one":  {[]candidate{one(1, 2, true), one(2, 0, false)}, 1},
		"of equals the first":    {[]candidate{one(3, 1, true), one(2, 1, true)}, 2},
	} {
		got, ok := leastLoaded(c.list)
		if got.id != c.want || ok != (c.want != 0) {
			t.Errorf("%s: %d, %v", name, got.id, ok)
		}
	}
}
