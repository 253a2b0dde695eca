package topic

import (
	"math"
	"time"

	"parley"
)

const (
	// offloadShare of a conversation is put away. It is cut where a topic ends, if
	// one ends between half and one and a half times that share.
	offloadShare = 0.3
	// longPause between two messages is a sign that something new began.
	longPause = 30 * time.Minute
	// window is how many messages before and after a border are compared.
	window = 3
)

// Border is how many of the oldest messages to put away: about three tenths of a total,
// of which the list is the oldest, up to where something new begins. It never separates
// the result of a tool from its call, and leaves at least one message.
func Border(list []parley.KeptMessage, total int) int {
	n := len(list)
	if n < 2 {
		return 0
	}
	goal := min(offloadShare*float64(total), float64(n-1))
	best, most := 0, math.Inf(-1)
	for i := max(1, int(goal/2)); i <= min(n-1, int(math.Ceil(goal*1.5))); i++ {
		if list[i].Role == parley.RoleTool {
			continue
		}
		worth := newTopicScore(list, i) - math.Abs(float64(i)-goal)/goal
		if worth > most {
			best, most = i, worth
		}
	}
	if best > 0 {
		return best
	}
	return wholeCall(list, max(1, int(goal)))
}

// newTopicScore is how much suggests that a new topic begins with a message: somebody
// asks for something, after a pause, in other words than before.
func newTopicScore(list []parley.KeptMessage, i int) float64 {
	worth := 0.0
	if list[i].Role == parley.RoleUser {
		worth++
	}
	if list[i].At.Since(list[i-1].At) >= longPause {
		worth += 1.5
	}
	before, after := map[string]bool{}, map[string]bool{}
	for _, m := range list[max(0, i-window):i] {
		join(before, wordsOf(m.Text))
	}
	for _, m := range list[i:min(len(list), i+window)] {
		join(after, wordsOf(m.Text))
	}
	return worth + 1.5*(1-overlap(before, after))
}

func join(into, words map[string]bool) {
	for w := range words {
		into[w] = true
	}
}

// overlap is the share of the words of the smaller set that are in the other.
func overlap(a, b map[string]bool) float64 {
	smaller := min(len(a), len(b))
	if smaller == 0 {
		return 0.5 // no evidence either way
	}
	both := 0
	for w := range a {
		if b[w] {
			both++
		}
	}
	return float64(both) / float64(smaller)
}

// wholeCall moves a border after the results of the call before it, or before the
// call if nothing follows.
func wholeCall(list []parley.KeptMessage, at int) int {
	i := at
	for i < len(list) && list[i].Role == parley.RoleTool {
		i++
	}
	if i == len(list) {
		for i = at; i > 0 && list[i].Role == parley.RoleTool; i-- {
		}
	}
	return i
}
