package sandbox

import (
	"os"
	"path/filepath"
	"testing"
)

// A command may not read a folder that contains something hidden, by whatever name.
// It may read what is only beside it.
func TestWhatHoldsSomethingHiddenIsNotRead(t *testing.T) {
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"team/data", "team/docs", "elsewhere"} {
		if err := os.MkdirAll(filepath.Join(home, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(home, "team"), filepath.Join(home, "link")); err != nil {
		t.Fatal(err)
	}
	s := &Sandbox{Config: Config{Hidden: []string{filepath.Join(home, "team/data")}}}
	for path, may := range map[string]bool{
		"team/data": false, "team": false, ".": false, "link": false, "missing": false,
		"team/docs": true, "elsewhere": true, "link/docs": true,
	} {
		if got := s.mayBeRead(filepath.Join(home, path)); got != may {
			t.Errorf("%s may be read: %v", path, got)
		}
	}
	if s.mayBeRead("team/docs") {
		t.Error("a path that is not absolute may be read")
	}
}
