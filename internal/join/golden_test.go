package join

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files anew")

// sampleSetup is an agent whose name and paths need care everywhere.
func sampleSetup(folder string) Setup {
	return Setup{
		Agent: "Data Bot", Program: "/opt/my tools/parley",
		Locate:    []string{"--data", "/srv/it's ours/.parley", "--token-file", "/home/ada/.local/state/parley/main-12345678/data-bot.token"},
		TokenFile: "/home/ada/.local/state/parley/main-12345678/data-bot.token",
		URL:       "http://127.0.0.1:7420/mcp", Folder: folder,
		Getenv: func(name string) string { return map[string]string{"HOME": filepath.Join(folder, "home")}[name] },
	}
}

// What each client is told, in full: its files, its command, and the notes.
func TestWhatEachClientIsTold(t *testing.T) {
	for _, c := range Clients() {
		for _, form := range []string{"bridge", "http", "allow"} {
			t.Run(c.Name+"-"+form, func(t *testing.T) {
				dir := t.TempDir()
				s := sampleSetup(dir)
				s.HTTP, s.Allow, s.NoHooks = form == "http", form == "allow", form == "http"
				golden(t, c.Name+"-"+form+".txt", strings.ReplaceAll(told(c, s, dir), dir, "/srv/project"))
			})
		}
	}
}

func told(c Client, s Setup, dir string) string {
	var b strings.Builder
	for _, f := range c.Files(s) {
		fmt.Fprintf(&b, "-- %s --\n%s", strings.TrimPrefix(f.Path, dir+"/"), f.Sample(s))
	}
	if c.Command != nil && c.Command(s) != nil {
		fmt.Fprintf(&b, "-- command --\n%s\n", Quote(c.Command(s)))
	}
	if c.Notes != nil {
		for _, n := range c.Notes(s) {
			fmt.Fprintf(&b, "-- note --\n%s\n", n)
		}
	}
	return b.String()
}

// Files that people wrote: everything of theirs stays, byte by byte.
func TestFilesOfPeople(t *testing.T) {
	for _, name := range []string{"claude", "codex", "gemini", "opencode", "vscode", "goose"} {
		t.Run(name, func(t *testing.T) {
			c, err := Find(name)
			if err != nil {
				t.Fatal(err)
			}
			s := sampleSetup(t.TempDir())
			for _, f := range c.Files(s) {
				given, err := os.ReadFile(filepath.Join("testdata", "given", name, filepath.Base(f.Path)))
				if err != nil {
					t.Fatal(err)
				}
				change, err := f.planFrom(given, s)
				if err != nil {
					t.Fatal(err)
				}
				golden(t, "given-"+name+"-"+filepath.Base(f.Path), strings.ReplaceAll(string(change.After), s.Folder, "/srv/project"))
				golden(t, "given-"+name+"-"+filepath.Base(f.Path)+".diff", strings.ReplaceAll(change.Diff(), s.Folder, "/srv/project"))
				checkKept(t, given, change.After)
				again, err := f.planFrom(change.After, s)
				if err != nil || !bytes.Equal(again.After, change.After) {
					t.Errorf("a second time, %s changes: %v\n%s", f.Path, err, again.Diff())
				}
			}
		})
	}
}

func (f File) planFrom(text []byte, s Setup) (Change, error) {
	if err := os.MkdirAll(filepath.Dir(f.Path), 0o755); err != nil {
		return Change{}, err
	}
	if err := os.WriteFile(f.Path, text, 0o644); err != nil {
		return Change{}, err
	}
	return f.Plan(s, false)
}

// checkKept finds every line of a file in the one that it became, in order. Only a
// comma may have come to a line's end.
func checkKept(t *testing.T, before, after []byte) {
	t.Helper()
	rest := strings.Split(string(after), "\n")
	for line := range strings.SplitSeq(strings.TrimRight(string(before), "\n"), "\n") {
		i := 0
		for i < len(rest) && strings.Replace(rest[i], ",", "", -1) != strings.Replace(line, ",", "", -1) {
			i++
		}
		if i == len(rest) {
			t.Fatalf("the line is gone: %s\n%s", line, after)
		}
		rest = rest[i+1:]
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", "golden", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s (go test ./internal/join -update writes it anew):\n%s", name, d)
	}
}
