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

// Whatever passes is tried again, and what the asker reads at the end is plain.
func TestFailures(t *testing.T) {
	const never = 1
	for _, c := range []struct {
		name     string
		reply    wiretest.Reply
		class    model.Class
		attempts int
		says     string
	}{
		{"wrong key", wiretest.Reply{Status: 401, Message: "invalid key " + key}, model.BadKey, never, "test does not accept the key in TEST_KEY."},
		{"wrong key at Gemini", wiretest.Reply{Status: 400, Message: "API key not valid. Please pass a valid API key."}, model.BadKey, never, "TEST_KEY"},
		{"not allowed", wiretest.Reply{Status: 403, Message: "no access"}, model.BadKey, never, "It says: no access."},
		{"unknown model", wiretest.Reply{Status: 404, Message: "the model x does not exist"}, model.UnknownName, never, "Did you mean test/near?"},
		{"bad request", wiretest.Reply{Status: 400, Message: "what is " + key + "?"}, model.Refused, never, "It says: what is [key]?"},
		{"empty account", wiretest.Reply{Status: 429, Kind: "insufficient_quota", Message: "insufficient_quota: pay first"}, model.Refused, never, "no credit left"},
		{"too long", wiretest.Reply{Status: 400, Message: "prompt is too long: 300 tokens > 200 maximum"}, model.TooLong, never, "too long for test/"},
		{"rate limit", wiretest.Reply{Status: 429, Message: "slow down"}, model.RateLimited, 5, "Rate limit exceeded. Try again later."},
		{"rate limit for an hour", wiretest.Reply{Status: 429, Header: map[string]string{"Retry-After": "3600"}}, model.RateLimited, never, "Rate limit exceeded. Try again later."},
		{"fault", wiretest.Reply{Status: 500, Message: "oops"}, model.Overloaded, 5, "test has a fault (status 500)."},
		{"overloaded", wiretest.Reply{Status: 529, Message: "Overloaded"}, model.Overloaded, 5, "test is overloaded."},
		{"overloaded in a stream", wiretest.Reply{Text: "I be", Fault: "overloaded_error"}, model.Overloaded, 5, "Try again later."},
		{"cut", wiretest.Reply{Text: "I am about to be cut off in the middle.", Piece: 3, Cut: 400}, model.Overloaded, 5, "broke off"},
		{"cut in a call", wiretest.Reply{Calls: []wiretest.Call{{ID: "a", Name: "look", Args: `{"at":"a long name"}`}}, Piece: 2, Cut: 700}, model.Overloaded, 5, "broke off"},
		{"cut between calls", wiretest.Reply{Calls: []wiretest.Call{{ID: "a", Name: "look", Args: `{}`}, {ID: "b", Name: "look", Args: `{}`}},
			Text: strings.Repeat("I look. ", 300), Cut: 2700}, model.Overloaded, 5, "broke off"},
		{"empty", wiretest.Reply{}, model.Broken, 5, "answered with nothing."},
		{"filtered", wiretest.Reply{Finish: wiretest.Filtered}, model.Blocked, never, "because of the content"},
		{"call cut off at the limit", wiretest.Reply{Calls: []wiretest.Call{{ID: "a", Name: "look", Args: `{"at":"`}}, Finish: wiretest.TooLong}, model.Broken, 0, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			each(t, func(t *testing.T, kind provider.Kind, name string) {
				if kind == provider.Gemini && (c.name == "cut in a call" || c.name == "call cut off at the limit") {
					return // a call of Gemini's comes in one piece
				}
				b := set(t, kind, name, wiretest.InTurn(c.reply), nil)
				r, err := b.ask(t.Context(), request)
				var e *model.Error
				if !errors.As(err, &e) {
					t.Fatalf("%+v, %v", r, err)
				}
				if e.Class != c.class || !strings.Contains(e.Message, c.says) {
					t.Errorf("%s: %s (cause %v)", e.Class, e.Message, e.Cause)
				}
				if n := len(b.server.Requests()); c.attempts > 0 && n != c.attempts {
					t.Errorf("%d attempts, want %d: %v", n, c.attempts, e.Cause)
				}
				if len(r.Calls) > 0 || r.Text != "" {
					t.Errorf("something of it is used: %+v", r)
				}
				nowhere(t, err, e.Cause)
			})
		})
	}
}

// Wherever a stream is cut, nothing of it is used: a step has the whole reply or
// none.
func TestCutAnywhere(t *testing.T) {
	whole := wiretest.Reply{Text: "I look.", Calls: []wiretest.Call{{ID: "a", Name: "look", Args: `{"at":"x"}`}, {ID: "b", Name: "look", Args: `{"at":"y"}`}}}
	each(t, func(t *testing.T, kind provider.Kind, name string) {
		cut := whole
		b := set(t, kind, name, func(wiretest.Request) wiretest.Reply { return cut }, func(cfg *provider.Config) { cfg.Attempts = 1 })
		failed := 0
		for cut.Cut = 1; cut.Cut < 4000; cut.Cut += 11 {
			r, err := b.ask(t.Context(), request)
			if err != nil {
				failed++
			} else if len(r.Calls) != 2 || r.Text != whole.Text {
				t.Errorf("cut after %d bytes: %+v", cut.Cut, r)
			}
		}
		if failed < 20 {
			t.Errorf("only %d of them failed", failed)
		}
	})
}

// A stream of Gemini's that ends after a call without saying why may have had
// more calls to come.
func TestGeminiSaysWhyItEnds(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, `data: {"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"id":"a","name":"look","args":{}}}]}}]}`+"\n\n")
	}))
	defer srv.Close()
	m, err := provider.New(provider.Config{Provider: provider.Provider{Name: "gemini", Kind: provider.Gemini, BaseURL: srv.URL}, Name: "m", Attempts: 1})
	if err != nil {
		t.Fatal(err)
	}
	var e *model.Error
	if r, err := m.Step(t.Context(), request, nil); !errors.As(err, &e) || e.Class != model.Overloaded {
		t.Errorf("%+v, %v", r, err)
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

// A provider that fails once is not noticed, but for a restart of what was shown.
func TestItGoesOnAfterAFailure(t *testing.T) {
	good := wiretest.Reply{Text: "42 million.", Usage: model.Usage{Input: 1, Output: 1}}
	for name, bad := range map[string]wiretest.Reply{
		"500": {Status: 500}, "429": {Status: 429}, "empty": {},
		"cut": {Text: "43 million, I think, or", Piece: 2, Cut: 600},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, kind provider.Kind, model string) {
				b := set(t, kind, model, wiretest.InTurn(bad, good), nil)
				r, err := b.ask(t.Context(), request)
				if err != nil || r.Text != good.Text {
					t.Fatalf("%+v, %v", r, err)
				}
				text, restarts := b.shown()
				if text != good.Text || (restarts > 0) != (name == "cut" && len(b.deltas) > 1) {
					t.Errorf("shown %q with %d restarts", text, restarts)
				}
			})
		})
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

func TestNoKeyAndNobodyThere(t *testing.T) {
	nobody := httptest.NewServer(http.NotFoundHandler())
	address := nobody.URL
	nobody.Close()
	each(t, func(t *testing.T, kind provider.Kind, name string) {
		b := set(t, kind, name, wiretest.InTurn(wiretest.Reply{Text: "Yes."}), func(cfg *provider.Config) { cfg.Key = " \n" })
		_, err := b.ask(t.Context(), request)
		var e *model.Error
		if !errors.As(err, &e) || e.Class != model.BadKey || !strings.Contains(e.Message, "Set TEST_KEY") || len(b.server.Requests()) != 0 {
			t.Errorf("no key: %v", err)
		}
		b = set(t, kind, name, wiretest.InTurn(wiretest.Reply{}), func(cfg *provider.Config) { cfg.Provider.BaseURL = address })
		_, err = b.ask(t.Context(), request)
		if !errors.As(err, &e) || e.Class != model.Offline || !strings.Contains(e.Message, "nothing listens there. Is the server running?") {
			t.Errorf("nobody there: %v", err)
		}
		if len(b.waits) != 2 {
			t.Errorf("tried %d times again", len(b.waits))
		}
		nowhere(t, err)
	})
}

// A step ends with its context, while it waits for a reply and while it waits to
// try again, and after its own time.
func TestAStepEnds(t *testing.T) {
	each(t, func(t *testing.T, kind provider.Kind, name string) {
		held := make(chan struct{})
		defer close(held)
		ctx, cancel := context.WithCancel(t.Context())
		b := set(t, kind, name, func(wiretest.Request) wiretest.Reply {
			cancel()
			return wiretest.Reply{Text: "Too late.", Hold: held}
		}, nil)
		if _, err := b.ask(ctx, request); !errors.Is(err, context.Canceled) {
			t.Errorf("while it waits for a reply: %v", err)
		}
		ctx, cancel = context.WithCancel(t.Context())
		b = set(t, kind, name, wiretest.InTurn(wiretest.Reply{Status: 500}), func(cfg *provider.Config) {
			cfg.Wait = func(ctx context.Context, _ time.Duration) error {
				cancel()
				<-ctx.Done()
				return context.Cause(ctx)
			}
		})
		if _, err := b.ask(ctx, request); !errors.Is(err, context.Canceled) || len(b.server.Requests()) != 1 {
			t.Errorf("while it waits to try again: %v", err)
		}
		b = set(t, kind, name, wiretest.InTurn(wiretest.Reply{Text: "Too late.", Hold: held}), func(cfg *provider.Config) {
			cfg.Provider.Timeout = 20 * time.Millisecond
		})
		var e *model.Error
		if _, err := b.ask(t.Context(), request); !errors.As(err, &e) || e.Class != model.TimedOut || len(b.server.Requests()) != 1 {
			t.Errorf("after its time: %v", err)
		}
	})
}

// Thoughts come back to the provider as it signed them, with the ids that the
// turn gave to the calls, and to nobody else.
func TestThoughtsComeBack(t *testing.T) {
	signature := map[provider.Kind]string{provider.Anthropic: "c2lnbmVk", provider.Gemini: "/v8A", provider.Compatible: "Hm, the books."}
	thinking := wiretest.Reply{Thought: "Hm, the books.", Text: "I look.", Calls: []wiretest.Call{{ID: "a", Name: "look", Args: `{"at":"x"}`}}}
	each(t, func(t *testing.T, kind provider.Kind, name string) {
		want := signature[kind]
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
			if body := string(got.Body); !strings.Contains(body, want) || strings.Count(body, "I look.") != 1 || !strings.Contains(body, "a~2") {
				t.Errorf("whole=%v: %s", whole, body)
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

func TestAWebPageIsNoReply(t *testing.T) {
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, "<html>It works!</html>")
	}))
	defer page.Close()
	for _, d := range dialects {
		for _, whole := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s %v", d.label, whole), func(t *testing.T) {
				b := set(t, d.kind, d.model, nil, func(c *provider.Config) { c.Provider.BaseURL, c.Provider.Whole = page.URL, whole })
				_, err := b.ask(t.Context(), request)
				if err == nil || !strings.Contains(err.Error(), "there is a web page and no model. Is the base_url of test right?") || len(b.waits) > 0 {
					t.Errorf("%v after %d waits", err, len(b.waits))
				}
			})
		}
	}
}
