package config

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func ptr[T any](v T) *T { return &v }

func TestProvidersAndModels(t *testing.T) {
	var team Team
	_, found := decode(`
model: fast
providers:
  lab:
    kind: openai-compatible
    base_url: http://10.0.0.5:8000/v1
    key_env: LAB_API_KEY
    timeout: 5m
    stream: false
  anthropic:
    base_url: http://127.0.0.1:9000
models:
  fast: lab/qwen3:8b
  sonnet: {use: gpt-5}
  lab/qwen3:8b:
    window: 32768
    max_output: 4096
    tool_calling: false
    price: {input: 0.2, output: 0.6, cache_read: 0}
`, teamKeys(&team, &overlay{}))
	if found != nil {
		t.Fatal(found)
	}
	if diff := cmp.Diff([]Provider{
		{Name: "lab", Kind: "openai-compatible", BaseURL: "http://10.0.0.5:8000/v1", KeyEnv: "LAB_API_KEY", Timeout: 5 * time.Minute, Stream: ptr(false)},
		{Name: "anthropic", BaseURL: "http://127.0.0.1:9000"},
	}, team.Providers); diff != "" {
		t.Errorf("providers (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]ModelInfo{
		{ID: "fast", Use: Model{"lab", "qwen3:8b"}},
		{ID: "sonnet", Use: Model{"openai", "gpt-5"}},
		{ID: "lab/qwen3:8b", Window: 32768, MaxOutput: 4096, ToolCalling: ptr(false), Price: &Price{Input: 0.2, Output: 0.6, CacheRead: ptr(0.0)}},
	}, team.Models); diff != "" {
		t.Errorf("models (-want +got):\n%s", diff)
	}
	for given, want := range map[string]string{
		"fast": "lab/qwen3:8b", "sonnet": "openai/gpt-5", "haiku": "anthropic/haiku", "lab/qwen3:8b": "lab/qwen3:8b", "openai/fast": "openai/fast",
	} {
		m, err := ParseModel(given)
		if err != nil {
			t.Fatal(err)
		}
		if got := team.Resolve(m).String(); got != want {
			t.Errorf("%s is %s, want %s", given, got, want)
		}
	}
}

func TestMistakesInProvidersAndModels(t *testing.T) {
	const secret = "sk-ant-very-secret"
	for _, c := range []struct{ name, text, says string }{
		{"key beside the model", "model: openai/gpt-5\napi_key: " + secret, "2: api_key: A key does not belong in a file"},
		{"key in a file", "providers:\n  lab:\n    api_key: " + secret, "3: api_key: A key does not belong in a file"},
		{"key as variable", "providers:\n  lab:\n    key_env: " + secret, "3: key_env: Expected the name of an environment variable"},
		{"key in an address", "providers:\n  lab:\n    base_url: https://" + secret + "@host/v1", "3: base_url: An address may not hold"},
		{"key at a model", "models:\n  lab/x:\n    token: " + secret, "3: token: A key does not belong"},
		{"kind", "providers:\n  lab: {kind: openia}", "2: kind: \"openia\" is not a choice here. Did you mean openai?"},
		{"address", "providers:\n  lab: {base_url: localhost}", "Expected an address like"},
		{"name", "providers:\n  My Lab: {kind: openai}", "2: My Lab: A provider's name"},
		{"key of a provider", "providers:\n  lab: {url: x}", `Unknown key "url". Known are kind, base_url, key_env, timeout, silence, stream, tool_calling.`},
		{"half a price", "models:\n  lab/x: {price: {input: 1}}", "A price has input and output"},
		{"price", "models:\n  lab/x: {price: {input: free, output: 1}}", "Expected dollars for a million tokens"},
		{"window", "models:\n  lab/x: {window: 8}", "Expected a whole number from 512"},
		{"name without a model", "models:\n  fast: {window: 4096}", "needs use: provider/name"},
		{"no mapping", "models: [a]", "Expected names with values"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, found := decode(c.text, teamKeys(&Team{}, &overlay{}))
			got := list(problems(TeamFile, found))
			if !strings.Contains(got, c.says) {
				t.Errorf("%s", got)
			}
			if strings.Contains(got, secret) {
				t.Errorf("the key is repeated: %s", got)
			}
		})
	}
}
