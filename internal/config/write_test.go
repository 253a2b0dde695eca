package config

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"parley"
)

const writeTeam = `
-- parley.yaml --
model: scripted:s
-- agents/a.md --
---
mode: write
---
-- agents/b.md --
---
manager: a
---
`

func setting(key string, words ...string) func([]byte) ([]byte, error) {
	return func(file []byte) ([]byte, error) { return SetRule(file, key, words) }
}

// Somebody else saves the file between the reading and the writing: what they
// wrote stays, and the change is made to it.
func TestAChangeMeetsAnother(t *testing.T) {
	dir := teamDir(t, writeTeam)
	team, _ := load(t, dir)
	path := filepath.Join(dir, "agents", "a.md")
	runs := 0
	written, err := ChangeFile(team, team.Agents[0], func(file []byte) ([]byte, error) {
		if runs++; runs == 1 {
			writeFile(t, path, "---\nmode: write\nbehavior: strict\n---\nTheirs.\n")
		}
		return SetRule(file, "mode", []string{"read"})
	})
	if err != nil || !written || runs != 2 {
		t.Fatalf("%v, %v, %d runs", written, err, runs)
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	diff(t, "file", "---\nmode: read\nbehavior: strict\n---\nTheirs.\n", string(got))
}

func TestAChangeThatIsRefusedWritesNothing(t *testing.T) {
	dir := teamDir(t, writeTeam)
	team, _ := load(t, dir)
	before, err := os.ReadFile(filepath.Join(dir, "agents", "a.md"))
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func([]byte) ([]byte, error){
		"a circle":         setting("manager", "b"),
		"an unknown word":  setting("behavior", "wild"),
		"a broken pattern": setting("profile", "open", "deny:("),
		"no name":          setting("can_invoke", "a/b"),
		"no text":          func([]byte) ([]byte, error) { return []byte("\xff"), nil },
		"another's name":   func([]byte) ([]byte, error) { return []byte("---\nname: b\n---\n"), nil },
	} {
		if written, err := ChangeFile(team, team.Agents[0], change); written || parley.KindOf(err) != parley.Invalid {
			t.Errorf("%s: %v, %v", name, written, err)
		}
	}
	after, err := os.ReadFile(filepath.Join(dir, "agents", "a.md"))
	if err != nil {
		t.Fatal(err)
	}
	diff(t, "file", string(before), string(after))
	entries, err := os.ReadDir(filepath.Join(dir, "agents"))
	if err != nil || len(entries) != 2 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}

func TestFilesThatAreNotReplaced(t *testing.T) {
	dir := teamDir(t, writeTeam)
	writeFile(t, filepath.Join(dir, "real.md"), "---\n---\n")
	if err := os.Symlink("../real.md", filepath.Join(dir, "agents", "c.md")); err != nil {
		t.Fatal(err)
	}
	team, _ := load(t, dir)
	if _, err := ChangeFile(team, team.Agents[2], setting("mode", "read")); parley.KindOf(err) != parley.Conflict || !strings.Contains(err.Error(), "link") {
		t.Errorf("a link: %v", err)
	}
	if err := os.Remove(filepath.Join(dir, "agents", "a.md")); err != nil {
		t.Fatal(err)
	}
	if _, err := ChangeFile(team, team.Agents[0], setting("mode", "read")); parley.KindOf(err) != parley.NotFound {
		t.Errorf("one that is gone: %v", err)
	}
	for _, cause := range []error{fs.ErrPermission, syscall.EROFS} {
		err := unwritable("/team/agents/a.md", &fs.PathError{Op: "open", Path: "x", Err: cause})
		if parley.KindOf(err) != parley.Conflict || !strings.Contains(err.Error(), "Let the hub's user write there") {
			t.Errorf("%v: %v", cause, err)
		}
	}
	if err := unwritable("x", errors.New("odd")); parley.KindOf(err) != parley.Internal {
		t.Errorf("another failure: %v", err)
	}
}

// A look sees what can change an agent, and nothing else.
func TestAStamp(t *testing.T) {
	dir := teamDir(t, writeTeam+"-- agents/f/agent.md --\n-- agents/f/IDENTITY.md --\n-- agents/f/docs/README.md --\n-- agents/f/docs/more.md --\n-- agents/_shared/s.md --\n-- script.yaml --\n")
	stamp := func() uint64 {
		t.Helper()
		s, err := Stamp(dir)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	for name, seen := range map[string]bool{
		"parley.yaml": true, "agents/a.md": true, "agents/f/agent.md": true, "agents/f/IDENTITY.md": true, "agents/f/SOUL.md": true, "agents/f/docs/README.md": true,
		"agents/_shared/s.md": true, "agents/_shared/new.md": true, "agents/new.md": true, "agents/f/docs/more.md": false, "script.yaml": false,
	} {
		before := stamp()
		if again := stamp(); again != before {
			t.Fatal("two looks differ")
		}
		writeFile(t, filepath.Join(dir, filepath.FromSlash(name)), "# Something longer: "+name)
		if changed := stamp() != before; changed != seen {
			t.Errorf("%s: seen is %v", name, changed)
		}
	}
}
