package config

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

func TestWhatAKilledHubLeavesInTheFilesIsRemoved(t *testing.T) {
	dir := teamDir(t, `
-- parley.yaml --
person: Ada
-- .parley-OLDOLDOL.tmp --
half
-- agents/A.md --
You are A.
-- agents/.parley-OLDOLDOL.tmp --
half
-- agents/B/agent.md --
You are B.
-- agents/B/.parley-OLDOLDOL.tmp --
half
-- agents/B/.parley-YOUNGONE.tmp --
half
-- agents/.parley-mine.md --
kept
`)
	old := time.Now().Add(-time.Hour)
	for _, name := range []string{".parley-OLDOLDOL.tmp", "agents/.parley-OLDOLDOL.tmp", "agents/B/.parley-OLDOLDOL.tmp", "agents/.parley-mine.md", "agents/A.md"} {
		if err := os.Chtimes(filepath.Join(dir, name), old, old); err != nil {
			t.Fatal(err)
		}
	}
	removed := Sweep(dir)
	slices.Sort(removed)
	diff(t, "removed", []string{".parley-OLDOLDOL.tmp", "agents/.parley-OLDOLDOL.tmp", "agents/B/.parley-OLDOLDOL.tmp"}, removed)
	diff(t, "removed again", []string(nil), Sweep(dir))
}
