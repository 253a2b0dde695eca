package change_test

import (
	"strings"
	"testing"

	"parley"
	"parley/internal/access"
	"parley/internal/change"
)

// fail has a task fail.
func (s *site) fail(c access.Caller) {
	s.Helper()
	if _, err := s.hub.Contacts.EndTurn(s.Context(), parley.TurnEnd{Lease: s.store.Claim(c.Task, 1), Reason: "No."}); err != nil {
		s.Fatal(err)
	}
}

// resume goes on with a task that failed.
func (s *site) resume(c access.Caller) access.Caller {
	s.Helper()
	made, err := s.hub.Contacts.ResumeTask(s.Context(), s.as("Pat"), c.Task)
	if err != nil {
		s.Fatal(err)
	}
	c.Task = made.Task.ID
	return c
}

func (s *site) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

// conflict makes sure that an undo is refused with all of these and changes nothing.
func (s *site) conflict(c access.Caller, want ...string) {
	s.Helper()
	before := s.tree()
	for _, o := range []change.Options{{}, {Partial: true}, {Only: true}} {
		_, err := s.undo(c, o)
		for _, w := range want {
			if parley.KindOf(err) != parley.Conflict || !strings.Contains(err.Error(), w) {
				s.Errorf("%+v: %v; want %q", o, err, w)
			}
		}
	}
	if got := s.tree(); got != before {
		s.Errorf("although it was refused, the tree is\n%s", got)
	}
}

// A failed task and those that went on from it are one work: the last of them shows and
// takes back all of it, and the first cannot be taken back from under the others.
func TestAResumedTaskIsUndoneWithTheOneThatFailed(t *testing.T) {
	s := newSite(t)
	s.write("both", "0")
	before := s.tree()
	first := s.task("Ann")
	s.must(s.put(first, "both", "1"))
	s.must(s.put(first, "d/first", "1"))
	s.fail(first)
	second := s.resume(first)
	s.conflict(first, second.Task.String()+" goes on with what it changed", "parley task cancel "+second.Task.String(), "parley task undo "+second.Task.String())
	s.must(s.put(second, "both", "2"))
	s.fail(second)
	third := s.resume(second)
	s.conflict(first, "parley task cancel "+third.Task.String())
	s.conflict(second, "parley task cancel "+third.Task.String())
	s.must(s.put(third, "d/third", "3"))
	s.end(third)
	s.conflict(first, third.Task.String()+" went on with what it changed", "parley task undo "+third.Task.String())

	d := s.diff(first)
	if len(d.Files) != 3 || !hasNote(d.Notes, third.Task.String()+" went on where "+first.Task.String()+" failed", "parley task diff "+third.Task.String()) {
		t.Errorf("the first half: %+v", d)
	}
	d = s.diff(third)
	if len(d.Files) != 4 || len(d.Files[0].Tasks) != 2 || !strings.Contains(d.Files[0].Text, "\n-0\n") || !strings.Contains(d.Files[0].Text, "\n+2\n") {
		t.Errorf("all of it: %+v", d)
	}
	for _, c := range []access.Caller{first, second} {
		if !hasNote(d.Notes, "includes what "+c.Task.String()+" changed") {
			t.Errorf("the notes are %q", d.Notes)
		}
	}
	u, err := s.undo(third, change.Options{Only: true})
	if err != nil || len(u.Files) != 4 || s.tree() != before {
		t.Errorf("undone: %+v, %v; the tree is\n%s", u, err, s.tree())
	}
	for _, c := range []access.Caller{first, second, third} {
		if u, err := s.undo(c, change.Options{}); err != nil || !u.Before {
			t.Errorf("again: %+v, %v", u, err)
		}
	}
}

// A resumption that changed nothing leaves the failed one's changes to be taken back by
// either name.
func TestAHeirThatChangedNothingKeepsNothing(t *testing.T) {
	s := newSite(t)
	before := s.tree()
	first := s.task("Ann")
	s.must(s.put(first, "a", "1"))
	s.fail(first)
	s.end(s.resume(first))
	if u, err := s.undo(first, change.Options{}); err != nil || len(u.Files) != 1 || s.tree() != before {
		t.Errorf("undone: %+v, %v", u, err)
	}
}

// A subtask that failed goes on by itself, in a tree of its own: its parent's work is not
// taken back under it.
func TestAResumedSubtaskKeepsItsPart(t *testing.T) {
	s := newSite(t)
	before := s.tree()
	ann := s.task("Ann")
	lease := s.store.Claim(ann.Task, 1)
	made := s.below(lease, "Bob")
	s.must(s.put(ann, "ann", "1"))
	s.must(s.put(made, "bob", "1"))
	s.fail(made)
	if _, err := s.hub.Contacts.EndTurn(s.Context(), parley.TurnEnd{Lease: lease, Reason: "No."}); err != nil {
		t.Fatal(err)
	}
	heir := s.resume(made)
	s.refusedFor(ann, heir)
	s.must(s.put(heir, "bob", "2"))
	s.end(heir)
	s.refusedFor(ann, heir)
	for _, c := range []access.Caller{heir, ann} {
		if _, err := s.undo(c, change.Options{}); err != nil {
			t.Error(err)
		}
	}
	if got := s.tree(); got != before {
		t.Errorf("the tree is\n%s", got)
	}
}

func (s *site) refusedFor(c, heir access.Caller) {
	s.Helper()
	_, err := s.undo(c, change.Options{})
	if err == nil || !strings.Contains(err.Error(), "parley task undo "+heir.Task.String()+", and then undo "+c.Task.String()+".") {
		s.Errorf("refused with %v", err)
	}
}
