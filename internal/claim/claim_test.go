package claim_test

import (
	"log/slog"
	"testing"
	"time"

	"parley"
	"parley/internal/access"
	"parley/internal/app"
	"parley/internal/claim"
	"parley/internal/contact"
	"parley/internal/store/memtest"
)

// site is a team in memory that works on the same files.
type site struct {
	*testing.T
	store *memtest.Store
	hub   *app.Hub
	team  parley.TeamID
}

func newSite(t *testing.T) *site {
	t.Helper()
	s := &site{T: t, store: memtest.Open(t)}
	s.hub = app.NewHub(app.HubConfig{Store: s.store, Log: slog.New(slog.DiscardHandler)})
	roster := app.Roster{Team: "main", Members: []app.Member{{Name: "Pat", Kind: parley.Person, Limits: parley.DefaultLimits()}}}
	for _, name := range []string{"Ann", "Bob", "Cid"} {
		roster.Members = append(roster.Members, app.Member{Name: name, Kind: parley.Native, Role: "coder", Limits: parley.DefaultLimits()})
	}
	team, err := s.hub.Join(t.Context(), roster)
	if err != nil {
		t.Fatal(err)
	}
	s.team = team.ID
	return s
}

func (s *site) as(name string) access.Caller {
	s.Helper()
	e, err := s.hub.Directory.Find(s.team, name)
	if err != nil {
		s.Fatal(err)
	}
	return access.Caller{Team: s.team, Agent: e.ID}
}

// on is somebody who works on a task of their own.
func (s *site) on(name string) access.Caller {
	s.Helper()
	made, err := s.hub.Contacts.Delegate(s.Context(), s.as("Pat"), contact.Request{Target: name, Message: "Work."})
	if err != nil {
		s.Fatal(err)
	}
	c := s.as(name)
	c.Task = made.Task.ID
	return c
}

func (s *site) take(c access.Caller, from, to int) claim.Taken {
	s.Helper()
	got, err := s.hub.Claims.Take(s.Context(), c, "main.go", parley.Lines{From: from, To: to})
	if err != nil {
		s.Fatal(err)
	}
	return got
}

// list returns the holders of all claims, in the order of the lines.
func (s *site) list() (names []string) {
	s.Helper()
	all, err := s.hub.Claims.List(s.Context(), s.as("Pat"))
	if err != nil {
		s.Fatal(err)
	}
	for _, h := range all {
		names = append(names, h.Holder)
	}
	return names
}

// A claim belongs to a task: another task of the same agent conflicts with it like
// anybody else's.
func TestAClaimIsATasks(t *testing.T) {
	s := newSite(t)
	first, second := s.on("Ann"), s.on("Ann")
	if got := s.take(first, 1, 10); len(got.Conflicts) > 0 || got.Renewed || got.Holder != "Ann" || got.Left != claim.Duration {
		t.Errorf("taken: %+v", got)
	}
	if got := s.take(second, 5, 6); len(got.Conflicts) != 1 || got.Conflicts[0].Task != first.Task {
		t.Errorf("another task of the same agent: %+v", got)
	}
	if got := s.take(s.on("Bob"), 11, 20); len(got.Conflicts) > 0 {
		t.Errorf("other lines: %+v", got)
	}
	if got := s.list(); len(got) != 2 {
		t.Errorf("claimed by %v", got)
	}
}

// Claiming again makes a claim last its full time from then on.
func TestAClaimIsRenewed(t *testing.T) {
	s := newSite(t)
	ann := s.on("Ann")
	s.take(ann, 1, 10)
	s.store.Pass(claim.Duration - time.Second)
	if got := s.take(ann, 1, 10); !got.Renewed || got.Left != claim.Duration {
		t.Errorf("renewed: %+v", got)
	}
	s.store.Pass(claim.Duration - time.Second)
	if got := s.take(s.on("Bob"), 1, 1); len(got.Conflicts) != 1 {
		t.Errorf("it was not renewed: %+v", got)
	}
	s.store.Pass(time.Second)
	if got := s.take(s.on("Bob"), 1, 1); len(got.Conflicts) != 0 {
		t.Errorf("it is still held: %+v", got)
	}
}

// A release ends only the caller's own claims.
func TestAReleaseIsOfOnesOwn(t *testing.T) {
	s := newSite(t)
	ann, bob := s.on("Ann"), s.on("Bob")
	s.take(ann, 1, 10)
	s.take(bob, 20, 30)
	given, err := s.hub.Claims.Release(t.Context(), ann, "main.go", parley.Lines{From: 1, To: 100})
	if err != nil || len(given) != 1 || given[0].Agent != ann.Agent {
		t.Errorf("given up: %+v, %v", given, err)
	}
	if got := s.list(); len(got) != 1 || got[0] != "Bob" {
		t.Errorf("left: %v", got)
	}
}

// An intent lasts half an hour, and no longer than its task.
func TestAnIntentLastsHalfAnHour(t *testing.T) {
	s := newSite(t)
	ann := s.on("Ann")
	if err := s.hub.Claims.Intend(t.Context(), ann, "main.go"); err != nil {
		t.Fatal(err)
	}
	concerned := func() []parley.AgentID {
		t.Helper()
		ids, _, err := s.hub.Claims.Concerned(t.Context(), s.as("Bob"), "main.go")
		if err != nil {
			t.Fatal(err)
		}
		return ids
	}
	s.store.Pass(30*time.Minute - time.Microsecond)
	if got := concerned(); len(got) != 1 || got[0] != ann.Agent {
		t.Errorf("just before: %v", got)
	}
	s.store.Pass(time.Microsecond)
	if got := concerned(); len(got) != 2 { // those of the same role
		t.Errorf("after it: %v", got)
	}
}
