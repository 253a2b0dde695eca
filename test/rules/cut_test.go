package rules

import "pgregory.net/rapid"

// cut is the moment at which a hub is to be killed while something is being
// done: after so many commits, the last of which it may or may not have heard
// of.
type cut struct {
	armed   bool
	commits int
	told    bool
}

func drawCut(t *rapid.T) cut { return drawCutOnce(t, 24) }

// drawCutOnce cuts once in so many times.
func drawCutOnce(t *rapid.T, in int) cut {
	if rapid.IntRange(1, in).Draw(t, "kill") != in {
		return cut{}
	}
	return cut{armed: true, commits: rapid.SampledFrom([]int{0, 1, 1, 2, 2, 3, 4, 6, 9}).Draw(t, "commits"), told: rapid.Bool().Draw(t, "told")}
}

func (c cut) arm(l *life) {
	if c.armed {
		l.arm(c.commits, c.told)
	}
}
