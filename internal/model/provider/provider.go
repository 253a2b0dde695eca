// Package provider makes models of those who sell or serve them: Anthropic,
// OpenAI, Gemini, OpenRouter, and whatever speaks OpenAI's language at an
// address of its own, such as Ollama or vLLM.
//
// The wire formats are the business of charm.land/fantasy. What is ours is what
// a hub needs around one step: retries, clear errors, usage and its price, and
// that a key goes nowhere but into the header of a request to its own provider.
//
// A key is known to the transport alone: the client libraries never have it, so
// nothing they put into an error can show it. What comes back is searched for
// it all the same, since a provider may echo it.
package provider

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"charm.land/fantasy"
	"charm.land/fantasy/providers/anthropic"
	"charm.land/fantasy/providers/google"
	"charm.land/fantasy/providers/openai"
	"charm.land/fantasy/providers/openaicompat"
	"charm.land/fantasy/providers/openrouter"

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
	// Timeout is how long one reply may take; 0 is ten minutes.
	Timeout time.Duration
	// Whole asks for replies in one piece, for a server that cannot stream.
	Whole bool
}

const defaultTimeout = 10 * time.Minute

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

// placeholder stands for the key wherever a client library insists on one.
const placeholder = "set-by-the-transport"

// language makes the client of one model.
func (p Provider) language(name string, client *http.Client) (fantasy.LanguageModel, error) {
	made, err := p.client(name, client)
	if err != nil {
		return nil, err
	}
	return made.LanguageModel(context.Background(), name)
}

func (p Provider) client(name string, client *http.Client) (fantasy.Provider, error) {
	base := strings.TrimRight(p.BaseURL, "/")
	switch p.Kind {
	case Anthropic:
		return anthropic.New(anthropic.WithBaseURL(base), anthropic.WithAPIKey(placeholder),
			anthropic.WithHTTPClient(client), anthropic.WithUserAgent(userAgent))
	case OpenAI:
		return openai.New(openai.WithBaseURL(base), openai.WithAPIKey(placeholder),
			openai.WithHTTPClient(client), openai.WithUserAgent(userAgent), openai.WithUseResponsesAPI())
	case Gemini:
		if strings.Contains(name, "claude") || strings.Contains(name, "anthropic") {
			return nil, fmt.Errorf("gemini has no model %q", name) // the library would turn to another provider
		}
		return google.New(google.WithBaseURL(base), google.WithGeminiAPIKey(placeholder),
			google.WithHTTPClient(client), google.WithUserAgent(userAgent))
	case OpenRouter:
		return openrouter.New(openrouter.WithAPIKey(placeholder), openrouter.WithHTTPClient(rebase(client, base)),
			openrouter.WithUserAgent(userAgent))
	case Compatible:
		return openaicompat.New(openaicompat.WithBaseURL(base), openaicompat.WithAPIKey(placeholder),
			openaicompat.WithHTTPClient(client), openaicompat.WithUserAgent(userAgent))
	}
	return nil, fmt.Errorf("there is no kind of provider %q", p.Kind)
}

const userAgent = "parley"
