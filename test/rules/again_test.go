package rules

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"parley/internal/bubbletest"
)

// A run is the same when it is repeated from its seed: what happens, in which order,
// and what is stored after each stage. Otherwise a failure could be neither shrunk
// nor investigated. Only where slots are few may it take another course: a returning
// turn and a new one may then compete for the same slot.
func TestARunIsTheSameAgain(t *testing.T) {
	dir := t.TempDir()
	for seed := range 5 {
		first, again := trace(t, filepath.Join(dir, fmt.Sprint(seed, "a")), seed), trace(t, filepath.Join(dir, fmt.Sprint(seed, "b")), seed)
		if diff := cmp.Diff(first, again); diff != "" {
			t.Errorf("seed %d (-first +again):\n%s", seed, diff)
		}
	}
}

// trace is a run as its log tells it.
func trace(t *testing.T, path string, seed int) []string {
	t.Helper()
	return rapid.Custom(func(rt *rapid.T) (log []string) {
		bubbletest.Test(t, func(*testing.T) {
			m := newMachine(rt, path, fault{})
			m.traced, m.world.places = true, plenty
			m.run()
			log = m.log
		})
		return log
	}).Example(seed)
}
