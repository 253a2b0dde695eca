package client

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"parley"
	"parley/api"
	"parley/internal/bubbletest"
	"parley/internal/hubfile"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fake makes a client of a fake hub.
func fake(t *testing.T, h http.HandlerFunc) *Client {
	s := httptest.NewServer(h)
	c := New(s.URL+"/", "parley_secret")
	t.Cleanup(func() {
		c.Close()
		s.Close()
	})
	return c
}

func TestNoHub(t *testing.T) {
	if _, err := Discover(filepath.Join(t.TempDir(), "nothing")); parley.KindOf(err) != parley.Unavailable || !strings.Contains(err.Error(), "parley up") {
		t.Errorf("an empty folder: %v", err)
	}
	c := New("http://127.0.0.1:1", "parley_secret")
	defer c.Close()
	if _, err := c.Hub(t.Context()); parley.KindOf(err) != parley.Unavailable || !strings.Contains(err.Error(), "parley up") || !strings.Contains(err.Error(), "127.0.0.1:1") {
		t.Errorf("nobody at the address: %v", err)
	}
	if err := c.MarkSeen(t.Context()); err != nil {
		t.Errorf("nothing to say: %v", err)
	}
}

func TestDiscover(t *testing.T) {
	dir := t.TempDir()
	lock, err := hubfile.Acquire(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = lock.Release() }()
	if err := lock.Publish(hubfile.Hub{URL: "http://127.0.0.1:7420", Token: "parley_secret"}); err != nil {
		t.Fatal(err)
	}
	c, err := Discover(dir)
	if err != nil || c.Address() != "http://127.0.0.1:7420" || c.token != "parley_secret" {
		t.Errorf("%+v, %v", c, err)
	}
}

func TestSomethingElseAtTheAddress(t *testing.T) {
	for name, answer := range map[string]http.HandlerFunc{
		"a page": func(w http.ResponseWriter, _ *http.Request) { http.NotFound(w, nil) },
		"a redirect": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://127.0.0.1:1/", http.StatusFound)
		},
	} {
		_, err := fake(t, answer).Hub(t.Context())
		if parley.KindOf(err) != parley.Internal || !strings.Contains(err.Error(), "is not a parley hub") {
			t.Errorf("%s: %v", name, err)
		}
	}
	cut := fake(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"version": `) })
	if _, err := cut.Hub(t.Context()); parley.KindOf(err) != parley.Unavailable {
		t.Errorf("an answer that breaks off: %v", err)
	}
}

func TestWhoGivesUpIsNotToldThatTheHubIsGone(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	c := fake(t, func(_ http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
	})
	if _, err := c.WaitTask(ctx, "task-101", 0); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestWaitingGoesOnUntilTheTaskHasEnded(t *testing.T) {
	var polls atomic.Int32
	c := fake(t, func(w http.ResponseWriter, r *http.Request) {
		task := api.Task{ID: "task-101", State: "running"}
		if polls.Add(1) == 3 {
			now := time.Now()
			task.State, task.Ended = "completed", &now
		}
		if r.URL.Path != "/v1/tasks/task-101/wait" || r.Header.Get("Authorization") != "Bearer parley_secret" {
			t.Errorf("%s with %q", r.URL.Path, r.Header.Get("Authorization"))
		}
		_ = json.NewEncoder(w).Encode(task)
	})
	if task, err := c.WaitTask(t.Context(), "task-101", 0); task.State != "completed" || err != nil || polls.Load() != 3 {
		t.Errorf("%+v after %d polls, %v", task, polls.Load(), err)
	}
}

func TestWaitingEndsWithItsTime(t *testing.T) {
	c := fake(t, func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(api.Task{ID: "task-101", State: "running"})
	})
	if task, err := c.WaitTask(t.Context(), "task-101", time.Millisecond); task.State != "running" || err != nil {
		t.Errorf("%+v, %v", task, err)
	}
}

// answers is a fake network: each request gets the next answer, and the last
// one again and again.
type answers []func(*http.Request) (*http.Response, error)

func (a *answers) RoundTrip(r *http.Request) (*http.Response, error) {
	answer := (*a)[0]
	if len(*a) > 1 {
		*a = (*a)[1:]
	}
	return answer(r)
}

func nobody(*http.Request) (*http.Response, error) { return nil, errors.New("connection refused") }

func streaming(body io.ReadCloser) func(*http.Request) (*http.Response, error) {
	return func(r *http.Request) (*http.Response, error) {
		context.AfterFunc(r.Context(), func() { body.Close() })
		return &http.Response{StatusCode: http.StatusOK, Body: body, Request: r}, nil
	}
}

func text(s string) io.ReadCloser { return io.NopCloser(strings.NewReader(s)) }

// follow reads a stream to its end in a bubble and says how long it took.
func follow(t *testing.T, list ...func(*http.Request) (*http.Response, error)) (cursors []string, took time.Duration, last error) {
	bubbletest.Test(t, func(t *testing.T) {
		a := answers(list)
		c := &Client{base: "http://localhost", transport: &a}
		began := time.Now()
		for e, err := range c.Events(t.Context(), "", true) {
			if last = err; err == nil {
				cursors = append(cursors, e.Cursor)
			}
		}
		took = time.Since(began)
	})
	return cursors, took, last
}

const twoEvents = ": parley\n\nid: 0.1\nevent: task.opened\ndata: {\"cursor\":\"0.1\"}\n\n" +
	"id: 0.2\nevent: task.opened\ndata: {\"cursor\":\"0.2\"}\n\nid: 0.3\nevent: task.opened\ndata: {\"cursor\":\"0.3\"}\n"

func TestAStreamIsTakenUpAgainForAWhile(t *testing.T) {
	cursors, took, err := follow(t, streaming(text(twoEvents)), nobody, streaming(text(twoEvents[80:])), nobody)
	if got := strings.Join(cursors, " "); got != "0.1 0.2" {
		t.Errorf("events %s", got)
	}
	if parley.KindOf(err) != parley.Unavailable || !strings.Contains(err.Error(), "gone") || took < reconnectFor || took > 2*reconnectFor {
		t.Errorf("it ended after %s with %v", took, err)
	}
}

func TestASilentStreamIsGivenUp(t *testing.T) {
	silent := func(r *http.Request) (*http.Response, error) {
		body, _ := io.Pipe()
		return streaming(body)(r)
	}
	_, took, err := follow(t, silent, nobody)
	if parley.KindOf(err) != parley.Unavailable || took < maxSilence || took > maxSilence+2*reconnectFor {
		t.Errorf("it ended after %s with %v", took, err)
	}
}

func TestARefusalEndsAStream(t *testing.T) {
	refused := `{"kind":"invalid","message":"No such place."}`
	_, took, err := follow(t, streaming(text("event: problem\ndata: "+refused+"\n\n")))
	if parley.KindOf(err) != parley.Invalid || err.Error() != "No such place." || took != 0 {
		t.Errorf("it ended after %s with %v", took, err)
	}
	_, _, err = follow(t, func(r *http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: http.StatusUnauthorized, Body: text(`{"kind":"unauthentic","message":"Who?"}`), Request: r}, nil
	})
	if parley.KindOf(err) != parley.Unauthentic {
		t.Errorf("it ended with %v", err)
	}
}
