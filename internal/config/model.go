package config

import (
	"strings"

	"parley"
)

// Model names what thinks for an agent, written provider/name, or scripted:FILE.
// The zero Model means that none is set.
type Model struct {
	// Provider is scripted, anthropic, openai and so on. Which of them exist is
	// the business of whoever makes the model. It is empty if Name is a name that
	// the team has given to a model.
	Provider string
	// Name is what the provider calls it. For scripted it is the path of the
	// script, relative to the team folder.
	Name string
}

// ParseModel reads provider/name and provider:name. The short names that Claude
// Code's subagents use (sonnet, opus, haiku) are Anthropic's, and a name that
// begins like a model of a large provider is that provider's. Any other word
// may be a name that the team has given to a model.
func ParseModel(s string) (Model, error) {
	i := strings.IndexAny(s, ":/")
	if i < 0 {
		if !providerWord(strings.ReplaceAll(s, ".", "-")) {
			return Model{}, errModel()
		}
		return Model{Provider: ownerOf(s), Name: s}, nil
	}
	m := Model{Provider: s[:i], Name: strings.TrimSpace(s[i+1:])}
	// A name that begins with // is an address in the wrong place.
	if m.Name == "" || !providerWord(m.Provider) || strings.HasPrefix(m.Name, "//") {
		return Model{}, errModel()
	}
	return m, nil
}

func errModel() error {
	return parley.Errorf(parley.Invalid,
		"A model is written provider/name, like anthropic/claude-sonnet-4-5, or scripted:script.yaml.")
}

// ownerOf is the provider of a model that is named without one; empty if the
// name does not tell.
func ownerOf(name string) string {
	if IsFamily(name) || strings.HasPrefix(name, "claude-") {
		return "anthropic"
	}
	if strings.HasPrefix(name, "gpt-") {
		return "openai"
	}
	if strings.HasPrefix(name, "gemini-") {
		return "gemini"
	}
	return ""
}

// IsFamily reports whether a name is one of Claude Code's short ones, which mean
// the newest model of a family.
func IsFamily(name string) bool { return name == "sonnet" || name == "opus" || name == "haiku" }

// String is the form that ParseModel reads.
func (m Model) String() string {
	switch m.Provider {
	case "":
		return m.Name
	case Scripted:
		return m.Provider + ":" + m.Name
	}
	return m.Provider + "/" + m.Name
}

// Scripted is the provider that plays a script.
const Scripted = "scripted"

func providerWord(s string) bool {
	outside := func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-' && r != '_'
	}
	return s != "" && !strings.ContainsFunc(s, outside)
}
