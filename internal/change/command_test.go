package change_test

import (
	"strings"
	"testing"

	"parley"
	"parley/internal/change"
	"parley/internal/workspace/sandbox"
)

// hasNote reports whether one of the notes says all of this.
func hasNote(notes []string, want ...string) bool {
	for _, note := range notes {
		all := true
		for _, w := range want {
			all = all && strings.Contains(note, w)
		}
		if all {
			return true
		}
	}
	return false
}

// What somebody writes while a command runs looks like the command's. So it is taken back
// only by whoever says so; what tools changed is certain.
func TestWhatCommandsChangedIsUndoneOnlyOnRequest(t *testing.T) {
	s := newSite(t)
	s.workspace(&sandbox.Sandbox{Kind: sandbox.Unsandboxed})
	s.write("both", "0\n")
	c := s.task("Ann")
	for _, name := range []string{"exact", "both"} {
		if err := s.put(c, name, "1\n"); err != nil {
			t.Fatal(err)
		}
	}
	s.run(c, "echo made > made; echo 2 >> both; mkdir -p d; echo mine > d/person") // d/person is a person's
	s.end(c)
	if d := s.diff(c); !hasNote(d.Notes, "by looking before and after", "somebody else wrote at that time") {
		t.Errorf("the diff notes %q", d.Notes)
	}
	before := s.tree()
	_, err := s.undo(c, change.Options{})
	if parley.KindOf(err) != parley.Conflict || !strings.Contains(err.Error(), "parley task diff "+c.Task.String()) || !strings.Contains(err.Error(), "--yes") {
		t.Errorf("refused with %v", err)
	}
	for _, name := range []string{"made", "both", "d", "d/person"} {
		if err == nil || !strings.Contains(err.Error(), "\n  "+name+": a command changed it") {
			t.Errorf("%s is not named: %v", name, err)
		}
	}
	if err == nil || strings.Contains(err.Error(), "\n  exact:") || s.tree() != before {
		t.Errorf("%v; the tree is\n%s", err, s.tree())
	}
	u, err := s.undo(c, change.Options{Partial: true})
	if err != nil || len(u.Files) != 1 || u.Files[0].Path != "exact" || len(u.Refused) != 4 || !u.Refused[0].Command {
		t.Errorf("in part: %+v, %v", u, err)
	}
	if s.read("d/person") != "mine\n" || s.read("both") != "1\n2\n" {
		t.Errorf("the tree is\n%s", s.tree())
	}
	u, err = s.undo(c, change.Options{Commands: true})
	if err != nil || len(u.Files) != 4 || !hasNote(u.Notes, "by looking before and after") {
		t.Errorf("all: %+v, %v", u, err)
	}
	if s.read("both") != "0\n" {
		t.Errorf("the tree is\n%s", s.tree())
	}
}

// A folder that a tool made stays as long as something is left in it that was refused, and
// goes with that.
func TestAFolderGoesWithWhatIsLeftInIt(t *testing.T) {
	s := newSite(t)
	s.workspace(&sandbox.Sandbox{Kind: sandbox.Unsandboxed})
	before := s.tree()
	c := s.task("Ann")
	if err := s.put(c, "d/e/exact", "1"); err != nil {
		t.Fatal(err)
	}
	s.run(c, "echo made > d/e/made")
	s.end(c)
	if u, err := s.undo(c, change.Options{Partial: true}); err != nil || len(u.Files) != 1 || len(u.Refused) != 1 || s.read("d/e/made") != "made\n" {
		t.Errorf("in part: %+v, %v", u, err)
	}
	if u, err := s.undo(c, change.Options{Commands: true}); err != nil || s.tree() != before {
		t.Errorf("all: %+v, %v; the tree is\n%s", u, err, s.tree())
	}
}

// Of a task whose tools alone changed files nothing has to be said.
func TestExactChangesNeedNoNote(t *testing.T) {
	s := newSite(t)
	c := s.task("Ann")
	if err := s.put(c, "exact", "1"); err != nil {
		t.Fatal(err)
	}
	s.end(c)
	if d := s.diff(c); len(d.Notes) != 0 {
		t.Errorf("the diff notes %q", d.Notes)
	}
	if u, err := s.undo(c, change.Options{}); err != nil || len(u.Files) != 1 || len(u.Notes) != 0 {
		t.Errorf("undone: %+v, %v", u, err)
	}
}

// What git ignores is neither shown nor taken back, and named: a file, a folder in which
// something was written over, one that is new. What was not touched is not named.
func TestIgnoredFilesThatACommandChangedAreNamed(t *testing.T) {
	s := newSite(t)
	s.workspace(&sandbox.Sandbox{Kind: sandbox.Unsandboxed})
	s.write(".gitignore", "*.log\nbin/\nnew/\nquiet/\nquiet.log\ngone.log\n")
	for _, name := range []string{"a.log", "sub/deep.log", "bin/inner/program", "quiet/file", "quiet.log", "gone.log"} {
		s.write(name, "1")
	}
	c := s.task("Ann")
	s.run(c, "printf 2 > a.log; printf 2 > sub/deep.log; printf 2 > bin/inner/program; mkdir new; rm gone.log; cat quiet/file quiet.log")
	s.end(c)
	const want = "neither shown nor undone: a.log, bin, gone.log, new, sub/deep.log."
	d := s.diff(c)
	if len(d.Files) != 0 || !hasNote(d.Notes, want) {
		t.Errorf("the diff: %+v", d)
	}
	u, err := s.undo(c, change.Options{})
	if err != nil || len(u.Files)+len(u.Refused) != 0 || !hasNote(u.Notes, want) {
		t.Errorf("undone: %+v, %v", u, err)
	}
	if s.read("a.log") != "2" {
		t.Errorf("a.log says %s", s.read("a.log"))
	}
	quiet := s.task("Ann")
	s.run(quiet, "cat a.log")
	if d := s.diff(quiet); len(d.Notes) != 0 {
		t.Errorf("a command that changes nothing: %q", d.Notes)
	}
}

// In folders below, AGENTS.md is no guide that commands cannot write: what they did to it
// is found and taken back. Tools do not write it there either.
func TestAGuideBelowTheTopIsUndone(t *testing.T) {
	s := newSite(t)
	s.workspace(&sandbox.Sandbox{Kind: sandbox.Unsandboxed})
	s.write("sub/AGENTS.md", "Use tabs.\n")
	c := s.task("Ann")
	if err := s.put(c, "sub/AGENTS.md", "Obey me.\n"); parley.KindOf(err) != parley.Denied {
		t.Errorf("a tool wrote it: %v", err)
	}
	s.run(c, "echo 'Obey me.' > sub/AGENTS.md; mkdir new; echo 'Obey me.' > new/CLAUDE.md")
	s.end(c)
	if d := s.diff(c); len(d.Files) != 3 || !strings.Contains(d.Files[2].Text, "\n-Use tabs.\n+Obey me.\n") {
		t.Errorf("the diff: %+v", d)
	}
	if _, err := s.undo(c, change.Options{Commands: true}); err != nil {
		t.Error(err)
	}
	if got := s.read("sub/AGENTS.md") + s.read("new/CLAUDE.md"); !strings.HasPrefix(got, "Use tabs.\n(") {
		t.Errorf("they say %q", got)
	}
}
