package provider_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"parley/internal/model"
	"parley/internal/model/provider"
	"parley/internal/model/wiretest"
)

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
		{"rate limit", wiretest.Reply{Status: 429, Message: "slow down"}, model.RateLimited, never, "Rate limit exceeded. Try again later."},
		{"rate limit for an hour", wiretest.Reply{Status: 429, Header: map[string]string{"Retry-After": "3600"}}, model.RateLimited, never, "Rate limit exceeded. Try again later."},
		{"quota of the day", wiretest.Reply{Status: 429, Message: "Rate limit reached on requests per day (RPD): Limit 200."}, model.RateLimited, never, "The quota of the day at test is used up."},
		{"fault", wiretest.Reply{Status: 500, Message: "oops"}, model.Overloaded, 5, "test has a fault (status 500)."},
		{"bad gateway", wiretest.Reply{Status: 502, Message: "upstream gone"}, model.Overloaded, 5, "test has a fault (status 502)."},
		{"gateway time-out", wiretest.Reply{Status: 504, Message: "upstream slow"}, model.Overloaded, 5, "test has a fault (status 504)."},
		{"request time-out", wiretest.Reply{Status: 408, Message: "too slow"}, model.Overloaded, 5, "test has a fault (status 408)."},
		{"unavailable", wiretest.Reply{Status: 503, Message: "not now"}, model.Overloaded, 5, "test is overloaded."},
		{"overloaded", wiretest.Reply{Status: 529, Message: "Overloaded"}, model.Overloaded, never, "test is overloaded."},
		{"overloaded in a stream", wiretest.Reply{Text: "I be", Fault: "overloaded_error"}, model.Overloaded, never, "Try again later."},
		{"too long, in a stream", wiretest.Reply{Text: "I be", Fault: "context_length_exceeded " + key}, model.TooLong, never, "too long for test/"},
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

// A provider that fails once is not noticed, but for a restart of what was shown.
func TestItGoesOnAfterAFailure(t *testing.T) {
	good := wiretest.Reply{Text: "42 million.", Usage: model.Usage{Input: 1, Output: 1}}
	for name, bad := range map[string]wiretest.Reply{
		"500": {Status: 500}, "empty": {},
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

func TestNoKeyAndNobodyThere(t *testing.T) {
	// A port that is never handed out: one that was just given back may be the
	// next server's.
	const nobody = "http://127.0.0.1:1"
	each(t, func(t *testing.T, kind provider.Kind, name string) {
		b := set(t, kind, name, wiretest.InTurn(wiretest.Reply{Text: "Yes."}), func(cfg *provider.Config) { cfg.Key = " \n" })
		_, err := b.ask(t.Context(), request)
		var e *model.Error
		if !errors.As(err, &e) || e.Class != model.BadKey || !strings.Contains(e.Message, "Set TEST_KEY") || len(b.server.Requests()) != 0 {
			t.Errorf("no key: %v", err)
		}
		b = set(t, kind, name, wiretest.InTurn(wiretest.Reply{}), func(cfg *provider.Config) { cfg.Provider.BaseURL = nobody })
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
		_, err := b.ask(t.Context(), request)
		if tried := len(b.server.Requests()) + len(b.waits); !errors.As(err, &e) || e.Class != model.TimedOut || tried > 1 { // none if the machine was busy
			t.Errorf("after its time, tried %d times: %v", tried, err)
		}
	})
}

// A model that says only that it will not answer has refused.
func TestARefusalIsNoAnswer(t *testing.T) {
	said := map[string]string{
		"completions": `{"choices":[{"index":0,"message":{"role":"assistant","content":null,"refusal":"I will not."},"finish_reason":"stop"}]}`,
		"responses":   `{"status":"completed","output":[{"type":"message","content":[{"type":"refusal","refusal":"I will not."}]}]}`,
		"anthropic":   `{"type":"message","content":[],"stop_reason":"refusal"}`,
		"gemini":      `{"promptFeedback":{"blockReason":"SAFETY"}}`,
	}
	for _, d := range dialects {
		body := said[d.label]
		if body == "" {
			continue
		}
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, body)
		}))
		for _, whole := range []bool{false, true} { // a server may answer whole all the same
			b := set(t, d.kind, d.model, nil, func(c *provider.Config) { c.Provider.BaseURL, c.Provider.Whole = srv.URL, whole })
			var e *model.Error
			if r, err := b.ask(t.Context(), request); !errors.As(err, &e) || e.Class != model.Blocked || len(b.waits) > 0 {
				t.Errorf("%s: %+v, %v after %d waits", d.label, r, err, len(b.waits))
			}
		}
		srv.Close()
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
