package provider_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/internal/model"
	"parley/internal/model/catalogue"
	"parley/internal/model/provider"
	"parley/internal/model/wiretest"
)

const key = "sk-test-4711-not-to-be-seen"

// dialects are the kinds, each with a model's name; OpenAI chooses between two
// formats by it.
var dialects = []struct {
	label string
	kind  provider.Kind
	model string
}{
	{"anthropic", provider.Anthropic, "claude-test-1"},
	{"responses", provider.OpenAI, "gpt-5"},
	{"completions", provider.OpenAI, "other-1"},
	{"gemini", provider.Gemini, "gemini-test"},
	{"openrouter", provider.OpenRouter, "some/model"},
	{"compatible", provider.Compatible, "llama3:8b"},
}

// bench is a model of one kind at a local server.
type bench struct {
	*provider.Model
	server *wiretest.Server
	waits  []time.Duration
	deltas []model.Delta
}

func (b *bench) ask(ctx context.Context, req model.Request) (model.Reply, error) {
	return b.Step(ctx, req, func(d model.Delta) { b.deltas = append(b.deltas, d) })
}

// shown is what somebody who looks sees in the end.
func (b *bench) shown() (text string, restarts int) {
	for _, d := range b.deltas {
		if d.Restart {
			text = ""
			restarts++
		}
		text += d.Text
	}
	return text, restarts
}

func set(t *testing.T, kind provider.Kind, name string, mind wiretest.Mind, change func(*provider.Config)) *bench {
	t.Helper()
	b := &bench{server: wiretest.Start(t, mind)}
	cfg := provider.Config{
		Provider: provider.Provider{Name: "test", Kind: kind, BaseURL: b.server.Base(string(kind)), KeyEnv: "TEST_KEY"},
		Name:     name, Key: key, Near: []string{"test/near"},
		Entry: catalogue.Entry{Window: 1000, MaxOutput: 100, Price: &catalogue.Price{Input: 2, Output: 10, CacheRead: 1, CacheWrite: 3}},
		Wait: func(_ context.Context, d time.Duration) error {
			b.waits = append(b.waits, d)
			return nil
		},
	}
	if change != nil {
		change(&cfg)
	}
	m, err := provider.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	b.Model = m
	return b
}

func each(t *testing.T, run func(t *testing.T, kind provider.Kind, name string)) {
	for _, d := range dialects {
		t.Run(d.label, func(t *testing.T) { run(t, d.kind, d.model) })
	}
}

var request = model.Request{
	System:   "You are Bob.",
	Messages: []model.Message{{Role: model.User, Text: "What is the revenue?"}},
	Tools: []model.Tool{{Name: "look", Description: "Looks.",
		Schema: json.RawMessage(`{"type":"object","properties":{"at":{"type":"string"}},"required":["at"]}`)}},
}

func args(s string) json.RawMessage { return json.RawMessage(s) }

// What a reply can look like, in pieces and whole, is the same to a turn at every
// provider.
func TestReplies(t *testing.T) {
	usage := model.Usage{Input: 100, Output: 12, CacheRead: 40}
	counted := model.Usage{Input: 100, Output: 12, CacheRead: 40, Cost: 200 + 120 + 40}
	two := []wiretest.Call{{ID: "a", Name: "look", Args: `{"at":"the books"}`}, {ID: "b", Name: "made_up", Args: `{}`}}
	calls := []model.Call{{ID: "a", Name: "look", Args: args(`{"at":"the books"}`)}, {ID: "b", Name: "made_up", Args: args(`{}`)}}
	for _, c := range []struct {
		name  string
		reply wiretest.Reply
		want  model.Reply
	}{
		{"text", wiretest.Reply{Text: "42 million.", Usage: usage}, model.Reply{Text: "42 million.", Usage: counted}},
		{"text in pieces", wiretest.Reply{Text: "42 million.", Piece: 3, Usage: usage}, model.Reply{Text: "42 million.", Usage: counted}},
		{"calls", wiretest.Reply{Calls: two, Usage: usage}, model.Reply{Calls: calls, Usage: counted}},
		{"calls in pieces", wiretest.Reply{Calls: two, Piece: 4, Usage: usage}, model.Reply{Calls: calls, Usage: counted}},
		{"text and calls", wiretest.Reply{Text: "I look.", Calls: two, Piece: 2, Usage: usage}, model.Reply{Text: "I look.", Calls: calls, Usage: counted}},
		{"cut off at the limit", wiretest.Reply{Text: "Once upon", Finish: wiretest.TooLong, Usage: usage},
			model.Reply{Text: "Once upon\n\n[The reply was cut off at 100 tokens.]", Usage: counted}},
	} {
		for _, whole := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/whole=%v", c.name, whole), func(t *testing.T) {
				each(t, func(t *testing.T, kind provider.Kind, name string) {
					b := set(t, kind, name, wiretest.InTurn(c.reply), func(cfg *provider.Config) { cfg.Provider.Whole = whole })
					got, err := b.ask(t.Context(), request)
					if err != nil {
						t.Fatal(err)
					}
					if diff := cmp.Diff(c.want, got); diff != "" {
						t.Errorf("-want +got:\n%s", diff)
					}
					if text, _ := b.shown(); !whole && text != c.reply.Text {
						t.Errorf("shown: %q", text)
					}
				})
			})
		}
	}
}

// What a turn sends arrives: the system text once, calls with their results,
// errors, tools with what they require.
func TestRequests(t *testing.T) {
	req := request
	req.Messages = []model.Message{
		{Role: model.User, Text: "Look twice."},
		{Role: model.Assistant, Text: "I do.", Calls: []model.Call{
			{ID: "a", Name: "look", Args: args(`{"at":"x"}`)}, {ID: "b", Name: "look", Args: args(`"not {json"`)}}},
		{Role: model.ToolResult, CallID: "a", Text: "An x."},
		{Role: model.ToolResult, CallID: "b", Text: "Error: send an object.", IsError: true},
		{Role: model.User, Text: "Go on."},
	}
	each(t, func(t *testing.T, kind provider.Kind, name string) {
		b := set(t, kind, name, wiretest.InTurn(wiretest.Reply{Text: "Done."}), nil)
		if _, err := b.ask(t.Context(), req); err != nil {
			t.Fatal(err)
		}
		got := b.server.Requests()[0]
		if got.System != req.System || got.Model != name {
			t.Errorf("system %q, model %q", got.System, got.Model)
		}
		var calls []string
		results := map[string]string{}
		for _, m := range got.Messages {
			for _, c := range m.Calls {
				calls = append(calls, c.ID+" "+string(c.Args))
			}
			if m.Role == model.ToolResult {
				results[m.CallID] = m.Text
			}
		}
		if diff := cmp.Diff([]string{`a {"at":"x"}`, `b {"invalid_arguments":"not {json"}`}, calls); diff != "" {
			t.Errorf("calls (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(map[string]string{"a": "An x.", "b": "Error: send an object."}, results); diff != "" {
			t.Errorf("results (-want +got):\n%s", diff)
		}
		var schema struct{ Required []string }
		if len(got.Tools) != 1 || json.Unmarshal(got.Tools[0].Schema, &schema) != nil || len(schema.Required) != 1 || schema.Required[0] != "at" {
			t.Errorf("tools: %+v: %s", got.Tools, got.Tools[0].Schema)
		}
	})
}

// Arguments that are not JSON reach the turn as something that can be stored and
// that no tool takes. Gemini's format cannot carry them.
func TestArgumentsThatAreNoObject(t *testing.T) {
	for given, want := range map[string]string{
		`{"at": "the bo`: `"{\"at\": \"the bo"`,
		`["x"]`:          `["x"]`,
		``:               `{}`,
	} {
		each(t, func(t *testing.T, kind provider.Kind, name string) {
			if kind == provider.Gemini {
				return
			}
			b := set(t, kind, name, wiretest.InTurn(wiretest.Reply{Calls: []wiretest.Call{{ID: "a", Name: "look", Args: given}}}), nil)
			r, err := b.ask(t.Context(), request)
			if err != nil {
				t.Fatalf("%s: %v", given, err)
			}
			if len(r.Calls) != 1 || string(r.Calls[0].Args) != want {
				t.Errorf("%s: %+v", given, r.Calls)
			}
			if _, err := json.Marshal(r); err != nil {
				t.Errorf("%s cannot be stored: %v", given, err)
			}
		})
	}
}

// nowhere fails if the key is in anything that is printed of a failure.
func nowhere(t *testing.T, things ...any) {
	t.Helper()
	var all strings.Builder
	log := slog.New(slog.NewJSONHandler(&all, nil))
	for _, thing := range things {
		fmt.Fprintf(&all, "%v %+v %#v\n", thing, thing, thing)
		log.Error("x", "error", thing)
		if err, ok := thing.(error); ok {
			for ; err != nil; err = errors.Unwrap(err) {
				fmt.Fprintf(&all, "%v %#v\n", err, err)
			}
		}
	}
	if strings.Contains(all.String(), key) {
		t.Errorf("the key is told: %s", all.String())
	}
}

// The key goes to its provider and nowhere else, whatever the environment holds.
func TestWhoGetsAKey(t *testing.T) {
	for _, name := range []string{"OPENAI_API_KEY", "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "GEMINI_API_KEY", "GOOGLE_API_KEY"} {
		t.Setenv(name, "somebody-elses-key")
	}
	header := map[provider.Kind]string{provider.Anthropic: "X-Api-Key", provider.Gemini: "X-Goog-Api-Key"}
	each(t, func(t *testing.T, kind provider.Kind, name string) {
		for _, given := range []string{key, ""} {
			b := set(t, kind, name, wiretest.InTurn(wiretest.Reply{Text: "Yes."}), func(cfg *provider.Config) {
				cfg.Key = given
				if given == "" {
					cfg.Provider.KeyEnv = ""
				}
			})
			if _, err := b.ask(t.Context(), request); err != nil {
				t.Fatal(err)
			}
			got := b.server.Requests()[0]
			where := header[kind]
			if where == "" {
				where = "Authorization"
			}
			if sent := strings.TrimPrefix(got.Header.Get(where), "Bearer "); sent != given {
				t.Errorf("%s is %q, want %q", where, sent, given)
			}
			if all := fmt.Sprint(got.Header, got.Path, string(got.Body)); strings.Contains(all, "somebody-elses-key") {
				t.Errorf("another key was sent: %s", all)
			}
		}
	})
	t.Run("redirect", func(t *testing.T) {
		seen := make(chan http.Header, 1)
		elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			seen <- r.Header.Clone()
			w.WriteHeader(http.StatusBadRequest)
		}))
		defer elsewhere.Close()
		here := httptest.NewServer(http.RedirectHandler(elsewhere.URL, http.StatusTemporaryRedirect))
		defer here.Close()
		m, err := provider.New(provider.Config{Provider: provider.Provider{Name: "test", Kind: provider.Compatible, BaseURL: here.URL}, Name: "m", Key: key})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := m.Step(t.Context(), request, nil); err == nil {
			t.Error("a redirect is followed to an answer")
		}
		if h := <-seen; strings.Contains(fmt.Sprint(h), key) {
			t.Errorf("the key went elsewhere: %v", h)
		}
	})
}

// Thoughts come back to the provider as it signed them, with the ids that the
// turn gave to the calls, and to nobody else.
func TestThoughtsComeBack(t *testing.T) {
	signature := map[string]string{"claude-test-1": "c2lnbmVk", "gemini-test": "/v8A", "llama3:8b": "Hm, the books.", "gpt-5": "c2VhbGVk"}
	thinking := wiretest.Reply{Thought: "Hm, the books.", Text: "I look.", Calls: []wiretest.Call{{ID: "a", Name: "look", Args: `{"at":"x"}`}}}
	each(t, func(t *testing.T, kind provider.Kind, name string) {
		want := signature[name]
		if want == "" {
			return
		}
		for _, whole := range []bool{false, true} {
			b := set(t, kind, name, wiretest.InTurn(thinking, wiretest.Reply{Text: "Done."}), func(cfg *provider.Config) { cfg.Provider.Whole = whole })
			r, err := b.ask(t.Context(), request)
			if err != nil || r.Text != "I look." {
				t.Fatalf("%+v, %v", r, err)
			}
			stored, err := json.Marshal(r)
			if err != nil {
				t.Fatal(err)
			}
			var back model.Reply
			if err := json.Unmarshal(stored, &back); err != nil {
				t.Fatal(err)
			}
			next := request
			back.Calls[0].ID = "a~2"
			next.Messages = append(next.Messages,
				model.Message{Role: model.Assistant, Text: back.Text, Calls: back.Calls, Private: back.Private},
				model.Message{Role: model.ToolResult, CallID: "a~2", Text: "An x."})
			if _, err := b.ask(t.Context(), next); err != nil {
				t.Fatal(err)
			}
			got := b.server.Requests()[1]
			if body := string(got.Body); !strings.Contains(body, want) || strings.Count(body, "I look.") != 1 {
				t.Errorf("whole=%v: %s", whole, body)
			}
			called, answered := "", ""
			for _, m := range got.Messages {
				for _, c := range m.Calls {
					called = c.ID
				}
				answered = m.CallID
			}
			if !strings.HasPrefix(called, "a") || called == "a" || called != answered {
				t.Errorf("whole=%v: the call %q is answered as %q", whole, called, answered)
			}
		}
	})
}

// What the provider says about the cost goes before the catalogue.
func TestOpenRouterTellsTheCost(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, `data: {"id":"1","choices":[{"index":0,"delta":{"content":"Yes."},"finish_reason":"stop"}]}`+"\n\n"+
			`data: {"id":"1","choices":[],"usage":{"prompt_tokens":10,"completion_tokens":2,"total_tokens":12,"cost":0.0123}}`+"\n\ndata: [DONE]\n\n")
	}))
	defer srv.Close()
	m, err := provider.New(provider.Config{Provider: provider.Provider{Name: "openrouter", Kind: provider.OpenRouter, BaseURL: srv.URL}, Name: "m",
		Entry: catalogue.Entry{Price: &catalogue.Price{Input: 1}}})
	if err != nil {
		t.Fatal(err)
	}
	r, err := m.Step(t.Context(), request, nil)
	if err != nil || r.Usage.Cost != 12_300 {
		t.Errorf("%+v, %v", r, err)
	}
}
