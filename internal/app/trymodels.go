package app

import (
	"context"
	"errors"
	"slices"
	"time"

	"parley"
	"parley/internal/config"
	"parley/internal/model"
	"parley/internal/model/catalogue"
	"parley/internal/model/provider"
)

// Trial is the result of one small call to a model.
type Trial struct {
	Model  string   // as the provider is asked for it
	Agents []string // that use it
	Took   time.Duration
	Usage  model.Usage
	// Problem is empty if the model has answered.
	Problem string
	// Offline says that the provider could not be reached, so nothing is known about the
	// model.
	Offline bool
}

// TryModels asks each model of a team, except scripts, for one word. It costs next to
// nothing. It does not retry, since the caller wants to know how things are now.
func TryModels(ctx context.Context, team *config.Team) []Trial {
	m := newModels(team)
	var order []string
	trials := map[string]*Trial{}
	for _, a := range team.Agents {
		ref := team.Resolve(a.Model)
		if a.Kind != parley.Native || ref.Provider == config.Scripted {
			continue
		}
		cfg, err := m.configure(ref)
		if err != nil {
			continue // the agent is left out; CheckModels says why
		}
		id := cfg.Provider.Name + "/" + cfg.Name
		if trials[id] == nil {
			order = append(order, id)
			trials[id] = try(ctx, cfg)
			trials[id].Model = id
		}
		if !slices.Contains(trials[id].Agents, a.Name) {
			trials[id].Agents = append(trials[id].Agents, a.Name)
		}
	}
	list := make([]Trial, len(order))
	for i, id := range order {
		list[i] = *trials[id]
	}
	return list
}

// trialTime is long enough for a local model that has to be loaded first.
const trialTime = time.Minute

func try(ctx context.Context, cfg provider.Config) *Trial {
	cfg.Attempts = 1
	cfg.Provider.Timeout = min(max(cfg.Provider.Timeout, trialTime), trialTime)
	m, err := provider.New(cfg)
	if err != nil {
		return &Trial{Problem: parley.Public(err)}
	}
	began := time.Now()
	r, err := m.Step(ctx, model.Request{
		System:   "You are being tested.",
		Messages: []model.Message{{Role: model.User, Text: "Answer with the word ok."}},
	}, nil)
	t := &Trial{Took: time.Since(began), Usage: r.Usage}
	var e *model.Error
	switch {
	case errors.As(err, &e):
		t.Problem, t.Offline = e.Message, e.Class == model.Offline
	case err != nil:
		t.Problem = "It was interrupted."
	}
	return t
}

// RealModels are the models of a team that are not scripts, as its files name
// them.
func RealModels(team *config.Team) []string {
	var names []string
	for _, a := range team.Agents {
		ref := team.Resolve(a.Model)
		if a.Kind == parley.Native && ref.Provider != config.Scripted && !slices.Contains(names, ref.String()) {
			names = append(names, ref.String())
		}
	}
	return names
}

// ListModels are the models of the catalogue whose names contain a text: those
// of providers that need no line in the files and of the team's own, or all.
func ListModels(team *config.Team, text string, all bool) []catalogue.Entry {
	usable := map[string]bool{}
	for _, p := range provider.Known() {
		usable[p.Name] = true
	}
	if team != nil {
		for _, p := range team.Providers {
			usable[p.Name] = true
		}
	}
	return slices.DeleteFunc(Catalogue(team).List(text), func(e catalogue.Entry) bool { return !all && !usable[e.Provider] })
}
