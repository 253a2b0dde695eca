package bench

import (
	"math/rand/v2"
	"strings"
)

// body is a text of 50 to 500 bytes.
func body(r *rand.Rand) string {
	n := 50 + r.IntN(451)
	start := r.IntN(len(words) - n)
	return words[start : start+n]
}

// words is long enough that bodies differ.
var words = strings.Repeat("the build of the parser fails on the second input because the token after the bracket is read twice; "+
	"see what the tests say, compare it with the notes of last week and tell me which of the three ways you would go. ", 5)
