package rules

import (
	"fmt"
	"path/filepath"
	"testing"

	"pgregory.net/rapid"
)

func TestRules(t *testing.T) {
	dir := t.TempDir()
	defer printStats()
	n := 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		rapid.SyncTest(rt, func(rt *rapid.T) { run(rt, filepath.Join(dir, fmt.Sprint(n)), fault{}) })
	})
}

// run is the property. It is called in a bubble with a time of its own.
func run(rt *rapid.T, path string, f fault) {
	m := newMachine(rt, path, f)
	defer m.finish()
	m.start(cut{})
	rt.Repeat(map[string]func(*rapid.T){"step": func(*rapid.T) { m.act() }})
}
