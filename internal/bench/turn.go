//go:build bench

package bench

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"time"

	"parley/internal/access"
	"parley/internal/app"
	"parley/internal/contact"
	"parley/internal/model"
	"parley/internal/model/provider"
	"parley/internal/policy"
	"parley/internal/tool"
)

// What the hub adds to a turn: an ask to an agent that calls a tool five times
// before it answers, with a provider on this machine that thinks no time at all,
// over real HTTP and with streaming. The limit are the same exchanges by a bare
// client, in the same round.

// turnAgents is among how many agents the turns are spread.
const turnAgents = 64

// turn measures turns on one engine.
func (s *series) turn(ctx context.Context) (err error) {
	name := turnName(s.engine.name())
	if !s.wanted.has(name) && !s.wanted.has(watchedName(s.engine.name())) {
		return nil
	}
	s.say("%s: turns with %d tool steps", s.engine.name(), turnSteps)
	p, err := startProvider(nil)
	if err != nil {
		return err
	}
	defer p.close()
	address, err := s.engine.create(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.engine.drop(ctx, address)) }()
	st, err := openStore(ctx, s.engine.name(), address)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	c, err := turnCrew(p.url)
	if err != nil {
		return err
	}
	counted := &countedStore{Store: st}
	h, err := start(ctx, counted, c)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.end()) }()
	m := turnMeasure{series: s, hub: h, provider: p, store: counted}
	return m.run(ctx, name)
}

// turnCrew are agents that have a tool that does nothing, and a model of the
// provider at an address.
func turnCrew(url string) (*crew, error) {
	m, err := modelAt(url)
	if err != nil {
		return nil, err
	}
	c := newCrew(plan{natives: turnAgents, clients: 1}, 0, m)
	for i := range c.members {
		c.members[i].Toolsets = []string{"contact", nothingTool}
	}
	c.configure = func(cfg *app.HubConfig) {
		cfg.Toolsets = map[string][]tool.Tool{nothingTool: {doesNothing()}}
	}
	return c, nil
}

// modelAt is a model as a team's files would have it.
func modelAt(url string) (model.Model, error) {
	return provider.New(provider.Config{Name: "noop", Attempts: 1,
		Provider: provider.Provider{Name: "bench", Kind: provider.Compatible, BaseURL: url + "/v1"}})
}

const nothingTool = "do_nothing"

// doesNothing is a tool of the dearer kind: it is put on record before it runs.
func doesNothing() tool.Tool {
	type args struct {
		N int `json:"n" doc:"How often."`
	}
	return tool.New(tool.Spec[args]{
		Name: nothingTool, Title: "Do nothing", Description: "Does nothing.", Hints: tool.Hints{ReadOnly: true},
		Action: func(args) string { return policy.Action(policy.FileRead, "nothing") },
		Run:    func(context.Context, tool.Call, args) (tool.Result, error) { return tool.Result{Text: "Done."}, nil },
	})
}

// turnMeasure is the samples of the turns, and of the bare exchanges.
type turnMeasure struct {
	*series
	hub      *running
	provider *noProvider
	store    *countedStore

	turns, bare []sample
	commits     float64 // of a turn, in the last round
	// own is what the provider's handler did not take of each turn of a round, a
	// step, and owns its medians.
	own, owns []time.Duration
	tails     []time.Duration
	// watched are the medians while somebody looks on, and ratios their relation to those
	// of the same round.
	looked  []sample
	watched []time.Duration
	ratios  []float64
}

func (m *turnMeasure) run(ctx context.Context, name string) error {
	for range m.plan.rounds {
		if err := m.round(ctx); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		m.say("  %-28s %s a step, besides the provider's %s of a turn of %s", name, micros(m.owns[len(m.owns)-1]),
			micros(m.provider.mean()), micros(m.turns[len(m.turns)-1].p50))
	}
	l := lineOf(name, 1, m.turns)
	l.Transactions = round(m.commits, 2)
	l.Steps, l.Turn, l.Exchange = turnSteps, l.P50, inMicros(middle(m.bare).p50)
	l.P50, l.P99 = inMicros(medianOf(m.owns)), inMicros(medianOf(m.tails))
	l.Share = compare(m.turns, m.bare, func(s sample) float64 { return 1 / float64(s.p50) })
	if err := m.add(l); err != nil {
		return err
	}
	return m.addWatched(watchedName(m.engine.name()))
}

// round is a slice of turns and one of bare exchanges.
func (m *turnMeasure) round(ctx context.Context) error {
	if _, err := measure(ctx, 1, m.plan.warm, m.turnOnce); err != nil {
		return err
	}
	m.own = m.own[:0]
	before := m.store.commits.Load()
	turns, err := m.profile.measure(ctx, turnName(m.engine.name()), 1, m.plan.slice, m.turnOnce)
	if err != nil {
		return err
	}
	m.commits = float64(m.store.commits.Load()-before) / float64(turns.ops)
	bare, err := measure(ctx, 1, m.plan.slice/4, m.exchangeOnce)
	if err != nil {
		return err
	}
	slices.Sort(m.own)
	m.turns, m.bare = append(m.turns, turns), append(m.bare, bare)
	m.owns, m.tails = append(m.owns, percentile(m.own, 50)), append(m.tails, percentile(m.own, 99))
	return m.watchedRound(ctx)
}

// turnOnce is an ask whose answer needs the steps.
func (m *turnMeasure) turnOnce(ctx context.Context, _ int, r *rand.Rand) error {
	begun, before := time.Now(), m.provider.spent()
	to := m.hub.members[len(m.hub.members)-1-r.IntN(turnAgents)].Name
	answer, err := m.hub.Contacts.Ask(ctx, access.Caller{Team: m.hub.team.ID, Agent: m.hub.ids[0]}, contact.Request{Target: to, Message: body(r)})
	if err == nil && answer.Text != "ok" {
		err = fmt.Errorf("a turn ended with %q", answer.Text)
	}
	m.own = append(m.own, (time.Since(begun)-(m.provider.spent()-before))/turnSteps)
	return err
}

// exchangeOnce has the conversations of a turn with the provider, and nothing
// besides.
func (m *turnMeasure) exchangeOnce(ctx context.Context, _ int, _ *rand.Rand) error {
	for _, body := range m.provider.conversation() {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, m.provider.url+"/v1/chat/completions", bytes.NewReader(body))
		if err != nil {
			return err
		}
		req.Header.Set("Content-Type", "application/json")
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return err
		}
		_, err = io.Copy(io.Discard, resp.Body)
		if err := errors.Join(err, resp.Body.Close()); err != nil {
			return err
		}
	}
	return nil
}
