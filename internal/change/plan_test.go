package change_test

import (
	"strings"
	"testing"

	"parley"
	"parley/internal/change"
)

// A plan names what an undo would bring back and what it would refuse, and touches
// nothing.
func TestAPlanSaysWhatUndoWouldDo(t *testing.T) {
	s := newSite(t)
	s.write("hand", "1")
	s.write("mine", "1")
	c := s.task("Ann")
	for _, name := range []string{"hand", "mine", "new"} {
		if err := s.put(c, name, "2"); err != nil {
			t.Fatal(err)
		}
	}
	by := s.as("Pat")
	if _, err := s.hub.Changes.Plan(t.Context(), by, c.Task, change.Options{Commands: true}); parley.KindOf(err) != parley.Conflict || !strings.Contains(err.Error(), "may change more") {
		t.Errorf("the task is open: %v", err)
	}
	s.end(c)
	s.write("hand", "3")
	before := s.tree()
	plan, err := s.hub.Changes.Plan(t.Context(), by, c.Task, change.Options{Commands: true})
	if err != nil || len(plan.Files) != 2 || len(plan.Refused) != 1 || plan.Refused[0].Path != "hand" {
		t.Fatalf("%+v, %v", plan, err)
	}
	for _, f := range plan.Files {
		if want := map[string]string{"mine": "restored", "new": "removed"}[f.Path]; f.What != want {
			t.Errorf("%s would be %s", f.Path, f.What)
		}
	}
	if got := s.tree(); got != before {
		t.Errorf("the plan has changed the tree to\n%s", got)
	}
	if _, err := s.hub.Changes.Plan(t.Context(), c, c.Task, change.Options{Commands: true}); parley.KindOf(err) != parley.Denied {
		t.Errorf("an agent plans an undo: %v", err)
	}
}
