package config

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"parley"
	"parley/internal/yamlfile"
)

// Provider is one of the team's own providers, or what the team changes about a
// known one. Empty fields change nothing.
type Provider struct {
	Name string
	// Kind is the format of its API.
	Kind    string
	BaseURL string
	// KeyEnv names the environment variable with the key. The key itself is never
	// in a file.
	KeyEnv string
	// Timeout is how long a reply may take to begin, Silence how long nothing may
	// come of one that has begun.
	Timeout, Silence time.Duration
	// Stream and ToolCalling are nil if the files do not say.
	Stream, ToolCalling *bool
}

// ModelInfo is what the team says about one model. Zero fields change nothing.
type ModelInfo struct {
	// ID is provider/name, or a name of the team's own.
	ID string
	// Use is the model that a name of the team's own stands for.
	Use               Model
	Window, MaxOutput int
	Price             *Price
	ToolCalling       *bool
	// Timeout and Silence are as for a provider, for this model only.
	Timeout, Silence time.Duration
}

// Price is in dollars for a million tokens. Cached tokens cost the same as
// others if nothing is said about them.
type Price struct {
	Input, Output         float64
	CacheRead, CacheWrite *float64
}

// ProviderKinds are the API formats that are supported.
func ProviderKinds() []string {
	return []string{"anthropic", "openai", "gemini", "openrouter", "openai-compatible"}
}

// checkModel refuses a default model that does not exist.
func (t *Team) checkModel(line int) []yamlfile.Mistake {
	if t.knowsModel(t.Model) {
		return nil
	}
	return wrong(line, "%s", t.unknownModel(t.Model))
}

func (t *Team) knowsModel(m Model) bool {
	if m.Provider != "" || m == (Model{}) {
		return true
	}
	_, known := t.ModelInfo(m.Name)
	return known
}

func (t *Team) unknownModel(m Model) string {
	names := []string{"sonnet", "opus", "haiku"}
	for _, info := range t.Models {
		names = append(names, info.ID)
	}
	text := "There is no model " + strconv.Quote(m.Name) + "."
	if near := parley.Nearest(m.Name, names, 1); len(near) > 0 {
		return text + " Did you mean " + near[0] + "?"
	}
	return text + " " + errModel().Error()
}

// ModelInfo is what the files say about a model.
func (t *Team) ModelInfo(id string) (ModelInfo, bool) {
	for _, info := range t.Models {
		if info.ID == id {
			return info, true
		}
	}
	return ModelInfo{}, false
}

// Resolve is the model that a name of the team's own stands for, or the model
// itself.
func (t *Team) Resolve(m Model) Model {
	for _, id := range []string{m.Name, m.String()} {
		if info, ok := t.ModelInfo(id); ok && info.Use != (Model{}) && (m.Provider == "" || IsFamily(m.Name) || id == m.String()) {
			return info.Use
		}
	}
	return m
}

func providersInto(dst *[]Provider) yamlfile.Reader {
	return func(v yamlfile.Value) []yamlfile.Mistake {
		entries, found := v.Entries("names with values below them")
		for _, e := range entries {
			if !providerWord(e.Key) || e.Key == Scripted {
				found = append(found, e.Wrong("A provider's name is made of small letters, digits, - and _, and is not scripted.")...)
				continue
			}
			p := Provider{Name: e.Key}
			_, wrongs := e.Fields(providerKeys(&p))
			found = append(found, wrongs...)
			*dst = append(*dst, p)
		}
		return found
	}
}

func providerKeys(p *Provider) []yamlfile.Key {
	return append([]yamlfile.Key{
		{Name: "kind", Read: yamlfile.Choice(&p.Kind, ProviderKinds()...)},
		{Name: "base_url", Read: addressInto(&p.BaseURL)},
		{Name: "key_env", Read: variableInto(&p.KeyEnv)},
		{Name: "timeout", Read: spanInto(&p.Timeout, time.Second, time.Hour)},
		{Name: "silence", Read: spanInto(&p.Silence, time.Second, time.Hour)},
		{Name: "stream", Read: optionInto(&p.Stream)},
		{Name: "tool_calling", Read: optionInto(&p.ToolCalling)},
	}, noSecrets()...)
}

// noSecrets are keys under which somebody might write a secret. The value is
// not repeated.
func noSecrets() []yamlfile.Key {
	var keys []yamlfile.Key
	for _, name := range []string{"key", "api_key", "apikey", "token", "secret", "password"} {
		keys = append(keys, yamlfile.Key{Name: name, Hidden: true, Explicit: true, Read: func(v yamlfile.Value) []yamlfile.Mistake {
			return v.Wrong("A key does not belong in a file: it would be read by everyone who has the team. " +
				"Put it into the environment of the hub, as ANTHROPIC_API_KEY or the like, or as what key_env of its provider names. If others have seen it, make a new one.")
		}})
	}
	return keys
}

// addressInto accepts an http address without a password.
func addressInto(dst *string) yamlfile.Reader {
	return func(v yamlfile.Value) []yamlfile.Mistake {
		s, found := v.Trimmed()
		if found != nil {
			return found
		}
		rest, ok := strings.CutPrefix(s, "http://")
		if !ok {
			rest, ok = strings.CutPrefix(s, "https://")
		}
		switch {
		case strings.Contains(rest, "@"):
			return v.Wrong("An address may not hold a name or a password. Put the key into an environment variable, and name that with key_env.")
		case !ok || rest == "":
			return v.Wrong("Expected an address like http://127.0.0.1:8000/v1.")
		}
		*dst = s
		return nil
	}
}

// variableInto accepts the name of an environment variable. It does not repeat
// what it refuses, which may be the key itself.
func variableInto(dst *string) yamlfile.Reader {
	name := regexp.MustCompile(`^[A-Z_][A-Z0-9_]*$`)
	return func(v yamlfile.Value) []yamlfile.Mistake {
		s, found := v.Trimmed()
		if found != nil {
			return found
		}
		if !name.MatchString(s) {
			return v.Wrong("Expected the name of an environment variable, like LAB_API_KEY, not the key itself.")
		}
		*dst = s
		return nil
	}
}

// optionInto accepts true or false. Nil means that nothing was said.
func optionInto(dst **bool) yamlfile.Reader {
	return func(v yamlfile.Value) []yamlfile.Mistake {
		var set bool
		found := flagInto(&set)(v)
		*dst = &set
		return found
	}
}

// modelsInto accepts what the team says about models. A text is the model that
// a name of the team's own stands for.
func modelsInto(dst *[]ModelInfo) yamlfile.Reader {
	return func(v yamlfile.Value) []yamlfile.Mistake {
		entries, found := v.Entries("names with values below them")
		for _, e := range entries {
			info, wrongs := readModelInfo(e)
			found = append(found, wrongs...)
			*dst = append(*dst, info)
		}
		return found
	}
}

func readModelInfo(v yamlfile.Value) (ModelInfo, []yamlfile.Mistake) {
	info := ModelInfo{ID: v.Key}
	if _, found := v.Text(); found == nil {
		return info, parsedInto(&info.Use, ParseModel)(v)
	}
	_, found := v.Fields(modelKeys(&info))
	m, err := ParseModel(v.Key)
	switch {
	case info.Use != (Model{}):
	case err == nil && m.Provider != "":
		info.ID = m.String()
	case found == nil:
		found = v.Wrong("A model is named provider/name here. A name of your own needs use: provider/name.")
	}
	return info, found
}

func modelKeys(info *ModelInfo) []yamlfile.Key {
	return append([]yamlfile.Key{
		{Name: "use", Read: parsedInto(&info.Use, ParseModel)},
		{Name: "window", Read: integerInto(&info.Window, 512, 100_000_000)},
		{Name: "max_output", Read: integerInto(&info.MaxOutput, 16, 10_000_000)},
		{Name: "tool_calling", Read: optionInto(&info.ToolCalling)},
		{Name: "price", Read: priceInto(&info.Price)},
		{Name: "timeout", Read: spanInto(&info.Timeout, time.Second, time.Hour)},
		{Name: "silence", Read: spanInto(&info.Silence, time.Second, time.Hour)},
	}, noSecrets()...)
}

// priceInto accepts dollars for a million tokens.
func priceInto(dst **Price) yamlfile.Reader {
	return func(v yamlfile.Value) []yamlfile.Mistake {
		var p Price
		fields, found := v.Fields([]yamlfile.Key{
			{Name: "input", Read: dollarsInto(func(d float64) { p.Input = d })},
			{Name: "output", Read: dollarsInto(func(d float64) { p.Output = d })},
			{Name: "cache_read", Read: dollarsInto(func(d float64) { p.CacheRead = &d })},
			{Name: "cache_write", Read: dollarsInto(func(d float64) { p.CacheWrite = &d })},
		})
		if found == nil && !(fields.Has("input") && fields.Has("output")) {
			found = v.Wrong("A price has input and output, in dollars for a million tokens.")
		}
		*dst = &p
		return found
	}
}

func dollarsInto(set func(float64)) yamlfile.Reader {
	return func(v yamlfile.Value) []yamlfile.Mistake {
		s, found := v.Trimmed()
		if found != nil {
			return found
		}
		d, err := strconv.ParseFloat(s, 64)
		if err != nil || !(d >= 0 && d <= 100_000) {
			return v.Wrong("Expected dollars for a million tokens, like 2.5, not %q.", s)
		}
		set(d)
		return nil
	}
}
