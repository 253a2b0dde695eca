package rules

import (
	"context"
	"log/slog"
	"time"

	"pgregory.net/rapid"

	"parley"
	"parley/internal/app"
	"parley/internal/store/sqlite"
	"parley/internal/tool"
)

// open opens the database; for the first time with the fault that the run is
// to find.
func (m *machine) open() {
	db, err := sqlite.Open(m.path, sqlite.Options{Synchronous: "OFF", Readers: 1})
	if err != nil {
		m.Fatalf("%v", err)
	}
	m.db = db
	if m.world.seen != nil {
		return
	}
	if m.world.seen, err = openStored(m.path); err != nil {
		m.Fatalf("%v", err)
	}
	if err := m.fault.install(m.world.seen); err != nil {
		m.Fatalf("%v", err)
	}
}

// start brings a hub up in two stages: it takes over what is left of the one
// before, and then it takes work.
func (m *machine) start(c cut) {
	if m.db == nil {
		m.open()
	}
	l := m.newLife()
	m.life = l
	c.arm(l)
	m.stage("start", func() { m.join(l) }, func() { m.learn(); m.world.rescue() })
	if m.died() {
		return
	}
	m.stage("work", func() {
		ctx, stop := context.WithCancel(context.Background())
		l.stop = stop
		go func() { l.ran <- l.hub.Run(ctx) }()
	}, func() { m.world.claims, m.world.starting = true, true })
	m.world.starting = false
	if c.armed {
		m.kill()
	}
}

func (m *machine) newLife() *life {
	l := &life{Store: m.fault.wrap(m.path, m.db), awoken: &m.awoken, ran: make(chan error, 1), ended: make(chan struct{})}
	l.patient = rapid.Bool().Draw(m.T, "patient")
	grace := hardly
	if l.patient {
		grace = 40 * time.Second
	}
	l.ctx, l.leave = context.WithCancel(context.Background())
	l.hear()
	l.hub = app.NewHub(app.HubConfig{Store: l, Log: slog.New(slog.DiscardHandler), Workers: m.world.places, Poll: time.Hour, Grace: grace, Unindexed: true,
		Toolsets: map[string][]tool.Tool{"errands": errands(l)}})
	m.lives = append(m.lives, l)
	return l
}

// hardly is the time that an impatient stop gives.
const hardly = time.Microsecond

// join does what a program does before its hub works. Only death keeps it from
// succeeding.
func (m *machine) join(l *life) {
	roster := app.Roster{Team: parley.MainTeam}
	for _, a := range m.world.agents {
		member := app.Member{Name: a.name, Kind: parley.Native, Model: mind{m.minds, l}, Limits: a.limits, Toolsets: []string{"contact", "errands"}}
		if a.person {
			member.Kind, member.Model = parley.Person, nil
		}
		roster.Members = append(roster.Members, member)
	}
	team, err := l.hub.Join(l.ctx, roster)
	if err == nil {
		l.team = team.ID
		err = l.hub.Start(l.ctx)
	}
	if err != nil && !l.isDead() {
		m.Fatalf("the hub does not start: %v", err)
	}
}

// learn takes the ids that the agents were given.
func (m *machine) learn() {
	for id, a := range m.world.seen.agents {
		m.world.agent(a.Name).id = id
	}
}
