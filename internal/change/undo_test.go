package change_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley"
	"parley/internal/access"
	"parley/internal/change"
	"parley/internal/store"
	"parley/internal/workspace"
	"parley/internal/workspace/sandbox"
)

// Whatever tools and commands do, in whatever order: undone, the tree is what it was,
// byte for byte.
func TestUndoneTheTreeIsAsItWas(t *testing.T) {
	s := newSite(t)
	for seed := range uint64(6) {
		s.workspace(&sandbox.Sandbox{Kind: sandbox.Unsandboxed})
		random := rand.New(rand.NewPCG(seed, 1))
		s.write("a.txt", "one\r\ntwo\r\n")
		s.write("d/b.go", "package b\n\nfunc B() {}\n")
		s.write("d/e/binary", "\x00\xff\xfe")
		s.write("empty", "")
		s.write("caf\xe9/latin\xe9", "caf\xe9")
		if err := os.Symlink("d/b.go", filepath.Join(s.dir, "link")); err != nil {
			t.Fatal(err)
		}
		before := s.tree()
		c := s.task("Ann")
		var did []string
		for range 3 + random.IntN(8) {
			did = append(did, s.randomChange(c, random))
		}
		after := s.tree()
		s.end(c)
		if u, err := s.undo(c, change.Options{Commands: true}); err != nil {
			t.Fatalf("seed %d: %v\n%s\nundone %v", seed, err, strings.Join(did, "\n"), u)
		}
		if got := s.tree(); got != before {
			t.Fatalf("seed %d: after\n%s\nthe tree is\n%s\nwas\n%s\nin between\n%s", seed, strings.Join(did, "\n"), got, before, after)
		}
	}
}

func (s *site) randomChange(c access.Caller, random *rand.Rand) string {
	paths := []string{"a.txt", "d/b.go", "d/e/binary", "empty", "link", "new", "d/new", "n/m/x", "n/y", "n", "d/e"}
	path := func() string { return paths[random.IntN(len(paths))] }
	if random.IntN(2) == 0 {
		name, text := path(), fmt.Sprintf("text %d\n", random.IntN(5))
		return fmt.Sprintf("write %s %q: %v", name, text, s.put(c, name, text))
	}
	scripts := []string{"rm -rf %s", "mv %s %s", "printf '\\000\\377%s' > %s", "chmod 600 %s", "chmod +x %s", "ln -sfn %s %s", "mkdir -p %s", "cp -r %s %s",
		"touch %s", "printf x > $(printf 'odd\\377name')", "rm -f $(printf 'odd\\377name')", "rm -rf caf*", "sed -i s/o/0/ %s", "rm -rf %s; mkdir %s"}
	script := scripts[random.IntN(len(scripts))]
	for strings.Contains(script, "%s") {
		script = strings.Replace(script, "%s", path(), 1)
	}
	s.run(c, script)
	return script
}

// A kill between the record and the file, or between the file and its result, leaves a
// record that the file itself settles.
func TestAKillInBetweenIsSettledByTheFile(t *testing.T) {
	for _, made := range []bool{false, true} {
		t.Run(fmt.Sprint(made), func(t *testing.T) {
			s := newSite(t)
			s.write("a.txt", "old\n")
			c := s.task("Ann")
			var ids []parley.ChangeID
			record := s.recorder(c, &ids)
			page, err := s.space.ReadFile(workspace.Reading{Path: "a.txt"})
			if err != nil {
				t.Fatal(err)
			}
			_, err = s.space.WriteFile(workspace.Access{}, workspace.Writing{Path: "a.txt", Content: "new\n", Digest: page.Digest,
				Record: func(list ...parley.Change) error {
					if err := record(list...); err != nil || made {
						return err
					}
					return parley.ErrLost // the hub dies here
				}})
			if (err == nil) != made {
				t.Fatal(err)
			}
			if got := len(s.diff(c).Files); (got == 1) != made {
				t.Errorf("the diff has %d files", got)
			}
			s.end(c)
			u, err := s.undo(c, change.Options{})
			if err != nil || (len(u.Files) == 1) != made || s.read("a.txt") != "old\n" {
				t.Errorf("undone: %+v, %v; a.txt says %q", u, err, s.read("a.txt"))
			}
		})
	}
}

// After a kill the task went on and wrote again: the second change tells what came of the
// first.
func TestTheNextChangeSettlesTheOneBefore(t *testing.T) {
	s := newSite(t)
	s.write("a.txt", "old\n")
	c := s.task("Ann")
	var ids []parley.ChangeID
	for _, text := range []string{"first\n", "second\n"} {
		page, err := s.space.ReadFile(workspace.Reading{Path: "a.txt"})
		if err != nil {
			t.Fatal(err)
		}
		_, err = s.space.WriteFile(workspace.Access{}, workspace.Writing{Path: "a.txt", Content: text, Digest: page.Digest, Record: s.recorder(c, &ids)})
		if err != nil {
			t.Fatal(err)
		}
	}
	s.settle(ids[1:])
	s.end(c)
	if _, err := s.undo(c, change.Options{}); err != nil || s.read("a.txt") != "old\n" {
		t.Errorf("undone: %v; a.txt says %q", err, s.read("a.txt"))
	}
}

func TestWhatWasChangedSinceIsRefusedByName(t *testing.T) {
	s := newSite(t)
	s.write("hand", "1")
	s.write("other", "1")
	s.write("mine", "1")
	c, other := s.task("Ann"), s.task("Bob")
	for _, name := range []string{"hand", "other", "mine", "new/file"} {
		if err := s.put(c, name, "2"); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.undo(c, change.Options{}); parley.KindOf(err) != parley.Conflict || !strings.Contains(err.Error(), "is queued") {
		t.Errorf("the task is open: %v", err)
	}
	s.write("hand", "3")
	if err := s.put(other, "other", "3"); err != nil {
		t.Fatal(err)
	}
	s.write("new/beside", "kept")
	s.end(c)
	s.end(other)
	before := s.tree()
	_, err := s.undo(c, change.Options{})
	if parley.KindOf(err) != parley.Conflict || !strings.Contains(err.Error(), "hand: it was changed since") ||
		!strings.Contains(err.Error(), "other: "+other.Task.String()+" has changed it since") || strings.Contains(err.Error(), "mine") {
		t.Errorf("refused with %v", err)
	}
	if got := s.tree(); got != before {
		t.Errorf("although it was refused, the tree is now\n%s", got)
	}
	u, err := s.undo(c, change.Options{Partial: true})
	if err != nil || len(u.Files) != 2 || len(u.Refused) != 2 {
		t.Errorf("in part: %+v, %v", u, err)
	}
	for name, want := range map[string]string{"hand": "3", "other": "3", "mine": "1", "new/beside": "kept"} {
		if got := s.read(name); got != want {
			t.Errorf("%s says %q", name, got)
		}
	}
	if u, err = s.undo(other, change.Options{}); err != nil || s.read("other") != "2" {
		t.Errorf("the other: %+v, %v", u, err)
	}
	if u, err = s.undo(c, change.Options{Partial: true}); err != nil || len(u.Files) != 1 || s.read("other") != "1" {
		t.Errorf("and now that one: %+v, %v", u, err)
	}
}

func TestUndoAgainFindsNothing(t *testing.T) {
	s := newSite(t)
	c := s.task("Ann")
	if err := s.put(c, "a/b", "1"); err != nil {
		t.Fatal(err)
	}
	s.end(c)
	before, err := s.hub.Changes.Undo(t.Context(), s.as("Bob"), c.Task, change.Options{})
	if err == nil || len(before.Files) > 0 || s.read("a/b") != "1" {
		t.Errorf("an agent may not: %+v, %v", before, err)
	}
	if _, err := s.hub.Changes.Undo(t.Context(), s.as("Ann"), c.Task, change.Options{}); parley.KindOf(err) != parley.Denied {
		t.Errorf("nor the agent itself: %v", err)
	}
	for i := range 2 {
		u, err := s.undo(c, change.Options{})
		if err != nil || u.Before != (i == 1) || len(u.Files) != 2*(1-i) {
			t.Errorf("time %d: %+v, %v", i, u, err)
		}
	}
	var events []string
	err = s.store.View(t.Context(), func(tx *store.Tx) error {
		list, _, err := tx.EventsOf(store.EventFilter{Team: s.team, Kind: string(parley.EventUndone)}, "", 10)
		for _, e := range list {
			events = append(events, fmt.Sprint(e.Actor == s.as("Pat").Agent, e.Task == c.Task, " ", e.Detail))
		}
		return err
	})
	if err != nil || len(events) != 1 || events[0] != "true true 2 paths: a/b, a" {
		t.Errorf("on record: %q, %v", events, err)
	}
	if d := s.diff(c); len(d.Files) != 2 || !d.Files[0].Undone || d.Files[0].Text != "" {
		t.Errorf("the diff: %+v", d)
	}
}

// A link that was put where the file was, or on the way to it, leads undo nowhere.
func TestUndoDoesNotLeaveTheWorkspace(t *testing.T) {
	s := newSite(t)
	c := s.task("Ann")
	for _, name := range []string{"d/secret", "secret", "e/file"} {
		if err := s.put(c, name, "mine"); err != nil {
			t.Fatal(err)
		}
	}
	s.end(c)
	s.update(func(tx *store.Tx) {
		for _, path := range []string{"../outside/secret", "/etc/passwd", "d/../../outside/secret", ".git/config"} {
			tx.InsertChange(&parley.Change{Team: c.Team, Task: c.Task, Place: parley.InWorkspace, Path: path, State: parley.ChangeMade,
				Before: parley.FileState{}, After: parley.FileState{Kind: parley.RegularFile, Hash: "x", Mode: 0o644}})
		}
	})
	s.write(".git/config", "git")
	for _, name := range []string{"d", "secret"} {
		if err := os.RemoveAll(filepath.Join(s.dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Rename(filepath.Join(s.dir, "e"), filepath.Join(s.dir, "moved")); err != nil {
		t.Fatal(err)
	}
	for target, name := range map[string]string{"../outside": "d", "../outside/secret": "secret", "moved": "e"} {
		if err := os.Symlink(target, filepath.Join(s.dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	u, err := s.undo(c, change.Options{Partial: true})
	if err != nil || len(u.Files) != 0 {
		t.Errorf("undone: %+v, %v", u, err)
	}
	if got := s.read("../outside/secret"); got != "secret" {
		t.Errorf("outside is %q", got)
	}
	if got := s.read("moved/file"); got != "mine" {
		t.Errorf("what was moved and linked is %q", got)
	}
	if got := s.read(".git/config"); got != "git" {
		t.Errorf("git's is %q", got)
	}
}

// What a command did to a file that was too large to be held, what two commands did at
// once, and what an interrupted one did, is uncertain.
func TestWhatIsUncertainIsRefused(t *testing.T) {
	s := newSite(t)
	s.workspace(&sandbox.Sandbox{Kind: sandbox.Unsandboxed})
	s.write("large", strings.Repeat("x", 300<<10))
	s.write(".gitignore", "ignored\n")
	s.write("ignored", "1")
	c := s.task("Ann")
	s.run(c, "echo y >> large; echo 2 > ignored; echo '!ignored' > .gitignore")
	s.update(func(tx *store.Tx) {
		tx.InsertChange(&parley.Change{Team: c.Team, Task: c.Task, Place: parley.InWorkspace, State: parley.ChangeBegun, Doubt: "it was interrupted"})
	})
	s.end(c)
	_, err := s.undo(c, change.Options{Commands: true})
	if err == nil || !strings.Contains(err.Error(), "large: what it said before is not kept (307200 bytes)") || !strings.Contains(err.Error(), "a command of "+c.Task.String()+": it was interrupted") {
		t.Errorf("refused with %v", err)
	}
	d := s.diff(c)
	if len(d.Files) != 2 || d.Files[0].Path != ".gitignore" || len(d.Notes) != 3 || !strings.Contains(d.Files[1].Text, "The content is not kept: 307200 bytes before, 307202 afterwards") {
		t.Errorf("the diff: %+v", d)
	}
	if u, err := s.undo(c, change.Options{Partial: true, Commands: true}); err != nil || len(u.Files) != 1 || s.read("ignored") != "2\n" {
		t.Errorf("in part: %+v, %v", u, err)
	}
}
