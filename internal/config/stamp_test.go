package config

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// A file looks the same to whoever lists the folder, opens the file or looks at it alone.
func TestAFileHasOneStamp(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, agentsDir), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, mode := range map[string]os.FileMode{"a.md": 0o600, "b.md": 0o644, "c.md": 0o755 | os.ModeSetuid, "d.md": 0o640 | os.ModeSticky} {
		file := filepath.Join(dir, agentsDir, name)
		if err := os.WriteFile(file, []byte("You are "+name), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(file, mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(file, time.Time{}, time.Unix(1_700_000_000, 123456789)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, TeamFile), []byte("model: scripted:s.yaml\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	team, problems, err := Load(dir)
	if err != nil || len(problems) > 0 {
		t.Fatal(problems, err)
	}
	sight, err := Look(dir)
	if err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	agents, err := root.OpenRoot(agentsDir)
	if err != nil {
		t.Fatal(err)
	}
	defer agents.Close()
	for i, e := range sight.entries {
		if read, alone := team.seen.entries[i].stamp, stampOf(root, agents, e.name); e.stamp != read || e.stamp != alone {
			t.Errorf("%s: %x listed, %x read, %x alone", e.name, e.stamp, read, alone)
		}
	}
	if len(sight.entries) != 4 || len(sight.Since(team)) != 0 {
		t.Errorf("%d files, changed %v", len(sight.entries), sight.Since(team))
	}
}
