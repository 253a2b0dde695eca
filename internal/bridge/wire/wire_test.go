package wire

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"parley/internal/bridge"
)

// Whoever was not reached has done nothing: nobody listens, or it is somebody else. After
// that nobody knows. No error says where the call went.
func TestWhetherACallWasSent(t *testing.T) {
	plain := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/secret/lost" {
			panic(http.ErrAbortHandler)
		}
		http.Redirect(w, r, "/elsewhere", http.StatusFound)
	}))
	defer plain.Close()
	secure := httptest.NewTLSServer(http.NotFoundHandler()) // nobody trusts it
	defer secure.Close()
	secure.Config.ErrorLog = nil
	closed := httptest.NewServer(nil)
	closed.Close()
	c := NewClient("Chat")
	defer c.Close()
	for address, unsent := range map[string]bool{
		closed.URL + "/secret/": true, secure.URL + "/secret/": true, "http://nobody.invalid/secret/": true, plain.URL + "/secret/lost": false,
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, strings.NewReader("words"))
		if err != nil {
			t.Fatal(err)
		}
		_, err = c.Do(req, "posting")
		f := (*bridge.Failure)(nil)
		if err == nil || errors.As(err, &f) != unsent || !strings.Contains(err.Error(), "posting") || strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "127.0.0.1") || strings.Contains(err.Error(), "nobody.invalid") {
			t.Errorf("%s: %v", address, err)
		}
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, plain.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	if a, err := c.Do(req, "reading"); err != nil || a.Status != http.StatusFound {
		t.Errorf("a redirect was followed: %+v, %v", a, err)
	}
}

func TestWaitingForAProgram(t *testing.T) {
	calls := 0
	wait := func(after time.Duration) func() error {
		return func() error {
			if calls++; calls%3 == 0 {
				return nil
			}
			return &bridge.Failure{After: after}
		}
	}
	if err := Patiently(t.Context(), time.Second, wait(time.Nanosecond)); err != nil || calls != 3 {
		t.Errorf("%d calls, %v", calls, err)
	}
	if err := Patiently(t.Context(), time.Second, wait(time.Minute)); err == nil || calls != 4 {
		t.Errorf("it waits longer than it may: %d calls, %v", calls, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Patiently(ctx, time.Hour, wait(time.Minute)); err == nil || calls != 5 {
		t.Errorf("it waits after the end: %d calls, %v", calls, err)
	}
}

// A connection for events is not less safe than the calls.
func TestConnectionsAreSafe(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for _, address := range []string{"ws://" + l.Addr().String(), "http://" + l.Addr().String(), "://"} {
		if _, _, err := Dial(t.Context(), Dialing{Address: address, Origin: "https://example.com", Limit: time.Minute}); err == nil || strings.Contains(err.Error(), "127") {
			t.Errorf("%s: %v", address, err)
		}
	}
}

func TestAMemoryIsBounded(t *testing.T) {
	var m Memory[int]
	for i := range 3 * mostKept {
		m.Put(fmt.Sprint(i), i)
	}
	if n := len(m.known) + len(m.last); n > 2*mostKept {
		t.Errorf("%d are kept", n)
	}
	if got, ok := m.Get(fmt.Sprint(2*mostKept + 1)); !ok || got != 2*mostKept+1 {
		t.Error("a late one is forgotten")
	}
	if _, ok := m.Get("0"); ok {
		t.Error("the first is still known")
	}
	if m.Forget(); len(m.known)+len(m.last) != 0 {
		t.Error("something is left")
	}
}
