package session_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"parley"
	"parley/internal/access"
	"parley/internal/app"
	"parley/internal/session"
	"parley/internal/store"
	"parley/internal/store/sqlite"
	"parley/internal/token"
)

// house is a hub with Ada, Bob and an agent program, on a database of its own.
type house struct {
	t      *testing.T
	dir    string
	now    *time.Time
	store  store.Store
	hub    *app.Hub
	people []string
	ids    map[string]parley.AgentID
	team   parley.TeamID
	log    *bytes.Buffer
}

// template is an empty database. To copy it takes less time than to make one.
var template = sync.OnceValues(func() (content []byte, err error) {
	dir, err := os.MkdirTemp("", "parley-session-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	path := filepath.Join(dir, "parley.db")
	st, err := sqlite.Open(path, sqlite.Options{})
	if err != nil {
		return nil, err
	}
	if err := st.Close(); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})

func build(t *testing.T) *house {
	t.Helper()
	now := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	h := &house{t: t, dir: t.TempDir(), now: &now, people: []string{"Ada", "Bob"}, log: &bytes.Buffer{}}
	empty, err := template()
	if err == nil {
		err = os.WriteFile(filepath.Join(h.dir, "parley.db"), empty, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	h.open()
	t.Cleanup(h.close)
	return h
}

func (h *house) open() {
	h.t.Helper()
	st, err := sqlite.Open(filepath.Join(h.dir, "parley.db"), sqlite.Options{Clock: func() time.Time { return *h.now }})
	if err != nil {
		h.t.Fatal(err)
	}
	h.store = st
	h.hub = app.NewHub(app.HubConfig{Store: st, Log: slog.New(slog.NewTextHandler(h.log, &slog.HandlerOptions{Level: slog.LevelDebug})), Unindexed: true})
	h.join()
}

func (h *house) close() {
	if err := h.store.Close(); err != nil {
		h.t.Error(err)
	}
}

// join reads the files, so to say.
func (h *house) join() {
	h.t.Helper()
	roster := app.Roster{Team: "main", Members: []app.Member{{Name: "Joiner", Kind: parley.Client, Limits: parley.DefaultLimits()}}}
	for _, name := range h.people {
		roster.Members = append(roster.Members, app.Member{Name: name, Kind: parley.Person, Limits: parley.DefaultLimits()})
	}
	team, err := h.hub.Join(h.t.Context(), roster)
	if err != nil {
		h.t.Fatal(err)
	}
	h.team, h.ids = team.ID, map[string]parley.AgentID{}
	for _, m := range roster.Members {
		e, err := h.hub.Directory.Find(team.ID, m.Name)
		if err != nil {
			h.t.Fatal(err)
		}
		h.ids[m.Name] = e.ID
	}
}

func (h *house) as(name string) access.Caller {
	return access.Caller{Team: h.team, Agent: h.ids[name]}
}

func (h *house) token(name string) (secret string, id parley.TokenID) {
	h.t.Helper()
	made, err := h.hub.Tokens.Create(h.t.Context(), h.as("Ada"), token.Request{For: name})
	if err != nil {
		h.t.Fatal(err)
	}
	return made.Secret, made.ID
}

func (h *house) link(name string, by parley.TokenID) session.Link {
	h.t.Helper()
	l, err := h.hub.Sessions.Link(h.t.Context(), h.as(name), by)
	if err != nil {
		h.t.Fatal(err)
	}
	return l
}

func (h *house) signIn(name string, by parley.TokenID) session.Opened {
	h.t.Helper()
	o, err := h.hub.Sessions.Open(h.t.Context(), h.link(name, by).Code, "Firefox")
	if err != nil {
		h.t.Fatal(err)
	}
	return o
}

func (h *house) look(o session.Opened) error {
	_, err := session.Look(h.t.Context(), h.store, o.Secret)
	return err
}

func (h *house) refused(err error, kind parley.Kind, says, hint string) {
	h.t.Helper()
	if parley.KindOf(err) != kind || !strings.Contains(err.Error(), says) || !strings.Contains(err.Error(), hint) {
		h.t.Errorf("%v (%s), want %q with %q", err, parley.KindOf(err), says, hint)
	}
}

// events are the record, as kind and detail.
func (h *house) events() (lines []string) {
	h.t.Helper()
	err := h.store.View(h.t.Context(), func(tx *store.Tx) error {
		list, _, err := tx.Events(h.team, "", 1000)
		for _, e := range list {
			lines = append(lines, string(e.Kind)+" "+e.Detail)
		}
		return err
	})
	if err != nil {
		h.t.Fatal(err)
	}
	return lines
}

func TestALinkOpensOnce(t *testing.T) {
	h := build(t)
	l := h.link("Ada", 0)
	if whose, err := h.hub.Sessions.Whose(t.Context(), l.Code); whose != "Ada" || err != nil {
		t.Errorf("%q, %v", whose, err)
	}
	o, err := h.hub.Sessions.Open(t.Context(), l.Code, "Fire\x1b[31mfox\n\u202e  on   Linux"+strings.Repeat("x", 500))
	if err != nil || o.Agent != h.ids["Ada"] || o.Owner.Name != "Ada" || !strings.HasPrefix(o.Browser, "Fire [31mfox on Linuxxx") || len([]rune(o.Browser)) > 80 {
		t.Errorf("%+v, %v", o, err)
	}
	u, err := session.Look(t.Context(), h.store, o.Secret)
	if err != nil || u.Session != o.Session || u.Owner.ID != h.ids["Ada"] || u.Owner.Team != h.team {
		t.Errorf("%+v, %v", u, err)
	}
	const hint = "Make a new one with: parley up --open"
	_, err = h.hub.Sessions.Open(t.Context(), l.Code, "")
	h.refused(err, parley.Unauthentic, "This link has been used. Each opens the page once.", hint)
	_, err = h.hub.Sessions.Whose(t.Context(), l.Code)
	h.refused(err, parley.Unauthentic, "This link has been used.", hint)
	for _, wrong := range []string{"", "x", strings.Repeat("x", 43), l.Code + "x", o.Secret} {
		_, err := h.hub.Sessions.Open(t.Context(), wrong, "")
		h.refused(err, parley.Unauthentic, "This link is not known here.", hint)
		if parley.RuleOf(err) != session.RuleUnknown {
			t.Errorf("%q is no guess: %v", wrong, err)
		}
	}
	if _, err := session.Look(t.Context(), h.store, l.Code); parley.KindOf(err) != parley.Unauthentic {
		t.Errorf("a code is no session: %v", err)
	}
}

func TestALinkExpires(t *testing.T) {
	h := build(t)
	l := h.link("Ada", 0)
	if want := parley.Micros(h.now.UnixMicro()).Add(10 * time.Minute); l.Expires < want || l.Expires > want+1000 {
		t.Errorf("%v, want %v", l.Expires, want)
	}
	*h.now = h.now.Add(10*time.Minute + time.Millisecond)
	_, err := h.hub.Sessions.Open(t.Context(), l.Code, "")
	h.refused(err, parley.Unauthentic, "This link has expired.", "parley up --open")
	// After some days nobody remembers it.
	*h.now = h.now.Add(48 * time.Hour)
	h.link("Ada", 0)
	_, err = h.hub.Sessions.Open(t.Context(), l.Code, "")
	h.refused(err, parley.Unauthentic, "This link is not known here.", "parley up --open")
}

func TestManyBrowsersOpenOneLinkAtOnce(t *testing.T) {
	h := build(t)
	l := h.link("Ada", 0)
	var wait sync.WaitGroup
	errs := make(chan error, 20)
	for range cap(errs) {
		wait.Go(func() {
			_, err := h.hub.Sessions.Open(context.Background(), l.Code, "")
			errs <- err
		})
	}
	wait.Wait()
	close(errs)
	in := 0
	for err := range errs {
		if err == nil {
			in++
			continue
		}
		h.refused(err, parley.Unauthentic, "has been used", "")
	}
	if list, err := h.hub.Sessions.List(t.Context(), h.as("Ada")); in != 1 || len(list) != 1 || err != nil {
		t.Errorf("%d got in, %d sessions, %v", in, len(list), err)
	}
}

func TestSigningInWithAToken(t *testing.T) {
	h := build(t)
	secret, id := h.token("Bob")
	o, err := h.hub.Sessions.OpenWithToken(t.Context(), secret, "Firefox")
	if err != nil || o.Owner.Name != "Bob" || o.Token != id {
		t.Fatalf("%+v, %v", o, err)
	}
	if err := h.look(o); err != nil {
		t.Error(err)
	}
	if _, err := h.hub.Tokens.Revoke(t.Context(), h.as("Ada"), id); err != nil {
		t.Fatal(err)
	}
	h.refused(h.look(o), parley.Unauthentic, "You are not signed in here.", "sign in with your token")
	_, err = h.hub.Sessions.OpenWithToken(t.Context(), secret, "")
	h.refused(err, parley.Unauthentic, "This token was revoked.", "")
	_, err = h.hub.Sessions.OpenWithToken(t.Context(), token.New(), "")
	h.refused(err, parley.Unauthentic, "This token is not known here.", "")

	agent, _ := h.token("Joiner")
	_, err = h.hub.Sessions.OpenWithToken(t.Context(), agent, "")
	h.refused(err, parley.Denied, "This is the token of Joiner, which is an agent. The page is for people.", "Use the token of a person.")
	if list, err := h.hub.Sessions.List(t.Context(), h.as("Ada")); len(list) != 0 || err != nil {
		t.Errorf("%+v, %v", list, err)
	}
	if all := strings.Join(h.events(), "\n"); !strings.Contains(all, "access.refused") || !strings.Contains(all, "sign in to the page") {
		t.Errorf("the refusal is not on record: %s", all)
	}
}

// A link and what comes of it end with the token that made it: whoever had that token
// does not stay.
func TestWhatAStolenTokenLeavesBehindEndsWithIt(t *testing.T) {
	h := build(t)
	_, id := h.token("Ada")
	o, l := h.signIn("Ada", id), h.link("Ada", id)
	if _, err := h.hub.Tokens.Revoke(t.Context(), h.as("Ada"), id); err != nil {
		t.Fatal(err)
	}
	h.refused(h.look(o), parley.Unauthentic, "not signed in", "")
	_, err := h.hub.Sessions.Open(t.Context(), l.Code, "")
	h.refused(err, parley.Unauthentic, "This link has ended with the token that it was made with.", "parley up --open")
}

func TestASessionEnds(t *testing.T) {
	h := build(t)
	ada, bob, idle := h.signIn("Ada", 0), h.signIn("Bob", 0), h.signIn("Ada", 0)
	left := h.link("Bob", 0)

	// Whoever is taken out of the files is signed out.
	h.people = []string{"Ada"}
	h.join()
	h.refused(h.look(bob), parley.Unauthentic, "not signed in", "")
	if _, err := h.hub.Sessions.Open(t.Context(), left.Code, ""); parley.KindOf(err) != parley.Unauthentic {
		t.Errorf("Bob has gone: %v", err)
	}

	// One that is used stays.
	*h.now = h.now.Add(parley.SessionIdle - time.Minute)
	err := h.store.Update(t.Context(), func(tx *store.Tx) error { tx.SetSessionUsed(ada.ID, tx.Now); return nil })
	if err != nil {
		t.Fatal(err)
	}
	*h.now = h.now.Add(2 * time.Minute)
	if err := h.look(ada); err != nil {
		t.Error(err)
	}
	h.refused(h.look(idle), parley.Unauthentic, "not signed in", "")
	h.signIn("Ada", 0) // which clears away
	*h.now = h.now.Add(-time.Hour)
	if list, err := h.hub.Sessions.List(t.Context(), h.as("Ada")); len(list) != 2 || list[0].ID != ada.ID || err != nil {
		t.Errorf("%+v, %v", list, err)
	}

	if ended, err := h.hub.Sessions.EndAll(t.Context(), h.as("Ada"), ada.ID); len(ended) != 1 || ended[0].ID == ada.ID || err != nil {
		t.Errorf("%+v, %v", ended, err)
	}
	if ended, err := h.hub.Sessions.End(t.Context(), h.as("Ada"), ada.ID); ended.Session.ID != ada.ID || ended.Owner != "Ada" || err != nil {
		t.Errorf("%+v, %v", ended, err)
	}
	h.refused(h.look(ada), parley.Unauthentic, "not signed in", "")
	_, err = h.hub.Sessions.End(t.Context(), h.as("Ada"), ada.ID)
	h.refused(err, parley.NotFound, "session-1 not found.", "parley session list")
}

func TestOnlyPeopleHaveSessions(t *testing.T) {
	h := build(t)
	o := h.signIn("Ada", 0)
	turn := h.as("Ada")
	turn.Token = 7
	for name, c := range map[string]access.Caller{"an agent": h.as("Joiner"), "a turn": turn} {
		_, link := h.hub.Sessions.Link(t.Context(), c, 0)
		_, list := h.hub.Sessions.List(t.Context(), c)
		_, end := h.hub.Sessions.End(t.Context(), c, o.ID)
		_, all := h.hub.Sessions.EndAll(t.Context(), c, 0)
		for _, err := range []error{link, list, end, all} {
			if parley.KindOf(err) != parley.Denied {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	if err := h.look(o); err != nil {
		t.Error(err)
	}
}

// What is on disk, in the log and in the record is of no use to whoever reads it.
func TestNoSecretIsStored(t *testing.T) {
	h := build(t)
	secret, _ := h.token("Bob")
	l := h.link("Ada", 0)
	ada, err := h.hub.Sessions.Open(t.Context(), l.Code, "Firefox")
	if err != nil {
		t.Fatal(err)
	}
	bob, err := h.hub.Sessions.OpenWithToken(t.Context(), secret, "Safari")
	if err != nil {
		t.Fatal(err)
	}
	_, again := h.hub.Sessions.Open(t.Context(), l.Code, "")
	if _, err := h.hub.Sessions.End(t.Context(), h.as("Ada"), bob.ID); err != nil {
		t.Fatal(err)
	}
	places := map[string]string{"the log": h.log.String(), "the record": strings.Join(h.events(), "\n"), "an error": again.Error()}
	h.close()
	defer h.open() // for the end of the test
	files, err := filepath.Glob(filepath.Join(h.dir, "*"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, name := range files {
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		places[name] = string(content)
	}
	for name, content := range places {
		for what, secret := range map[string]string{"a code": l.Code, "a session": ada.Secret, "an ended session": bob.Secret, "a token": secret} {
			if strings.Contains(content, secret) {
				t.Errorf("%s has the secret of %s", name, what)
			}
		}
	}
	if db := places[filepath.Join(h.dir, "parley.db")]; !strings.Contains(db, token.Hash(ada.Secret)) {
		t.Error("the hash is not in the file: the search finds nothing")
	}
	for _, want := range []string{"session.opened session-1 (Firefox)", "session.opened session-2 (Safari)", "session.ended session-2 (Safari)"} {
		if !strings.Contains(places["the record"], want) {
			t.Errorf("%q is not on record: %s", want, places["the record"])
		}
	}
}

func TestARestartKeepsSessions(t *testing.T) {
	h := build(t)
	o, l := h.signIn("Ada", 0), h.link("Ada", 0)
	h.close()
	h.open()
	if err := h.look(o); err != nil {
		t.Error(err)
	}
	if _, err := h.hub.Sessions.Open(t.Context(), l.Code, ""); err != nil {
		t.Error(err)
	}
}
