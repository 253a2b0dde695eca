package rules

import (
	"fmt"
	"path/filepath"
	"testing"
	"testing/synctest"

	"pgregory.net/rapid"
)

func TestRules(t *testing.T) {
	dir := t.TempDir()
	n := 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		run(t, rt, filepath.Join(dir, fmt.Sprint(n)), fault{})
	})
}

// run is the property, in a bubble of its own time.
func run(t *testing.T, rt *rapid.T, path string, f fault) {
	var failed any
	synctest.Test(t, func(*testing.T) {
		m := newMachine(rt, path, f)
		defer func() {
			failed = recover()
			m.finish()
		}()
		m.start(cut{})
		rt.Repeat(map[string]func(*rapid.T){"": func(*rapid.T) {}, "step": func(*rapid.T) { m.act() }})
	})
	if failed != nil {
		panic(failed) // as rapid wants to see it
	}
}
