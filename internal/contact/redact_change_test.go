package contact_test

import (
	"fmt"
	"testing"

	"parley"
	"parley/internal/contact"
	"parley/internal/store"
)

// changed stores a change of a file, with what it said before and afterwards.
func (d *desk) changed(l parley.Lease, path, before, after string) parley.Change {
	d.Helper()
	c := parley.Change{Team: l.Team, Task: l.Task, Agent: l.Agent, Path: path, Place: parley.InWorkspace, State: parley.ChangeMade}
	for i, text := range []string{before, after} {
		s := parley.FileState{Kind: parley.RegularFile, Mode: 0o644, Size: int64(len(text)), Hash: fmt.Sprintf("hash of %s %d", path, i), Kept: true, Content: []byte(text)}
		if i == 0 {
			c.Before = s
		} else {
			c.After = s
		}
	}
	d.store.Do(func(tx *store.Tx) error { tx.InsertChange(&c); return nil })
	return c
}

// kept are the contents of a change that are still stored.
func (d *desk) kept(c parley.Change) (before, after bool) {
	d.Helper()
	d.store.See(func(tx *store.Tx) error {
		list, err := tx.Changes(c.Task)
		for _, one := range list {
			if one.ID == c.ID {
				before, after = one.Before.Kept, one.After.Kept
			}
		}
		return err
	})
	return before, after
}

// What files said is stored so that changes can be shown and taken back. Contents that
// quote a redacted text go, before or after, of whichever task; others stay.
func TestRedactTakesATextOutOfWhatFilesSaid(t *testing.T) {
	d := newDesk(t, "Ann", "Bob")
	ann := d.working("Ann")
	made, err := d.Delegate(d.Context(), turn(ann), contact.Request{Target: "Bob", Message: "Write down: " + secret})
	d.must(err)
	bob, other := d.claim(made.Task.ID), d.working("Bob")
	wrote := d.changed(bob, "new", "Nothing yet.\n", "# Note\nWrite down: "+secret+"\n")
	removed := d.changed(ann, "old", "Somebody said: Write down: "+secret+" (really)", "Gone.\n")
	elsewhere := d.changed(other, "copy", "", "> Write down: "+secret)
	unconcerned := d.changed(bob, "rest", "One.\n", "Two.\n")
	_, err = d.redactions.Redact(d.Context(), d.as("Pat"), made.Message, "")
	d.must(err)
	d.equal("left", []string(nil), d.secrets())
	for _, c := range []struct {
		name          string
		change        parley.Change
		before, after bool
	}{{"what was written", wrote, true, false}, {"what was removed", removed, false, true}, {"in another tree", elsewhere, true, false}, {"another file", unconcerned, true, true}} {
		before, after := d.kept(c.change)
		d.equal(c.name, []bool{c.before, c.after}, []bool{before, after})
	}
}

// A resumed task reads the steps of the one that failed, and both have trees of their own:
// a text that was said in one of them is gone from both, and from those in between.
func TestRedactTakesATextOutOfResumedTrees(t *testing.T) {
	for _, c := range []struct {
		name string
		said int // by which of the three
	}{{"said in the first", 0}, {"said in the second", 1}, {"said in the last", 2}} {
		t.Run(c.name, func(t *testing.T) {
			const word = "xyzzy42" // too short to be looked for in every tree
			d := newDesk(t, "Ann", "Bob")
			l := d.working("Ann")
			var message parley.MessageID
			for i := range 3 {
				if i == c.said { // a notification is part of no task but of the turn that wrote it
					made, err := d.Notify(d.Context(), turn(l), contact.Request{Target: "Bob", Message: word})
					d.must(err)
					message = made.Message
				}
				d.store.Do(func(tx *store.Tx) error {
					tx.InsertStep(parley.Step{Task: l.Task, Turn: i + 1, N: 1, Kind: parley.StepReply, Content: fmt.Appendf(nil, `{"message":%q}`, word)})
					return nil
				})
				d.changed(l, fmt.Sprint("file", i), "", word)
				d.fails(l, "No.")
				if i < 2 {
					next, err := d.ResumeTask(d.Context(), d.as("Pat"), l.Task)
					d.must(err)
					l = d.claim(next.Task.ID)
				}
			}
			if n := len(d.holding(word)); n < 7 {
				t.Fatalf("only in %d", n)
			}
			_, err := d.redactions.Redact(d.Context(), d.as("Pat"), message, "")
			d.must(err)
			d.equal("left", []string(nil), d.holding(word))
		})
	}
}
