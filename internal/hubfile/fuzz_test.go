package hubfile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley"
)

// A team's token has a file of its own, in the folder for them: no name leads elsewhere,
// and two names share a file only if they are the same name.
func FuzzTeamName(f *testing.F) {
	for _, seed := range [][2]string{{"blog", "Blog"}, {"My blog", "my.blog"}, {"..", "."}, {"a/b", `a\b`}, {"", " "}, {"\u212a", "k"}, {"\u0130", "i"}, {"a\x00", "a"}, {"con", ".a"}, {strings.Repeat("a", 64), strings.Repeat("𝕏", 64)}} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		if CheckTeamName(a) != nil {
			return
		}
		path := tokenPath("/data", a)
		if filepath.Dir(path) != "/data/teams" || len(filepath.Base(path)) > 255 || strings.ContainsRune(path, 0) {
			t.Fatalf("%q has the file %q", a, path)
		}
		if CheckTeamName(b) == nil && (path == tokenPath("/data", b)) != (Team{Name: a}).Is(b) {
			t.Fatalf("%q and %q", a, b)
		}
	})
}

// The files that tell of teams may hold anything. They are read or refused, and a folder
// belongs to a hub only if the hub's list says the same.
func FuzzFiles(f *testing.F) {
	dir := f.TempDir()
	lock, err := Acquire(dir) // or nothing would be read of the hub
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() {
		if err := lock.Release(); err != nil {
			f.Error(err)
		}
	})
	for _, seed := range []string{
		``, `{}`, `null`, `[]`, `{"teams": null}`, `{"teams": [{"name": "blog", "folder": "/", "data": "/"}]}`, `{"teams": {}}`, `{"teams": [null, 7]}`,
		`{"hub": "", "folder": "", "team": ""}`, `{"hub": "/dev/null", "team": "\u0000"}`, `{"url": "http://127.0.0.1:1", "process": -1}`, "\xff",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, name := range []string{teamsFile, pointerFile, hubFile, tokenFile} {
			if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		teams, err := Teams(dir)
		if err != nil && (teams != nil || parley.KindOf(err) != parley.Internal) {
			t.Fatalf("%q: %v, %v", text, teams, err)
		}
		for _, team := range teams {
			if !team.Is(team.Name) {
				t.Fatalf("%q: %+v is not itself", text, team)
			}
		}
		if at, ok := Pointed(dir); ok && at.Hub == "" {
			t.Fatalf("%q points to %+v", text, at)
		}
		for _, find := range []func() (Hub, error){func() (Hub, error) { return Find(dir) }, func() (Hub, error) { return FindTeam(dir, "blog") }} {
			if hub, err := find(); err == nil && hub.Token != strings.TrimSpace(string(text)) {
				t.Fatalf("%q: %+v", text, hub)
			}
		}
	})
}
