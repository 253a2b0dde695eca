package provider

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"

	"parley/internal/bubbletest"
	"parley/internal/model"
	"parley/internal/model/catalogue"
)

// slow sends a reply in the format of chat completions, with a pause before each
// part. A part that is empty is a comment, as some send to keep a connection.
type slow struct {
	pauses []time.Duration
	parts  []string
	asked  int
}

func (s *slow) RoundTrip(r *http.Request) (*http.Response, error) {
	s.asked++
	body, out := io.Pipe()
	go func() {
		for i, part := range s.parts {
			select {
			case <-time.After(s.pauses[min(i, len(s.pauses)-1)]):
			case <-r.Context().Done():
				_ = out.CloseWithError(r.Context().Err())
				return
			}
			if _, err := io.WriteString(out, part+"\n\n"); err != nil {
				return
			}
		}
		_ = out.Close()
	}()
	return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: body, Request: r}, nil
}

func text(s string) string {
	return fmt.Sprintf(`data: {"choices":[{"index":0,"delta":{"content":%q}}]}`, s)
}

const finished = `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":70,"completion_tokens":5}}`

func (s *slow) ask(t *testing.T) (model.Reply, *model.Error) {
	t.Helper()
	m, err := New(Config{Provider: Provider{Name: "lab", Kind: Compatible, BaseURL: "http://lab.test/v1"}, Name: "m",
		Entry:  catalogue.Entry{Price: &catalogue.Price{Input: 1, Output: 1}},
		Client: &http.Client{Transport: s}, Wait: func(context.Context, time.Duration) error { return nil }})
	if err != nil {
		t.Fatal(err)
	}
	r, err := m.Step(t.Context(), model.Request{Messages: []model.Message{{Role: model.User, Text: "0123456789012345678901234567890123456789"}}}, nil)
	var e *model.Error
	if err != nil && !errors.As(err, &e) {
		t.Fatal(err)
	}
	return r, e
}

// The limits are for silence: a reply that moves is not cut, however long it takes.
func TestAStreamThatMovesIsNotCut(t *testing.T) {
	bubbletest.Test(t, func(t *testing.T) {
		s := &slow{pauses: []time.Duration{9 * time.Minute, 119 * time.Second}}
		for range 60 { // two hours
			s.parts = append(s.parts, text("a"), ": still here")
		}
		s.parts = append(s.parts, finished)
		r, err := s.ask(t)
		if err != nil || len(r.Text) != 60 || r.Usage.Estimated || r.Usage.Input != 70 {
			t.Errorf("%+v, %v", r, err)
		}
	})
}

// A reply that falls silent is asked for again; one that does not begin is not. Both
// are counted as far as can be guessed, and it is said that this is a guess.
func TestSilence(t *testing.T) {
	for name, c := range map[string]struct {
		pauses []time.Duration
		parts  []string
		asked  int
		says   string
		usage  model.Usage
	}{
		"before it begins": {[]time.Duration{10*time.Minute + time.Second}, []string{text("a")}, 1, "lab/m did not answer within 10m0s.",
			model.Usage{Input: 10, Estimated: true, Cost: 10}},
		"in the middle": {[]time.Duration{time.Second, 121 * time.Second}, []string{text("12345678"), text("b"), finished}, 5,
			"lab/m fell silent in the middle of a reply for 2m0s. Try again later.", model.Usage{Input: 50, Output: 10, Estimated: true, Cost: 60}},
		"cut": {[]time.Duration{time.Second}, []string{text("12345678")}, 5,
			"The connection to lab broke off in the middle of a reply. Try again later.", model.Usage{Input: 50, Output: 10, Estimated: true, Cost: 60}},
		"empty": {[]time.Duration{time.Second}, []string{finished}, 5, "lab/m answered with nothing.", model.Usage{Input: 350, Output: 25, Cost: 375}},
	} {
		t.Run(name, func(t *testing.T) {
			bubbletest.Test(t, func(t *testing.T) {
				s := &slow{pauses: c.pauses, parts: c.parts}
				_, err := s.ask(t)
				if err == nil || err.Message != c.says || s.asked != c.asked || err.Usage != c.usage {
					t.Errorf("asked %d times: %+v", s.asked, err)
				}
			})
		})
	}
}

// What came to nothing before a reply is counted with it.
func TestLostRepliesAreCounted(t *testing.T) {
	bubbletest.Test(t, func(t *testing.T) {
		s := &slow{pauses: []time.Duration{time.Second}, parts: []string{finished}}
		first := s.parts
		s.parts = append([]string{}, first...)
		m, err := New(Config{Provider: Provider{Name: "lab", Kind: Compatible, BaseURL: "http://lab.test/v1"}, Name: "m",
			Client: &http.Client{Transport: s}, Wait: func(context.Context, time.Duration) error {
				s.parts = []string{text("Yes."), finished}
				return nil
			}})
		if err != nil {
			t.Fatal(err)
		}
		r, err := m.Step(t.Context(), model.Request{Messages: []model.Message{{Role: model.User, Text: "?"}}}, nil)
		if err != nil || r.Text != "Yes." || r.Usage.Input != 140 || r.Usage.Output != 10 || r.Usage.Estimated {
			t.Errorf("%+v, %v", r, err)
		}
	})
}
