package httpapi_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/api"
	"parley/client"
)

// cutting serves a handler over connections that break off after some bytes, in
// the middle of whatever is being sent.
func cutting(t *testing.T, h http.Handler, cut *atomic.Int64) *httptest.Server {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// Each connection gets a little further, so that every size occurs.
		h.ServeHTTP(&cutter{ResponseWriter: w, left: int(300 + 37*(cut.Add(1)%11))}, r)
	}))
	t.Cleanup(s.Close)
	return s
}

type cutter struct {
	http.ResponseWriter
	left int
}

func (c *cutter) Unwrap() http.ResponseWriter { return c.ResponseWriter }

func (c *cutter) Write(p []byte) (int, error) {
	if len(p) > c.left {
		_, _ = c.ResponseWriter.Write(p[:c.left])
		_ = http.NewResponseController(c.ResponseWriter).Flush()
		panic(http.ErrAbortHandler)
	}
	c.left -= len(p)
	return c.ResponseWriter.Write(p)
}

func TestEachEventIsSeenExactlyOnceAcrossReconnects(t *testing.T) {
	w := newWorld(t)
	ada := w.as("Ada")
	for i := range 10 {
		w.notify(ada, i)
	}
	var cuts atomic.Int64
	through := client.New(cutting(t, w.server.Handler(), &cuts).URL, w.tokens["Ada"])
	defer through.Close()

	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var got []string
	more := 4
	for e, err := range through.Events(ctx, "", true) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, e.Cursor)
		if e.Kind == string(parley.EventMessage) && more > 0 {
			w.notify(ada, len(got)) // more happens while the reader reads
			more--
		}
		if e.Message == "msg-14" {
			break
		}
	}
	var want []string
	for e, err := range ada.Events(t.Context(), "", false) {
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, e.Cursor)
	}
	if diff := cmp.Diff(want[:min(len(got), len(want))], got); diff != "" {
		t.Error(diff)
	}
	if cuts.Load() < 3 {
		t.Errorf("%d connections: nothing was cut", cuts.Load())
	}
}

func (w *world) notify(as *client.Client, i int) {
	w.t.Helper()
	_, err := as.Contact(w.t.Context(), api.ContactRequest{Action: "notify", Agent: "Bob", Message: fmt.Sprint("number ", i)})
	if err != nil {
		w.t.Fatal(err)
	}
}

func TestAStreamFromNowLeavesOutThePast(t *testing.T) {
	w := newWorld(t)
	ada := w.as("Ada")
	w.notify(ada, 1)
	for e, err := range ada.Events(t.Context(), "now", false) {
		t.Errorf("told of the past: %+v, %v", e, err)
	}
}

func TestABrowserGoesOnAtItsLastEvent(t *testing.T) {
	w := newWorld(t)
	ada := w.as("Ada")
	w.notify(ada, 1)
	w.notify(ada, 2)
	req := w.request("Ada", http.MethodGet, "/v1/events?follow=false&after=now", "")
	_, all := w.send(w.request("Ada", http.MethodGet, "/v1/events?follow=false", ""))
	ids := strings.Split(all, "id: ")
	last, _, _ := strings.Cut(ids[len(ids)-2], "\n")
	req.Header.Set("Last-Event-ID", last)
	if _, body := w.send(req); strings.Count(body, "data: ") != 1 || !strings.Contains(body, `"message_id":"msg-2"`) {
		t.Errorf("after %s: %s", last, body)
	}
}

func TestTheReaderMayLeave(t *testing.T) {
	w := newWorld(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for range w.as("Ada").Events(ctx, "", true) {
		break
	}
	for _, err := range w.as("Ada").Events(ctx, "", true) {
		if err != nil {
			break
		}
		cancel()
	}
}

func TestAClientSeesOnlyItsOwnEvents(t *testing.T) {
	w := newWorld(t)
	w.notify(w.as("Ada"), 1)
	if _, err := w.as("Ada").Contact(t.Context(), api.ContactRequest{Action: "notify", Agent: "Joiner", Message: "Hello."}); err != nil {
		t.Fatal(err)
	}
	var kinds []string
	for e, err := range w.as("Joiner").Events(t.Context(), "", false) {
		if err != nil {
			t.Fatal(err)
		}
		kinds = append(kinds, e.Kind+" "+e.Message)
	}
	if diff := cmp.Diff([]string{"agent.changed ", "message.accepted msg-2", "agent.status "}, kinds); diff != "" {
		t.Error(diff)
	}
}
