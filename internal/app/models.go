package app

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"parley"
	"parley/internal/config"
	"parley/internal/model"
	"parley/internal/model/catalogue"
	"parley/internal/model/jsonaction"
	"parley/internal/model/provider"
	"parley/internal/model/scripted"
)

// models makes the models of a team. Each is made once, however many agents use it.
type models struct {
	team    *config.Team
	loaded  map[string]model.Model
	before  map[string]model.Model // of agents that stay as they were
	clients map[string]*http.Client
	// limiters are what the hub has learned of its models, for all its teams.
	limiters *provider.Limiters
	// scripts are what the scripts said when they were read.
	scripts map[string][sha256.Size]byte
	failed  bool // there is one that could not be made
	// catalogue is read when the first real model is needed. A team that only has
	// scripts does not pay for it.
	catalogue func() *catalogue.Catalogue
}

func newModels(team *config.Team) *models {
	return &models{team: team, loaded: map[string]model.Model{}, before: map[string]model.Model{}, clients: map[string]*http.Client{}, limiters: &provider.Limiters{}, scripts: map[string][sha256.Size]byte{},
		catalogue: sync.OnceValue(func() *catalogue.Catalogue { return Catalogue(team) })}
}

// again makes new models for the team as its files are now, since a script may have
// changed too.
func (m *models) again(team *config.Team) *models {
	next := newModels(team)
	next.limiters = m.limiters
	maps.Copy(next.before, m.before)
	maps.Copy(next.before, m.loaded)
	return next
}

// of is the model of an agent; nil for one that is not native.
func (m *models) of(a *config.Agent) (model.Model, error) {
	if a.Kind != parley.Native {
		return nil, nil
	}
	ref := m.team.Resolve(a.Model)
	if known, ok := m.loaded[ref.String()]; ok {
		return known, nil
	}
	if old, ok := m.before[ref.String()]; ok && a.Mistake != "" {
		return old, nil
	}
	made, err := m.make(ref)
	if err != nil {
		m.failed = true
		return nil, &parley.Error{Kind: parley.Invalid, Message: unusableModel(a, m.team, err)}
	}
	m.loaded[ref.String()] = made
	return made, nil
}

// current reports whether the scripts are as they were when they were read.
func (m *models) current() bool {
	for path, before := range m.scripts {
		if digest(path) != before {
			return false
		}
	}
	return true
}

// digest tells one text of a file from another.
func digest(path string) [sha256.Size]byte {
	text, _ := os.ReadFile(path) // whoever uses it says what is wrong
	return sha256.Sum256(text)
}

func (m *models) make(ref config.Model) (model.Model, error) {
	if ref.Provider == config.Scripted {
		path := filepath.FromSlash(ref.Name)
		if !filepath.IsAbs(path) {
			path = filepath.Join(m.team.Dir, path)
		}
		m.scripts[path] = digest(path)
		return scripted.Load(path)
	}
	cfg, err := m.configure(ref)
	if err != nil {
		return nil, err
	}
	made, err := provider.New(cfg)
	if err != nil {
		return nil, err
	}
	if cfg.Entry.NoTools {
		return jsonaction.New(made), nil
	}
	return made, nil
}

// configure collects what is known about a model.
func (m *models) configure(ref config.Model) (provider.Config, error) {
	p, err := providerOf(m.team, ref.Provider)
	if err != nil {
		return provider.Config{}, err
	}
	entry, name := m.entry(ref)
	if info, ok := m.team.ModelInfo(ref.String()); ok {
		p.Timeout, p.Silence = cmp.Or(info.Timeout, p.Timeout), cmp.Or(info.Silence, p.Silence)
	}
	key := ""
	if p.KeyEnv != "" {
		key = os.Getenv(p.KeyEnv)
	}
	if m.clients[p.Name] == nil {
		m.clients[p.Name] = provider.NewClient(p, key)
	}
	return provider.Config{Provider: p, Name: name, Entry: entry, Near: m.catalogue().Near(p.Name, name), Key: key, Client: m.clients[p.Name], Limiters: m.limiters}, nil
}

// entry looks up a model. One that is not in the catalogue may still exist, since it
// may be newer than the catalogue.
func (m *models) entry(ref config.Model) (catalogue.Entry, string) {
	if ref.Provider == "anthropic" && config.IsFamily(ref.Name) {
		if e, ok := m.catalogue().Newest(ref.Provider, ref.Name); ok {
			return e, e.Name
		}
	}
	if e, ok := m.catalogue().Find(ref.Provider, ref.Name); ok {
		return e, ref.Name
	}
	return catalogue.Entry{Provider: ref.Provider, Name: ref.Name, NoTools: withoutTools(m.team, ref.Provider)}, ref.Name
}

// warnings lists what whoever starts the team should know about its models: what will
// not work, and what is not known.
func (m *models) warnings() []config.Problem {
	users := map[config.Model][]string{}
	var order []config.Model
	for _, a := range m.team.Agents {
		ref := m.team.Resolve(a.Model)
		if a.Kind != parley.Native || ref.Provider == config.Scripted {
			continue
		}
		if users[ref] == nil {
			order = append(order, ref)
		}
		users[ref] = append(users[ref], a.Name)
	}
	var list []config.Problem
	for _, ref := range order {
		for _, text := range m.doubts(ref, strings.Join(users[ref], ", ")) {
			list = append(list, config.Problem{File: config.TeamFile, Message: text})
		}
	}
	return list
}

func (m *models) doubts(ref config.Model, users string) []string {
	cfg, err := m.configure(ref)
	if err != nil {
		return nil // the agents are left out, and that message says more
	}
	ref.Name = cfg.Name // opus is the newest of its family
	var list []string
	if cfg.Key == "" && cfg.Provider.KeyEnv != "" {
		list = append(list, fmt.Sprintf("The model %s of %s has no key. Set %s and start the hub again.", ref, users, cfg.Provider.KeyEnv))
	}
	if known := slices.Contains(m.catalogue().Providers(), ref.Provider); known && cfg.Entry.Window == 0 {
		text := fmt.Sprintf("The model %s of %s is not in the catalogue, so its window and its price are not known.", ref, users)
		if len(cfg.Near) > 0 {
			text += " Did you mean " + strings.Join(cfg.Near, " or ") + "?"
		}
		list = append(list, text)
	}
	return list
}

// providerOf finds a known provider, one of the team's own, or a known one with the
// team's changes.
func providerOf(team *config.Team, name string) (provider.Provider, error) {
	known := provider.Known()
	i := slices.IndexFunc(known, func(p provider.Provider) bool { return p.Name == name })
	p := provider.Provider{Name: name, Kind: provider.Compatible}
	if i >= 0 {
		p = known[i]
	}
	own := slices.IndexFunc(team.Providers, func(o config.Provider) bool { return o.Name == name })
	if own >= 0 {
		p = changed(p, team.Providers[own])
	} else if i < 0 {
		return p, unknownProvider(team, name, known)
	}
	return p, p.Validate()
}

func changed(p provider.Provider, own config.Provider) provider.Provider {
	if own.Kind != "" {
		p.Kind = provider.Kind(own.Kind)
	}
	if own.BaseURL != "" {
		p.BaseURL = own.BaseURL
	}
	if own.KeyEnv != "" {
		p.KeyEnv = own.KeyEnv
	}
	if own.Timeout != 0 {
		p.Timeout = own.Timeout
	}
	if own.Silence != 0 {
		p.Silence = own.Silence
	}
	p.Whole = own.Stream != nil && !*own.Stream
	return p
}

func unknownProvider(team *config.Team, name string, known []provider.Provider) error {
	names := []string{config.Scripted}
	for _, p := range known {
		names = append(names, p.Name)
	}
	for _, p := range team.Providers {
		names = append(names, p.Name)
	}
	err := parley.Errorf(parley.NotFound, "There is no provider %q.", name)
	if near := parley.Nearest(name, names, 1); len(near) > 0 {
		return err.WithHint("Did you mean %s?", near[0])
	}
	return err.WithHint("There are %s; others are named under providers in parley.yaml.", strings.Join(names, ", "))
}

// Catalogue is the list of models, corrected by a team's files. The team may be nil.
func Catalogue(team *config.Team) *catalogue.Catalogue {
	c := catalogue.Builtin()
	if team == nil {
		return c
	}
	for _, info := range team.Models {
		ref, err := config.ParseModel(info.ID)
		if err != nil || ref.Provider == "" || info.Use != (config.Model{}) {
			continue // the team's own name for a model
		}
		e, ok := c.Find(ref.Provider, ref.Name)
		if !ok {
			e = catalogue.Entry{Provider: ref.Provider, NoTools: withoutTools(team, ref.Provider)}
		}
		e.Name = ref.Name
		c.Put(corrected(e, info))
	}
	return c
}

// withoutTools reports whether the files say that no model of a provider can call
// tools.
func withoutTools(team *config.Team, name string) bool {
	return slices.ContainsFunc(team.Providers, func(p config.Provider) bool {
		return p.Name == name && p.ToolCalling != nil && !*p.ToolCalling
	})
}

func corrected(e catalogue.Entry, info config.ModelInfo) catalogue.Entry {
	if info.Window != 0 {
		e.Window = info.Window
	}
	if info.MaxOutput != 0 {
		e.MaxOutput, e.Exact = info.MaxOutput, true
	}
	if info.ToolCalling != nil {
		e.NoTools = !*info.ToolCalling
	}
	if p := info.Price; p != nil {
		e.Price = &catalogue.Price{Input: p.Input, Output: p.Output, CacheRead: p.Input, CacheWrite: p.Input}
		if p.CacheRead != nil {
			e.Price.CacheRead = *p.CacheRead
		}
		if p.CacheWrite != nil {
			e.Price.CacheWrite = *p.CacheWrite
		}
	}
	return e
}
