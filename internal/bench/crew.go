package bench

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	"slices"

	"parley"
	"parley/internal/app"
	"parley/internal/model"
	"parley/internal/store"
)

// crew is the team that is measured: a person, clients that hold tasks, and
// native agents. It is the same in every run.
type crew struct {
	members []app.Member // the person, the clients, the natives
	clients int
	// The pairs that talk. Those who notify each other are asked nothing: a
	// notification is read in the recipient's next turn, and must not make an ask that
	// is measured later dearer.
	notify, ask, delegate []pair
	// configure changes the hub that they work in; nil leaves it as it is.
	configure func(*app.HubConfig)
	// telling makes up what they have said before; nil is body.
	telling func(*rand.Rand) string
}

// pair are two places in members. Of a pair that delegates, from is a client.
type pair struct{ from, to int }

const personName = "person"

func newCrew(p plan, messages int, m model.Model) *crew {
	c := &crew{clients: p.clients}
	limits := parley.DefaultLimits()
	limits.Rate = math.MaxInt32 // counted and stored, never reached
	add := func(kind parley.AgentKind, name string) {
		c.members = append(c.members, app.Member{Name: name, Kind: kind, Limits: limits,
			Description: "One of those who are measured.", Instructions: "Answer briefly.", Model: m})
	}
	add(parley.Person, personName)
	for i := range p.clients {
		add(parley.Client, fmt.Sprintf("client-%02d", i))
	}
	for i := range p.natives {
		add(parley.Native, fmt.Sprintf("agent-%04d", i))
	}
	c.makePairs(p, pairsFor(p, messages))
	return c
}

// pairsFor keeps conversations from being empty in a small database, and
// clients from having nobody to delegate to.
func pairsFor(p plan, messages int) int {
	return min(p.pairs, max(messages/4, 4*p.clients))
}

func (c *crew) makePairs(p plan, n int) {
	r := rand.New(rand.NewPCG(1, 2))
	notified := p.natives * 4 / 10
	native := func() int { return 1 + p.clients + notified + r.IntN(p.natives-notified) }
	notifier := func() int { return 1 + p.clients + r.IntN(notified) }
	seen := map[pair]bool{}
	add := func(list *[]pair, from func(i int) int, to func() int, n int) {
		for len(*list) < n {
			q := pair{from(len(*list)), to()}
			if q.from == q.to || seen[q] || seen[pair{q.to, q.from}] {
				continue
			}
			seen[q] = true
			*list = append(*list, q)
		}
	}
	add(&c.notify, func(int) int { return notifier() }, notifier, n*4/10)
	add(&c.ask, func(int) int { return native() }, native, n*3/10)
	add(&c.delegate, func(i int) int { return 1 + i%p.clients }, native, n*3/10)
}

func (c *crew) roster() app.Roster { return app.Roster{Team: parley.MainTeam, Members: c.members} }

// running is a hub at work, with its crew.
type running struct {
	*app.Hub
	*crew
	team parley.Team
	ids  []parley.AgentID // of the members

	stop context.CancelFunc
	done chan error
}

// join takes the crew into the hub of a store, without starting it.
func join(ctx context.Context, st store.Store, c *crew) (*running, error) {
	h := &running{crew: c}
	cfg := app.HubConfig{Store: st, Log: slog.New(slog.DiscardHandler), Name: "bench"}
	if c.configure != nil {
		c.configure(&cfg)
	}
	h.Hub = app.NewHub(cfg)
	var err error
	if h.team, err = h.Join(ctx, c.roster()); err != nil {
		return nil, err
	}
	for _, m := range c.members {
		e, err := h.Directory.Find(h.team.ID, m.Name)
		if err != nil {
			return nil, err
		}
		h.ids = append(h.ids, e.ID)
	}
	return h, nil
}

// start lets it work.
func start(ctx context.Context, st store.Store, c *crew) (*running, error) {
	h, err := join(ctx, st, c)
	if err != nil {
		return nil, err
	}
	if err := h.Start(ctx); err != nil {
		return nil, err
	}
	ctx, h.stop = context.WithCancel(ctx)
	h.done = make(chan error, 1)
	go func() { h.done <- h.Run(ctx) }()
	return h, nil
}

// end stops the hub; the store stays open.
func (h *running) end() error {
	h.stop()
	return <-h.done
}

// natives are the agents whose turns the hub runs.
func (h *running) natives() []parley.AgentID { return slices.Clone(h.ids[1+h.clients:]) }
