// Package provider makes models of those who sell or serve them: Anthropic,
// OpenAI, Gemini, OpenRouter, and whatever speaks OpenAI's language at an
// address of its own, such as Ollama or vLLM.
//
// They speak four formats, each in a file of its own: anthropic.go, chat.go,
// responses.go and gemini.go. A format makes the body of a request from a prompt
// and reads the reply, whole or as a stream, into a draft. The rest is what a hub
// needs around one step: retries, clear errors, usage and its price, and that a
// key goes nowhere but into the header of a request to its own provider.
//
// A key is known to the transport alone. What comes back is searched for it, since
// a provider may echo it.
package provider

import (
	"fmt"
	"net/url"
	"time"

	"parley"
)

// Kind is the language that a provider speaks.
type Kind string

const (
	Anthropic  Kind = "anthropic"
	OpenAI     Kind = "openai"
	Gemini     Kind = "gemini"
	OpenRouter Kind = "openrouter"
	Compatible Kind = "openai-compatible"
)

// Kinds lists every kind.
func Kinds() []Kind { return []Kind{Anthropic, OpenAI, Gemini, OpenRouter, Compatible} }

// Provider is one that a team can use.
type Provider struct {
	// Name is how the team's files call it.
	Name string
	Kind Kind
	// BaseURL is where it is reached.
	BaseURL string
	// KeyEnv names the environment variable with the key; empty if it needs none.
	KeyEnv string
	// Timeout is how long a reply may take to begin; 0 is ten minutes.
	Timeout time.Duration
	// Silence is how long nothing may come of a reply that has begun; 0 is two
	// minutes. A reply that moves takes as long as it takes.
	Silence time.Duration
	// Whole asks for replies in one piece, for a server that cannot stream.
	Whole bool
}

const (
	defaultTimeout = 10 * time.Minute
	defaultSilence = 2 * time.Minute
)

// Known are the providers that need no line in a team's files.
func Known() []Provider {
	return []Provider{
		{Name: "anthropic", Kind: Anthropic, BaseURL: "https://api.anthropic.com", KeyEnv: "ANTHROPIC_API_KEY"},
		{Name: "openai", Kind: OpenAI, BaseURL: "https://api.openai.com/v1", KeyEnv: "OPENAI_API_KEY"},
		{Name: "gemini", Kind: Gemini, BaseURL: "https://generativelanguage.googleapis.com", KeyEnv: "GEMINI_API_KEY"},
		{Name: "openrouter", Kind: OpenRouter, BaseURL: "https://openrouter.ai/api/v1", KeyEnv: "OPENROUTER_API_KEY"},
		{Name: "ollama", Kind: Compatible, BaseURL: "http://127.0.0.1:11434/v1"},
	}
}

// Validate says what is wrong with a provider.
func (p Provider) Validate() error {
	u, err := url.Parse(p.BaseURL)
	switch {
	case err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https"):
		return parley.Errorf(parley.Invalid, "The provider %s has no usable address.", p.Name).
			WithHint("Give it a base_url like http://127.0.0.1:8000/v1.")
	case u.User != nil:
		return parley.Errorf(parley.Invalid, "The base_url of the provider %s holds a name or a password.", p.Name).
			WithHint("Put the key into an environment variable and name it with key_env.")
	}
	return nil
}

// format is how a provider speaks: what it is asked, and how its replies are
// read. A format keeps no state.
type format interface {
	// request is where it goes, below the provider's address, and its body.
	request(p prompt) (path string, body any)
	reader(d *draft) reader
}

// reader puts one reply into a draft, whole or event by event.
type reader interface {
	whole(data []byte) error
	event(data []byte) error
}

// format is the one that a model is asked in. OpenAI has two.
func (p Provider) format(name string) (format, error) {
	switch p.Kind {
	case Anthropic:
		return anthropicFormat{}, nil
	case OpenAI:
		if hasResponses(name) {
			return responsesFormat{}, nil
		}
		return chatFormat{}, nil
	case Gemini:
		return geminiFormat{}, nil
	case OpenRouter:
		return chatFormat{usage: true}, nil
	case Compatible:
		return chatFormat{}, nil
	}
	return nil, fmt.Errorf("there is no kind of provider %q", p.Kind)
}
