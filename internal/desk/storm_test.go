package desk_test

import (
	"log/slog"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"parley"
	"parley/internal/access"
	"parley/internal/app"
	"parley/internal/contact"
	"parley/internal/desk"
	"parley/internal/pgtest"
	"parley/internal/store"
	"parley/internal/store/postgres"
	"parley/internal/store/sqlite"
)

// Several processes of two clients receive, lose answers, end tasks and delegate to each
// other, while somebody cancels: every task ends once, whoever asked hears of it once, and
// nothing is left.
func TestProcessesOfClientsAtOnce(t *testing.T) {
	for name, open := range map[string]func(t *testing.T) (store.Store, error){
		"sqlite": func(t *testing.T) (store.Store, error) {
			return sqlite.Open(filepath.Join(t.TempDir(), "parley.db"), sqlite.Options{Synchronous: "OFF"})
		},
		"postgres": func(t *testing.T) (store.Store, error) {
			return postgres.Open(t.Context(), pgtest.DSN(t), postgres.Options{MaxConns: 8})
		},
	} {
		t.Run(name, func(t *testing.T) {
			st, err := open(t)
			if err != nil {
				t.Fatal(err)
			}
			defer func() {
				if err := st.Close(); err != nil {
					t.Error(err)
				}
			}()
			newStorm(t, st).run(6, 30)
		})
	}
}

type storm struct {
	*testing.T
	hub  *app.Hub
	team parley.TeamID
}

func newStorm(t *testing.T, st store.Store) *storm {
	s := &storm{T: t, hub: app.NewHub(app.HubConfig{Store: st, Log: slog.New(slog.DiscardHandler)})}
	limits := parley.DefaultLimits()
	limits.Rate = 1000
	team, err := s.hub.Join(t.Context(), app.Roster{Team: "main", Members: []app.Member{
		{Name: "Pat", Kind: parley.Person, Limits: limits}, {Name: "Codex", Kind: parley.Client, Limits: limits}, {Name: "Claude", Kind: parley.Client, Limits: limits}}})
	if err != nil {
		t.Fatal(err)
	}
	s.team = team.ID
	return s
}

func (s *storm) as(name string) access.Caller {
	e, err := s.hub.Directory.Find(s.team, name)
	if err != nil {
		s.Error(err)
	}
	return access.Caller{Team: s.team, Agent: e.ID}
}

func (s *storm) run(processes, tasks int) {
	var given, done sync.WaitGroup
	stop := make(chan struct{})
	for n := range processes {
		done.Go(func() { s.process([]string{"Codex", "Claude"}[n%2], []string{"Claude", "Codex"}[n%2], stop) })
	}
	for n := range 2 {
		given.Go(func() { s.give([]string{"Codex", "Claude"}[n], tasks) })
	}
	given.Wait()
	for s.open() > 0 && !s.Failed() {
		<-time.After(5 * time.Millisecond)
	}
	close(stop)
	done.Wait()
	s.check()
}

// give delegates, and cancels some of it.
func (s *storm) give(to string, n int) {
	for i := range n {
		c, err := s.hub.Contacts.Delegate(s.Context(), s.as("Pat"), contact.Request{Target: to, Message: "work"})
		if err != nil {
			s.Error(err)
			return
		}
		if i%5 == 0 {
			if err := s.hub.Contacts.Cancel(s.Context(), s.as("Pat"), c.Task.ID); err != nil && parley.KindOf(err) != parley.Conflict {
				s.Error(err)
			}
		}
	}
}

// process is a program that loses answers now and then.
func (s *storm) process(who, other string, stop chan struct{}) {
	cursor := ""
	for {
		select {
		case <-stop:
			return
		default:
		}
		b, err := s.hub.Desk.Receive(s.Context(), s.as(who), desk.Fetch{Cursor: cursor, Limit: 3})
		if err != nil {
			s.Error(err)
			return
		}
		if rand.IntN(3) == 0 {
			cursor = "" // the answer is lost
			continue
		}
		cursor = b.Cursor
		for _, i := range b.Items {
			if i.Task != 0 {
				s.work(who, other, i)
			}
		}
		for _, id := range b.Held { // what a process was handed that has lost it
			s.finish(who, id)
		}
	}
}

func (s *storm) work(who, other string, i desk.Item) {
	c := s.as(who)
	c.Task = i.Task
	if i.Message.Body == "work" && rand.IntN(2) == 0 {
		_, err := s.hub.Contacts.Delegate(s.Context(), c, contact.Request{Target: other, Message: "help", Key: "help"})
		if err != nil && parley.KindOf(err) != parley.Conflict {
			s.Error(err)
		}
	}
	s.finish(who, i.Task)
}

func (s *storm) finish(who string, id parley.TaskID) {
	err := s.hub.Desk.Complete(s.Context(), s.as(who), id, "Done.")
	if err != nil && parley.KindOf(err) != parley.Conflict { // another was first, or a subtask is open
		s.Error(err)
	}
}

func (s *storm) tasks() (list []parley.Task) {
	err := s.hub.Store.View(s.Context(), func(tx *store.Tx) (err error) {
		list, err = tx.Tasks(store.TaskFilter{Team: s.team, Limit: 10000})
		return err
	})
	if err != nil {
		s.Error(err)
	}
	return list
}

func (s *storm) open() (n int) {
	for _, t := range s.tasks() {
		if t.State.Open() {
			n++
		}
	}
	return n
}

func (s *storm) check() {
	results := map[parley.TaskID]int{}
	for _, who := range []string{"Pat", "Codex", "Claude"} {
		for cursor, n := "", 1; n > 0; {
			b, err := s.hub.Desk.Receive(s.Context(), s.as(who), desk.Fetch{Cursor: cursor, Limit: 100})
			if err != nil {
				s.Fatal(err)
			}
			for _, i := range b.Items {
				if i.Task != 0 {
					s.Errorf("%s is handed %s, which has ended", who, i.Task)
				}
				if who == "Pat" {
					results[i.Message.Task]++
				}
			}
			cursor, n = b.Cursor, len(b.Items)
		}
	}
	events := map[parley.TaskID]int{}
	err := s.hub.Store.View(s.Context(), func(tx *store.Tx) error {
		list, _, err := tx.Events(s.team, "", 100000)
		for _, e := range list {
			switch e.Kind {
			case parley.EventCompleted, parley.EventFailed, parley.EventCancelled:
				events[e.Task]++
			}
		}
		return err
	})
	if err != nil {
		s.Fatal(err)
	}
	for _, t := range s.tasks() {
		if events[t.ID] != 1 {
			s.Errorf("%s has ended %d times", t.ID, events[t.ID])
		}
		if t.Parent == 0 && results[t.ID] != 1 {
			s.Errorf("Pat heard %d times of %s, which is %s", results[t.ID], t.ID, t.State)
		}
		if t.State == parley.Completed && t.OpenChildren != 0 {
			s.Errorf("%s counts %d open subtasks", t.ID, t.OpenChildren)
		}
	}
}
