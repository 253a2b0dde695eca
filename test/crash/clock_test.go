package crash

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"parley"
	"parley/api"
	"parley/internal/access"
	"parley/internal/app"
	"parley/internal/contact"
	"parley/internal/model/scripted"
	"parley/internal/store"
	"parley/internal/store/postgres"
	"parley/internal/store/sqlite"
)

// The machine's clock is set back while a hub runs, and again before the next
// one starts. Time stands still for the hub then: nothing is stored with a time
// before that of an older record, and everything works.
func TestTheClockIsSetBack(t *testing.T) {
	for _, c := range []struct {
		name string
		open func(g *ground, clock parley.Clock) func() (store.Store, error)
	}{
		{"sqlite", func(g *ground, clock parley.Clock) func() (store.Store, error) {
			return func() (store.Store, error) {
				return sqlite.Open(filepath.Join(g.dir, "parley.db"), sqlite.Options{Clock: clock})
			}
		}},
		{"postgres", func(g *ground, clock parley.Clock) func() (store.Store, error) {
			dsn := newDatabase(g)
			return func() (store.Store, error) {
				return postgres.Open(context.Background(), dsn, postgres.Options{Clock: clock})
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := newGround(t)
			var behind atomic.Int64
			open := c.open(g, func() time.Time { return time.Now().Add(-time.Duration(behind.Load())) })
			newest := g.askUnder(open, func() { behind.Store(int64(time.Hour)) })
			if newest = g.askUnder(open, func() { behind.Store(int64(24 * time.Hour)) }, newest); newest == 0 {
				t.Error("nothing is on record")
			}
		})
	}
}

// askUnder runs a hub, asks before and after the clock is set back, and returns
// the newest time on record. None may be older than the record before it.
func (g *ground) askUnder(open func() (store.Store, error), setBack func(), before ...parley.Micros) parley.Micros {
	g.Helper()
	st, err := open()
	if err != nil {
		g.Fatal(err)
	}
	defer st.Close()
	hub := app.NewHub(app.HubConfig{Store: st, Log: slog.New(slog.NewTextHandler(g.Output(), nil)), Name: "clock"})
	if err := hub.Start(g.Context()); err != nil {
		g.Fatal(err)
	}
	model, err := scripted.Parse("script.yaml", []byte(script))
	if err != nil {
		g.Fatal(err)
	}
	roster := app.Roster{Team: parley.MainTeam, Members: []app.Member{{Name: person, Kind: parley.Person, Limits: parley.DefaultLimits()}}}
	for _, name := range agents {
		roster.Members = append(roster.Members, app.Member{Name: name, Kind: parley.Native, Model: model, Limits: parley.DefaultLimits()})
	}
	joined, err := hub.Join(g.Context(), roster)
	if err != nil {
		g.Fatal(err)
	}
	pat, err := hub.Directory.Find(joined.ID, person)
	if err != nil {
		g.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	stopped := make(chan error, 1)
	go func() { stopped <- hub.Run(ctx) }()
	for i := range 2 {
		j := job{kind: kinds[4], id: fmt.Sprint(i)} // an ask within an ask
		answer, err := hub.Contacts.Ask(ctx, access.Caller{Team: joined.ID, Agent: pat.ID}, contact.Request{Target: j.agent, Message: j.text()})
		if err != nil {
			g.Fatal(err)
		}
		if wrong := j.checkResult(answer.Task.State.String(), answer.Text, answer.Task.Error); wrong != "" {
			g.Errorf("%s %s", j.text(), wrong)
		}
		setBack()
	}
	stop()
	if err := <-stopped; err != nil {
		g.Error(err)
	}
	return g.checkTimes(st, joined.ID, before)
}

func (g *ground) checkTimes(st store.Store, team parley.TeamID, before []parley.Micros) (newest parley.Micros) {
	g.Helper()
	for _, at := range before {
		newest = max(newest, at)
	}
	err := st.View(context.Background(), func(tx *store.Tx) error {
		if tx.Now < newest {
			g.Errorf("the time is %d, and was %d before", tx.Now, newest)
		}
		list, _, err := tx.Events(team, "", 1000)
		last := parley.Micros(0)
		for _, e := range list {
			if e.At < last && !st.Shared() { // several hubs commit in another order than their times
				g.Errorf("event %d is of %d, and the one before it of %d", e.ID, e.At, last)
			}
			last = max(last, e.At)
		}
		newest = max(newest, last)
		return err
	})
	if err != nil {
		g.Fatal(err)
	}
	return newest
}

// The real program runs on a database whose newest record is from tomorrow: it says
// so, and works.
func TestTheNewestRecordIsOfTomorrow(t *testing.T) {
	g := newGround(t)
	p := g.place("hub", team{})
	h := g.start(p)
	g.contact(h.waitUp(), api.ContactRequest{Action: "notify", Agent: "Ledger", Message: "note #1"})
	h.stop()
	execute(t, p.database(), "UPDATE event SET at = at + 86400000000")

	h = g.start(p)
	hub := h.waitUp()
	if said := h.lastWords(); !strings.Contains(said, "clock is behind") {
		t.Errorf("the hub said: %s", said)
	}
	about, err := hub.Hub(t.Context())
	if err != nil || about.ClockBehind < 80_000 {
		t.Errorf("the hub is behind by %v seconds (%v)", about.ClockBehind, err)
	}
	for _, j := range []job{{kinds[4], "2"}, {kinds[5], "3"}} {
		made := g.contact(hub, api.ContactRequest{Action: j.action, Agent: j.agent, Message: j.text(), Key: j.key()})
		ended, err := hub.WaitTask(t.Context(), made.Task.ID, patience)
		if err != nil {
			t.Fatal(err)
		}
		if wrong := j.checkResult(ended.State, ended.Result, ended.Error); wrong != "" {
			t.Errorf("%s %s", ended.ID, wrong)
		}
	}
	h.stop()
	db, err := openSQLite(p.database())
	if err != nil {
		t.Fatal(err)
	}
	defer db.close()
	r, err := read(db)
	if err != nil {
		t.Fatal(err)
	}
	if problems := atRest(r); len(problems) > 0 {
		t.Errorf("%s", lines(problems))
	}
}
