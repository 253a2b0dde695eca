package storetest

import (
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/internal/store"
)

// group stores a channel with the world's members in it.
func (w *world) group(name string, members ...parley.Agent) (c parley.Channel) {
	w.t.Helper()
	w.update(func(tx *store.Tx) error {
		c = parley.Channel{Team: w.team.ID, Name: name, Topic: "Talk", Home: "here"}
		made, err := tx.InsertGroup(&c)
		if !made {
			w.t.Errorf("%s was there", name)
		}
		for _, a := range members {
			tx.InsertMember(parley.Member{Channel: c.ID, Agent: a.ID, Home: "here"})
		}
		return err
	})
	return c
}

func groupRoundTrip(t *testing.T, open Open) {
	w := newWorld(t, open)
	room := w.group("Room", w.bob, w.ann)
	w.group("attic", w.carol)
	w.view(func(tx *store.Tx) error {
		got, err := tx.Group(w.team.ID, "rOOM")
		if d := cmp.Diff(room, got); d != "" || err != nil {
			t.Errorf("%v %s", err, d)
		}
		byID, err := tx.Channel(room.ID)
		if d := cmp.Diff(room, byID); d != "" || err != nil {
			t.Errorf("%v %s", err, d)
		}
		all, _ := tx.Groups(w.team.ID)
		own, _ := tx.GroupsOf(w.ann.ID)
		if len(all) != 2 || all[0].Name != "attic" || len(own) != 1 || own[0].ID != room.ID {
			t.Errorf("groups: %v, of Ann: %v", all, own)
		}
		if other, err := tx.Groups(w.team.ID + 1); len(other) > 0 || err != nil {
			t.Errorf("another team has %v, %v", other, err)
		}
		if _, err := tx.Group(w.team.ID+1, "Room"); err != store.ErrNotFound {
			t.Errorf("in another team: %v", err)
		}
		members, err := tx.Members(room.ID)
		if len(members) != 2 || members[0].Agent != w.ann.ID || members[1].Agent != w.bob.ID || members[0].Home != "here" {
			t.Errorf("members: %v", members)
		}
		return err
	})
	w.update(func(tx *store.Tx) error {
		again := parley.Channel{Team: w.team.ID, Name: "ROOM"}
		made, err := tx.InsertGroup(&again)
		if made || again.ID != room.ID {
			t.Errorf("a second one was made: %+v", again)
		}
		tx.DeleteMember(room.ID, w.bob.ID)
		return err
	})
	w.update(func(tx *store.Tx) error {
		if is, err := tx.IsMember(room.ID, w.bob.ID); is || err != nil {
			t.Errorf("Bob is %v, %v", is, err)
		}
		tx.DeleteMembers(room.ID)
		room.Removed = true
		tx.UpdateGroup(room)
		return nil
	})
	if free := w.group("room"); free.ID == room.ID { // its name is free again
		t.Errorf("%+v", free)
	}
}

// A dm is not found as a group, nor a group as a dm.
func groupIsNoDM(t *testing.T, open Open) {
	w := newWorld(t, open)
	room, dm := w.group("room", w.ann), w.dm()
	if room.ID == dm.ID || room.Main == dm.Main {
		t.Errorf("%+v and %+v", room, dm)
	}
	w.update(func(tx *store.Tx) error {
		m, err := w.post(tx, room.Main, "to the room")
		if m.N != 1 || err != nil {
			t.Errorf("the first post is number %d: %v", m.N, err)
		}
		list, err := tx.Deliveries(m.ID)
		if len(list) != 0 {
			t.Errorf("deliveries: %v", list)
		}
		return err
	})
}

func twoMakeOneGroup(t *testing.T, open Open) {
	w := newWorld(t, open)
	var made atomic.Int32
	atOnce(t, 8, func(int) error {
		mine := false
		err := w.Update(t.Context(), func(tx *store.Tx) (err error) {
			c := parley.Channel{Team: w.team.ID, Name: "room"}
			mine, err = tx.InsertGroup(&c)
			return err
		})
		if mine {
			made.Add(1)
		}
		return err
	})
	if n := made.Load(); n != 1 {
		t.Errorf("%d were made", n)
	}
}

// A member's read position moves forward, and past its own message only if it has
// read everything before.
func groupReading(t *testing.T, open Open) {
	w := newWorld(t, open)
	room := w.group("room", w.ann, w.bob)
	read := func(a parley.Agent) (n int) {
		w.view(func(tx *store.Tx) error {
			m, err := tx.Member(room.ID, a.ID)
			n = m.Read
			return err
		})
		return n
	}
	own := func(a parley.Agent, n int) {
		w.update(func(tx *store.Tx) error { tx.ReadOwn(room.ID, parley.Message{Author: a.ID, N: n}); return nil })
	}
	to := func(a parley.Agent, n int) {
		w.update(func(tx *store.Tx) error { tx.ReadGroup(room.ID, a.ID, n); return nil })
	}
	to(w.ann, 5)
	to(w.ann, 3)
	own(w.ann, 6)
	own(w.ann, 9)
	if n := read(w.ann); n != 6 {
		t.Errorf("Ann has read %d", n)
	}
	w.update(func(tx *store.Tx) error { // both in one transaction, as at the end of a turn
		tx.ReadOwn(room.ID, parley.Message{Author: w.bob.ID, N: 3})
		tx.ReadGroup(room.ID, w.bob.ID, 2)
		return nil
	})
	if n := read(w.bob); n != 3 {
		t.Errorf("Bob has read %d", n)
	}
	to(w.carol, 7) // who is not a member
	w.update(func(tx *store.Tx) error {
		tx.InsertMember(parley.Member{Channel: room.ID, Agent: w.bob.ID, Read: 1}) // who is one already
		return nil
	})
	if n := read(w.bob); n != 3 {
		t.Errorf("invited again, Bob has read %d", n)
	}
}

func mentionTasks(t *testing.T, open Open) {
	w := newWorld(t, open)
	cause := w.task(parley.Task{})
	first := w.task(parley.Task{Pattern: parley.Mention, Request: 7, Cause: cause.ID})
	second := w.task(parley.Task{Pattern: parley.Mention, Request: 7, Cause: cause.ID, Agent: w.carol.ID})
	w.task(parley.Task{Request: 7}) // no mention
	person := w.task(parley.Task{Pattern: parley.Mention, Request: 8})
	w.view(func(tx *store.Tx) error {
		for _, c := range []struct {
			name string
			list func() ([]parley.Task, error)
			want []parley.Task
		}{
			{"of a message", func() ([]parley.Task, error) { return tx.MentionsOf(7) }, []parley.Task{first, second}},
			{"of a person's", func() ([]parley.Task, error) { return tx.MentionsOf(8) }, []parley.Task{person}},
			{"of a cause", func() ([]parley.Task, error) { return tx.CausedBy(cause.ID) }, []parley.Task{first, second}},
			{"of nothing", func() ([]parley.Task, error) { return tx.CausedBy(0) }, nil},
		} {
			got, err := c.list()
			if d := cmp.Diff(c.want, got); d != "" || err != nil {
				t.Errorf("%s: %v %s", c.name, err, d)
			}
		}
		return nil
	})
}

func mentionChain(t *testing.T, open Open) {
	w := newWorld(t, open)
	room, first := w.group("room", w.bob), w.task(parley.Task{})
	post := func(by parley.Agent) (m parley.Message) {
		m = parley.Message{Team: w.team.ID, Thread: room.Main, Author: by.ID, Kind: parley.PostMessage, Body: "hi"}
		w.update(func(tx *store.Tx) error { return tx.Post(&m) })
		return m
	}
	check := func(when string, want parley.TaskID) {
		t.Helper()
		w.view(func(tx *store.Tx) error {
			got, err := tx.MentionChain(room.Main, w.ann.ID, 3)
			if got != want || err != nil {
				t.Errorf("%s: %s, %v; want %s", when, got, err, want)
			}
			return nil
		})
	}
	check("in an empty channel", 0)
	post(w.bob)
	check("nobody was mentioned", 0)
	m := post(w.bob)
	w.task(parley.Task{Agent: w.bob.ID, Pattern: parley.Mention, Request: m.ID})
	w.task(parley.Task{Agent: w.ann.ID, Request: m.ID})
	check("somebody else was, and there is another task", 0)
	w.task(parley.Task{Agent: w.ann.ID, Pattern: parley.Mention, Request: m.ID, Chain: first.ID})
	check("mentioned", first.ID)
	post(w.ann)
	post(w.bob)
	check("three messages ago", first.ID)
	post(w.bob)
	check("four messages ago", 0)
	own := w.task(parley.Task{Agent: w.ann.ID, Pattern: parley.Mention, Request: post(w.carol).ID})
	check("by a person", own.Chain)
	post(w.carol)
	check("a person has written since", 0)
	gone := post(w.bob)
	w.task(parley.Task{Agent: w.ann.ID, Pattern: parley.Mention, Request: gone.ID, Chain: first.ID + 1000})
	check("the first task of the chain is gone", 0)
}

func postState(t *testing.T, open Open) {
	w := newWorld(t, open)
	room, task := w.group("room", w.bob), w.task(parley.Task{})
	m := parley.Message{Team: w.team.ID, Thread: room.Main, Author: w.bob.ID, Kind: parley.PostMessage, Body: "hi", Origin: task.ID, Key: "k"}
	w.update(func(tx *store.Tx) error {
		tx.SetRate(w.bob.ID, parley.Rate{At: 2})
		return tx.Post(&m, store.Recipient{ID: w.ann.ID}, store.Recipient{ID: w.carol.ID, Pulls: true})
	})
	w.update(func(tx *store.Tx) error {
		s, err := tx.PostState(w.bob.ID, 0, task.ID, "k")
		if s.Before.ID != m.ID || s.Task.ID != task.ID || s.Author.Rate.At != 2 || err != nil {
			t.Errorf("%+v, %v", s, err)
		}
		if s, err := tx.PostState(w.bob.ID, 0, 0, "k"); s.Before.ID != 0 || err != nil {
			t.Errorf("without the task: %+v, %v", s, err)
		}
		if _, err := tx.PostState(w.bob.ID, 0, task.ID+1000, ""); err != store.ErrNotFound {
			t.Errorf("of a task that is not there: %v", err)
		}
		to, err := tx.Deliveries(m.ID)
		if len(to) != 2 {
			t.Errorf("deliveries: %v", to)
		}
		return err
	})
}
