package workspace

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley"
)

// A file that is refused, whose change cannot be stored or that cannot be written leaves
// none of the folders that were made for it. Those that were there stay.
func TestARefusedFileLeavesNoFolders(t *testing.T) {
	failed := errors.New("the lease is lost")
	for _, c := range []struct {
		name    string
		writing Writing
		want    string
	}{
		{"a guide", Writing{Path: "old/new/deep/AGENTS.md"}, "cannot be written"},
		{"git's", Writing{Path: "new/.git/config"}, "cannot be written"},
		{"a folder of git's", Writing{Path: "new/.git/hooks/run"}, "cannot be written"},
		{"a digest", Writing{Path: "old/new/a.txt", Digest: "0123456789ab"}, "it is no longer there"},
		{"no record", Writing{Path: "new/deep/a.txt", Record: func(...parley.Change) error { return failed }}, failed.Error()},
		{"a name that is too long", Writing{Path: "new/" + strings.Repeat("x", 300)}, "too long"},
		{"a folder whose name is too long", Writing{Path: "new/" + strings.Repeat("x", 300) + "/a"}, "too long"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := open(t, "kept.txt", "Kept.")
			if err := os.Mkdir(filepath.Join(w.Folder, "old"), 0o755); err != nil {
				t.Fatal(err)
			}
			if _, err := w.WriteFile(Access{}, c.writing); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("refused with %v", err)
			}
			var left []string
			for _, pattern := range []string{"*", "*/*"} {
				list, err := filepath.Glob(filepath.Join(w.Folder, pattern))
				if err != nil {
					t.Fatal(err)
				}
				for _, path := range list {
					left = append(left, strings.TrimPrefix(path, w.Folder))
				}
			}
			if got := strings.Join(left, " "); got != "/kept.txt /old" {
				t.Errorf("left: %s", got)
			}
		})
	}
}

// What somebody has put into a new folder meanwhile stays, with the folder.
func TestAFolderThatSomebodyUsesStays(t *testing.T) {
	w := open(t, "a.txt", "")
	beside := filepath.Join(w.Folder, "new", "beside")
	_, err := w.WriteFile(Access{}, Writing{Path: "new/deep/a.txt", Record: func(...parley.Change) error {
		return errors.Join(os.WriteFile(beside, nil, 0o644), errors.New("no"))
	}})
	if err == nil {
		t.Error("it was written")
	}
	if _, err := os.Stat(beside); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(w.Folder, "new", "deep")); !os.IsNotExist(err) {
		t.Errorf("the inner folder: %v", err)
	}
}
