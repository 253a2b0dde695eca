package app

import (
	"context"
	"log/slog"
	"maps"
	"os"
	"reflect"
	"slices"
	"sync"
	"time"

	"parley"
	"parley/api"
	"parley/internal/bridge"
	"parley/internal/config"
	"parley/internal/timing"
)

// newProgram makes a chat program from what parley.yaml says of it. secrets are those that
// the section's keys name.
type newProgram func(cfg config.Bridge, secrets map[string]string, log *slog.Logger) (bridge.Program, error)

// programs are the chat programs. Each is made in a file of its own.
var programs = map[string]newProgram{"telegram": newTelegram, "slack": newSlack, "discord": newDiscord}

// bridges are those of a team, as its files have them now.
type bridges struct {
	hub     *Hub
	team    parley.Team
	lease   time.Duration // of the hub; zero is the usual one
	log     *slog.Logger
	changed chan struct{}

	mu       sync.Mutex
	wanted   []config.Bridge
	lead     string
	running  []*bridge.Bridge
	problems map[string]string // of programs that cannot run
}

func newBridges(h *Hub, team parley.Team, lease time.Duration, log *slog.Logger) *bridges {
	return &bridges{hub: h, team: team, lease: lease, log: log, changed: make(chan struct{}, 1)}
}

// set replaces the bridges by those of the files.
func (b *bridges) set(now *config.Team) {
	b.mu.Lock()
	same := reflect.DeepEqual(b.wanted, now.Bridges) && b.lead == now.Lead
	b.wanted, b.lead = now.Bridges, now.Lead
	b.mu.Unlock()
	if same {
		return
	}
	select {
	case b.changed <- struct{}{}:
	default: // it is about to look
	}
}

// run runs the bridges until the context is done.
func (b *bridges) run(ctx context.Context) {
	for ctx.Err() == nil {
		working, stop := context.WithCancel(ctx)
		var ended sync.WaitGroup
		for _, one := range b.open() {
			ended.Go(func() { one.Run(working) })
		}
		select {
		case <-ctx.Done():
		case <-b.changed:
		}
		stop()
		ended.Wait()
	}
}

// open makes the bridges. One that cannot be made is left out, and says why.
func (b *bridges) open() []*bridge.Bridge {
	b.mu.Lock()
	defer b.mu.Unlock()
	select {
	case <-b.changed: // this is the look
	default:
	}
	b.running, b.problems = nil, map[string]string{}
	for _, cfg := range b.wanted {
		program, err := makeProgram(cfg, b.log)
		if err != nil {
			b.problems[cfg.Program] = parley.Public(err)
			b.log.Warn("a chat program cannot be used", "program", cfg.Program, "problem", parley.Public(err))
			continue
		}
		b.running = append(b.running, bridge.New(bridge.Config{Store: b.hub.Store, Team: b.team, Program: program, Contacts: b.hub.Contacts, Reading: b.hub.Reading,
			Log: b.log, Channels: cfg.Channels, Lead: b.lead, Summary: daily(cfg),
			Timing: bridge.Timing{Lease: 2 * b.lease}})) // whoever takes over has to ask the program what became of the last post
	}
	return slices.Clone(b.running)
}

// makeProgram makes a chat program with the secrets of the environment.
func makeProgram(cfg config.Bridge, log *slog.Logger) (bridge.Program, error) {
	if variable := unset(cfg); variable != "" {
		return nil, parley.Errorf(parley.Invalid, "The environment variable %s is not set.", variable).
			WithHint("Set it where the hub is started; docs/bridges.md says where the key comes from.")
	}
	secrets := map[string]string{}
	for key, variable := range cfg.Keys {
		secrets[key] = os.Getenv(variable)
	}
	return programs[cfg.Program](cfg, secrets, log)
}

// unset is a variable of a chat program's keys that is not in the environment; empty if all
// are.
func unset(cfg config.Bridge) string {
	for _, key := range slices.Sorted(maps.Keys(cfg.Keys)) {
		if os.Getenv(cfg.Keys[key]) == "" {
			return cfg.Keys[key]
		}
	}
	return ""
}

func daily(cfg config.Bridge) *bridge.Daily {
	at, err := time.Parse("15:04", cfg.Summary)
	zone, unknown := timing.Zone(cfg.Zone)
	if err != nil || unknown != nil {
		return nil
	}
	return &bridge.Daily{Hour: at.Hour(), Minute: at.Minute(), Zone: zone}
}

// states says how the bridges are doing.
func (b *bridges) states(ctx context.Context) (list []api.Bridge, err error) {
	b.mu.Lock()
	running, problems := slices.Clone(b.running), maps.Clone(b.problems)
	b.mu.Unlock()
	for _, one := range running {
		s, err := one.State(ctx)
		if err != nil {
			return nil, err
		}
		out := api.Bridge{Program: s.Program, Channels: s.Channels, Connected: s.Held && s.Problem == "", Problem: s.Problem, Pending: s.Pending, Repeats: s.Repeats, GivenUp: s.GivenUp}
		list = append(list, out)
	}
	for _, program := range slices.Sorted(maps.Keys(problems)) {
		list = append(list, api.Bridge{Program: program, Problem: problems[program]})
	}
	return list, nil
}

// BridgeCheck is what a look at a chat program has found. Unset is a variable of its keys that
// this process has not got; a hub may have it.
type BridgeCheck struct{ Program, Problem, Unset string }

// CheckBridges looks whether the chat programs of a team have their keys. It calls nobody.
func CheckBridges(team *config.Team) (list []BridgeCheck) {
	for _, cfg := range team.Bridges {
		c := BridgeCheck{Program: cfg.Program, Unset: unset(cfg)}
		if _, err := makeProgram(cfg, slog.New(slog.DiscardHandler)); err != nil {
			c.Problem = parley.Public(err)
		}
		list = append(list, c)
	}
	return list
}
