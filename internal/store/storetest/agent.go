package storetest

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/internal/store"
)

func agentsRoundTrip(t *testing.T, open Open) {
	w := newWorld(t, open)
	w.update(func(tx *store.Tx) error {
		w.bob.Name, w.bob.Kind, w.bob.Turns, w.bob.Removed = "BOB", parley.Client, 3, true
		w.bob.Offline, w.bob.SleepingUntil = true, 77
		w.bob.Rate = parley.Rate{At: 8, Debt: 9 * time.Microsecond}
		tx.UpdateAgent(w.bob)
		tx.SetOffline(w.bob.ID, w.bob.Offline)
		tx.SetSleep(w.bob.ID, w.bob.SleepingUntil)
		tx.SetRate(w.bob.ID, w.bob.Rate)
		tx.InsertToken("hash", parley.Token{Agent: w.bob.ID})
		tx.InsertToken("hash", parley.Token{Agent: w.ann.ID}) // the first one counts
		tx.InsertTeam(&parley.Team{Name: "Other"})
		return nil
	})
	w.view(func(tx *store.Tx) error {
		team, err := tx.TeamByName(" mAiN ")
		if team != w.team || err != nil {
			t.Errorf("team %v, %v", team, err)
		}
		if team, err := tx.Team(w.team.ID); team != w.team || err != nil {
			t.Errorf("team by id: %v, %v", team, err)
		}
		if team, err := tx.Team(w.team.ID); team != w.team || err != nil {
			t.Errorf("by id: %v, %v", team, err)
		}
		list, err := tx.Agents(w.team.ID)
		if diff := cmp.Diff([]parley.Agent{w.ann, w.bob, w.carol}, list); diff != "" || err != nil {
			t.Error(diff, err)
		}
		if tok, err := tx.TokenByHash("hash"); tok.Agent != w.bob.ID || err != nil {
			t.Errorf("the token is of %d, %v", tok.Agent, err)
		}
		return nil
	})
}

// Who goes through the agents of a team meets each of them once, in order and whole, and
// nobody of another team.
func eachAgent(t *testing.T, open Open) {
	w := newWorld(t, open)
	other := parley.Team{Name: "Other"}
	w.update(func(tx *store.Tx) error {
		tx.InsertTeam(&other)
		tx.InsertAgent(&parley.Agent{Team: other.ID, Name: "Bert", Kind: parley.Native, Home: "there"})
		w.carol.Removed, w.carol.Home, w.carol.Turns = true, "here", 5
		tx.UpdateAgent(w.carol)
		return nil
	})
	for team, want := range map[parley.TeamID][]string{w.team.ID: {"Ann", "Bob", "Carol"}, other.ID: {"Bert"}, 999: nil} {
		w.view(func(tx *store.Tx) error {
			var names []string
			err := tx.EachAgent(team, func(a parley.Agent) {
				names = append(names, a.Name)
				if a.Name == w.carol.Name && a != w.carol {
					t.Errorf("%+v, not %+v", a, w.carol)
				}
			})
			if diff := cmp.Diff(want, names); diff != "" || err != nil {
				t.Errorf("team %d: %s %v", team, diff, err)
			}
			return nil
		})
	}
}

func notFound(t *testing.T, open Open) {
	w := newWorld(t, open)
	w.update(func(tx *store.Tx) error {
		for what, read := range map[string]func() error{
			"team":       func() error { _, err := tx.TeamByName("nobody"); return err },
			"team by id": func() error { _, err := tx.Team(999); return err },
			"agent":      func() error { _, err := tx.Agent(999); return err },
			"lock agent": func() error { _, err := tx.LockAgent(999); return err },
			"token":      func() error { _, err := tx.TokenByHash("none"); return err },
			"channel":    func() error { _, err := tx.Channel(999); return err },
			"dm":         func() error { _, err := tx.DM(w.ann.ID, w.bob.ID); return err },
			"thread":     func() error { _, err := tx.Thread(999); return err },
			"latest":     func() error { _, err := tx.LatestThread(999); return err },
			"post":       func() error { _, err := w.post(tx, 999, ""); return err },
			"message":    func() error { _, err := tx.Message(999); return err },
			"attachment": func() error { _, err := tx.Attachment(999); return err },
			"task":       func() error { _, err := tx.Task(999); return err },
			"lock tasks": func() error { _, err := tx.LockTasks(999); return err },
			"contact":    func() error { _, err := tx.ContactState(w.ann.ID, 999, 0, ""); return err },
		} {
			if err := read(); err != store.ErrNotFound {
				t.Errorf("%s: %v", what, err)
			}
		}
		return nil
	})
}

func contactState(t *testing.T, open Open) {
	w := newWorld(t, open)
	contact := func(in parley.TaskID, key string) (s store.ContactState) {
		t.Helper()
		w.update(func(tx *store.Tx) (err error) {
			s, err = tx.ContactState(w.bob.ID, w.ann.ID, in, key)
			return err
		})
		return s
	}
	want := store.ContactState{Sender: w.bob, Target: w.ann}
	if diff := cmp.Diff(want, contact(0, "")); diff != "" {
		t.Errorf("before the first contact: %s", diff)
	}

	want.DM = w.dm()
	want.Task = w.task(parley.Task{})
	w.update(func(tx *store.Tx) (err error) {
		want.Before = parley.Message{Team: w.team.ID, Thread: want.DM.Main, Author: w.bob.ID, Origin: want.Task.ID, Key: "k"}
		return tx.Post(&want.Before)
	})
	if diff := cmp.Diff(want, contact(want.Task.ID, "k")); diff != "" {
		t.Errorf("of a task, under a key used before: %s", diff)
	}
	// The next post goes to the thread that was locked.
	w.update(func(tx *store.Tx) error {
		s, err := tx.ContactState(w.bob.ID, w.ann.ID, 0, "")
		if err != nil {
			return err
		}
		m, err := w.post(tx, s.DM.Main, "next")
		if m.N != 2 || m.Prev != want.Before.ID {
			t.Errorf("the next message: %+v", m)
		}
		return err
	})
}
