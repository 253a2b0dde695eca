// Package scenario plays whole flows on a real hub: a real database, real
// tools, and models that follow a script. A scenario acts as the people of a
// team, waits, and then looks at what every participant was shown and at what
// is stored.
//
// Most scenarios run in a synctest bubble, where two minutes of waiting take
// no time and the order of things that happen at different moments is certain.
package scenario

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"parley"
	"parley/internal/app"
	"parley/internal/bubbletest"
	"parley/internal/model/scripted"
	"parley/internal/store"
	"parley/internal/store/sqlite"
	"parley/internal/tool"
)

// Team says who takes part and how they behave.
type Team struct {
	// Agents are the native ones.
	Agents []string
	// People are rutger alone if nobody is named.
	People []string
	// Script is what the agents' models follow.
	Script string
	// Member changes a member before it joins.
	Member func(m *app.Member)
	// Channels are group channels of all members.
	Channels []string
	// Tools are further toolsets.
	Tools map[string][]tool.Tool
	// Hub changes the hub's configuration.
	Hub func(c *app.HubConfig)
}

// Stage is a hub with its team, at work.
type Stage struct {
	testing.TB
	*app.Hub
	Models *Models

	team    Team
	log     *log
	id      parley.TeamID
	stop    context.CancelFunc
	stopped chan error
	marks   int // left in the record
}

// Play plays a scenario in a bubble, on an SQLite file, and then checks what
// holds after every scenario.
func Play(t *testing.T, team Team, play func(s *Stage)) {
	t.Helper()
	t.Parallel()
	bubbletest.Test(t, func(t *testing.T) {
		s := Raise(t, team, OpenFile(t, filepath.Join(t.TempDir(), "parley.db")))
		s.perform(play)
		s.Stop()
		s.CheckPromises()
		s.CheckLog()
	})
}

// perform plays. A test that expects more items in a list than there are fails under
// its own name: a panic would end the whole package.
func (s *Stage) perform(play func(s *Stage)) {
	s.Helper()
	defer func() {
		if p := recover(); p != nil {
			s.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	play(s)
}

// OpenFile opens an SQLite store that is closed with the test. It does not wait
// for the disk: what power loss does is not the subject here.
func OpenFile(t testing.TB, path string) store.Store {
	t.Helper()
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		empty, err := emptyFile()
		if err == nil {
			err = os.WriteFile(path, empty, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	st, err := sqlite.Open(path, sqlite.Options{Readers: 1, Synchronous: "OFF"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Errorf("closing the store: %v", err)
		}
	})
	return st
}

// emptyFile is a database with nothing but its schema. Making it takes longer
// than most scenarios, so it is made once.
var emptyFile = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "scenario")
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, "parley.db")
	st, err := sqlite.Open(path, sqlite.Options{})
	if err != nil {
		return nil, err
	}
	if err := st.Close(); err != nil {
		return nil, err
	}
	data, err := os.ReadFile(path)
	return data, errors.Join(err, os.RemoveAll(dir))
})

// Raise starts a hub on a store. It is stopped with the test, if it was not
// stopped before.
func Raise(t testing.TB, team Team, st store.Store) *Stage {
	t.Helper()
	return raise(t, team, st, parseModels(t, team))
}

func parseModels(t testing.TB, team Team) *Models {
	t.Helper()
	script, err := scripted.Parse("script.yaml", []byte(team.Script))
	if err != nil {
		t.Fatal(err)
	}
	return newModels(script)
}

func raise(t testing.TB, team Team, st store.Store, models *Models) *Stage {
	t.Helper()
	log := &log{Handler: slog.NewTextHandler(t.Output(), nil)}
	cfg := app.HubConfig{Store: st, Log: slog.New(log), Name: "stage", Toolsets: team.Tools}
	if !st.Shared() {
		cfg.Poll = time.Hour // it finds nothing, and days go by quickly
	}
	if team.Hub != nil {
		team.Hub(&cfg)
	}
	s := &Stage{TB: t, Hub: app.NewHub(cfg), Models: models, team: team, log: log, stopped: make(chan error, 1)}
	s.join()
	if err := s.Hub.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	s.stop = cancel
	go func() { s.stopped <- s.Hub.Run(ctx) }()
	t.Cleanup(s.Stop)
	return s
}

func (s *Stage) join() {
	s.Helper()
	roster := app.Roster{Team: parley.MainTeam}
	people := s.team.People
	if len(people) == 0 {
		people = []string{"rutger"}
	}
	for _, name := range people {
		roster.Members = append(roster.Members, app.Member{Name: name, Kind: parley.Person, Limits: parley.DefaultLimits()})
	}
	for _, name := range s.team.Agents {
		roster.Members = append(roster.Members, app.Member{Name: name, Kind: parley.Native, Model: s.Models, Limits: parley.DefaultLimits()})
	}
	if s.team.Member != nil {
		for i := range roster.Members {
			s.team.Member(&roster.Members[i])
		}
	}
	for _, name := range s.team.Channels {
		roster.Channels = append(roster.Channels, app.Channel{Name: name, Members: []string{"*"}})
	}
	team, err := s.Join(s.Context(), roster)
	if err != nil {
		s.Fatal(err)
	}
	s.id = team.ID
}

// Stop stops the hub in order. A second call does nothing.
func (s *Stage) Stop() {
	s.Helper()
	if s.stop == nil {
		return
	}
	s.stop()
	s.stop = nil
	if err := <-s.stopped; err != nil {
		s.Errorf("stopping the hub: %v", err)
	}
}

// Abandon leaves a hub whose process has died: nothing of it matters any more.
func (s *Stage) Abandon() {
	s.stop()
	s.stop = nil
}

// Restart stops the hub in order and starts another on the same store, with
// the same models.
func (s *Stage) Restart() *Stage {
	s.Helper()
	s.Stop()
	return raise(s.TB, s.team, s.Store, s.Models)
}

// Pass lets time pass, with everything that happens in it. It is for scenarios in a
// bubble.
func (s *Stage) Pass(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

// agent is the id of a participant.
func (s *Stage) agent(name string) parley.AgentID {
	s.Helper()
	e, err := s.Directory.Find(s.id, name)
	if err != nil {
		s.Fatal(err)
	}
	return e.ID
}

func (s *Stage) name(id parley.AgentID) string {
	e, _ := s.Directory.Entry(id)
	return e.Name
}

func (s *Stage) view(fn func(tx *store.Tx) error) {
	s.Helper()
	if err := s.Store.View(context.Background(), fn); err != nil {
		s.Fatal(err)
	}
}

func (s *Stage) tasks() (list []parley.Task) {
	s.Helper()
	s.view(func(tx *store.Tx) (err error) {
		list, err = tx.Tasks(store.TaskFilter{Team: s.id, Limit: 1 << 20})
		return err
	})
	slices.Reverse(list)
	return list
}
