package config

import (
	"strings"

	"parley"
)

// Model names what thinks for an agent, written provider:name. The zero Model
// means that none is set.
type Model struct {
	// Provider is scripted, anthropic, openai and so on. Which of them exist is
	// the business of whoever makes the model.
	Provider string
	// Name is what the provider calls it. For scripted it is the path of the
	// script, relative to the team folder.
	Name string
}

// ParseModel reads provider:name. The short names that subagents of Claude
// Code use (sonnet, opus, haiku) are Anthropic's.
func ParseModel(s string) (Model, error) {
	switch s {
	case "sonnet", "opus", "haiku":
		return Model{Provider: "anthropic", Name: s}, nil
	}
	provider, name, found := strings.Cut(s, ":")
	name = strings.TrimSpace(name)
	// A name that begins with // is an address in the wrong place.
	if !found || name == "" || !providerWord(provider) || strings.HasPrefix(name, "//") {
		return Model{}, parley.Errorf(parley.Invalid,
			"A model is written provider:name, like scripted:script.yaml or anthropic:claude-sonnet-4-5.")
	}
	return Model{Provider: provider, Name: name}, nil
}

// String is the form that ParseModel reads.
func (m Model) String() string {
	if m == (Model{}) {
		return ""
	}
	return m.Provider + ":" + m.Name
}

func providerWord(s string) bool {
	outside := func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-' && r != '_'
	}
	return s != "" && !strings.ContainsFunc(s, outside)
}
