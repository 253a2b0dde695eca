package storetest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/store"
)

// details joins the details of events, by which a test tells them apart.
func details(list []parley.Event) string {
	var all []string
	for _, e := range list {
		all = append(all, e.Detail)
	}
	return strings.Join(all, " ")
}

func eventFilters(t *testing.T, open Open) {
	clock := newClock()
	w := newWorldAt(t, open, clock.now)
	root := w.task(parley.Task{})
	child := w.task(parley.Task{Parent: root.ID, Root: root.ID})
	grandchild := w.task(parley.Task{Parent: child.ID, Root: root.ID})
	other := w.task(parley.Task{})
	var noon parley.Micros
	for i, e := range []parley.Event{
		{Kind: parley.EventTask, Actor: w.ann.ID, Target: w.bob.ID, Task: root.ID},
		{Kind: parley.EventTask, Actor: w.bob.ID, Target: w.carol.ID, Task: child.ID},
		{Kind: parley.EventRefused, Actor: w.carol.ID, Task: grandchild.ID},
		{Kind: parley.EventTimeout, Actor: w.ann.ID, Task: other.ID},
		{Kind: parley.EventToolRefused, Actor: w.bob.ID},
	} {
		e.Team, e.Detail = w.team.ID, fmt.Sprint(i)
		w.update(func(tx *store.Tx) error {
			if i == 2 {
				noon = tx.Now
			}
			tx.Record(e)
			tx.Record(parley.Event{Team: w.team.ID + 1, Kind: e.Kind, Actor: e.Actor, Task: e.Task, Detail: "another team's"})
			return nil
		})
		clock.move(time.Hour)
	}
	for _, c := range []struct {
		name string
		f    store.EventFilter
		want string
	}{
		{"everything", store.EventFilter{}, "0 1 2 3 4"},
		{"of an agent, by it or to it", store.EventFilter{Agent: w.bob.ID}, "0 1 4"},
		{"of two, one of whom reads", store.EventFilter{Agent: w.bob.ID, Sees: w.ann.ID}, "0"},
		{"of a task", store.EventFilter{Task: root.ID}, "0"},
		{"of a tree", store.EventFilter{Task: root.ID, Tree: true}, "0 1 2"},
		{"of a subtree", store.EventFilter{Task: child.ID, Tree: true}, "1 2"},
		{"of a kind", store.EventFilter{Kind: "contact.refused"}, "2"},
		{"of several kinds", store.EventFilter{Kinds: []parley.EventKind{parley.EventTimeout, parley.EventTask}}, "0 1 3"},
		{"of kinds that begin so", store.EventFilter{Kind: "t*"}, "0 1 4"},
		{"of kinds that end so", store.EventFilter{Kind: "*.refused"}, "2 4"},
		{"a line is no wildcard", store.EventFilter{Kind: "ask.timed_*"}, "3"},
		{"nor is this", store.EventFilter{Kind: "task_o*"}, ""},
		{"since", store.EventFilter{Since: noon}, "2 3 4"},
		{"until", store.EventFilter{Until: noon}, "0 1"},
		{"all at once", store.EventFilter{Agent: w.carol.ID, Task: root.ID, Tree: true, Kind: "contact.*", Since: noon, Until: noon + 1}, "2"},
	} {
		c.f.Team = w.team.ID
		w.view(func(tx *store.Tx) error {
			forward, _, err := tx.EventsOf(c.f, "", 10)
			if got := details(forward); got != c.want || err != nil {
				t.Errorf("%s, forwards: %q, want %q, %v", c.name, got, c.want, err)
			}
			back, next, err := tx.LastEvents(c.f, 10)
			if got := details(back); got != c.want || err != nil {
				t.Errorf("%s, the last: %q, want %q, %v", c.name, got, c.want, err)
			}
			all, _, err := tx.Events(c.f.Team, "", 10)
			others, _, err2 := tx.Events(c.f.Team+1, "", 10)
			all = slices.DeleteFunc(append(all, others...), func(e parley.Event) bool { return !c.f.Matches(e) })
			if got := details(all); !c.f.Tree && got != c.want || errors.Join(err, err2) != nil {
				t.Errorf("%s, one by one: %q, want %q, %v", c.name, got, c.want, errors.Join(err, err2))
			}
			if latest, _ := tx.LatestEvent(); next != latest {
				t.Errorf("%s: goes on from %q, not %q", c.name, next, latest)
			}
			return nil
		})
	}
	w.view(func(tx *store.Tx) error {
		list, _, err := tx.LastEvents(store.EventFilter{Team: w.team.ID, Agent: w.bob.ID}, 2)
		if got := details(list); got != "1 4" {
			t.Errorf("the last two: %q", got)
		}
		return err
	})
}

// A reader that follows a few events among many continues after those it left out,
// and misses none that come later.
func filterMovesOn(t *testing.T, open Open) {
	w := newWorld(t, open)
	f := store.EventFilter{Team: w.team.ID, Kind: "agent.status"}
	record := func(kind parley.EventKind, detail string) {
		w.update(func(tx *store.Tx) error {
			tx.Record(parley.Event{Team: w.team.ID, Kind: kind, Detail: detail})
			return nil
		})
	}
	cursor, seen := "", ""
	read := func() {
		w.view(func(tx *store.Tx) error {
			list, next, err := tx.EventsOf(f, cursor, 2)
			cursor, seen = next, seen+details(list)+";"
			return err
		})
	}
	record(parley.EventTask, "no")
	read()
	w.view(func(tx *store.Tx) error {
		latest, err := tx.LatestEvent()
		if cursor != latest {
			t.Errorf("it goes on from %q, the record ends at %q", cursor, latest)
		}
		return err
	})
	for _, detail := range []string{"a", "b", "c"} {
		record(parley.EventStatus, detail)
		record(parley.EventTask, "no")
	}
	read()
	read()
	read()
	if seen != ";a b;c;;" {
		t.Errorf("seen: %q", seen)
	}
}
