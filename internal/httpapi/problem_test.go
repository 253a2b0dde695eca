package httpapi

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/client"
	"parley/internal/bubbletest"
	"parley/internal/store"
	"parley/internal/token"
)

func TestEveryKindHasAStatusOfItsOwn(t *testing.T) {
	seen := map[int]parley.Kind{}
	for _, kind := range parley.Kinds() {
		status, ok := statuses[kind]
		if !ok {
			t.Errorf("%s is not in the table", kind)
			continue
		}
		if other, twice := seen[status]; twice {
			t.Errorf("%s and %s are both %d", kind, other, status)
		}
		seen[status] = kind
	}
	if len(statuses) != len(parley.Kinds()) {
		t.Errorf("the table has %d kinds, there are %d", len(statuses), len(parley.Kinds()))
	}
}

// The client returns the same error that the use case had, for every kind.
func TestErrorsCrossTheWireUnchanged(t *testing.T) {
	for _, kind := range parley.Kinds() {
		want := parley.Errorf(kind, "It is %s.", kind).WithHint("Do something else.").WithCause(errors.New("a secret"))
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { writeProblem(w, describe(want)) }))
		c := client.New(server.URL, "parley_x")
		_, err := c.Hub(t.Context())
		var got *parley.Error
		if !errors.As(err, &got) || got.Kind != kind || got.Message != want.Message || got.Hint != want.Hint || got.Cause != nil {
			t.Errorf("%s came out as %#v", kind, err)
		}
		c.Close()
		server.Close()
	}
}

func TestAForeignErrorIsLoggedAndNotTold(t *testing.T) {
	var log strings.Builder
	s := &Server{log: slog.New(slog.NewTextHandler(&log, nil))}
	p := s.refuse(t.Context(), "get-hub", errors.New("the password is swordfish"))
	if p.status != http.StatusInternalServerError || strings.Contains(p.Message, "swordfish") {
		t.Errorf("told: %#v", p)
	}
	if !strings.Contains(log.String(), "swordfish") {
		t.Errorf("logged: %s", log.String())
	}
}

// A plain mistake of a caller is not logged. An error of any kind is, if it has
// a cause.
func TestCausesAreLogged(t *testing.T) {
	for _, kind := range parley.Kinds() {
		var log strings.Builder
		s := &Server{log: slog.New(slog.NewTextHandler(&log, nil))}
		refusal := parley.Errorf(kind, "It is %s.", kind)
		s.refuse(t.Context(), "get-hub", refusal)
		if logged := log.Len() > 0; logged != (kind == parley.Internal) {
			t.Errorf("%s without a cause is logged: %v", kind, logged)
		}
		log.Reset()
		p := s.refuse(t.Context(), "get-hub", refusal.WithCause(errors.New("connection refused")))
		if !strings.Contains(log.String(), "get-hub") || !strings.Contains(log.String(), "connection refused") {
			t.Errorf("%s with a cause: logged %q", kind, &log)
		}
		if strings.Contains(p.Message+p.Hint, "refused") {
			t.Errorf("%s: the caller was told %q", kind, p.Message)
		}
	}
}

// away is a database that cannot be reached.
type away struct{ store.Store }

func (away) View(context.Context, func(*store.Tx) error) error {
	return parley.Errorf(parley.Unavailable, "The database cannot be reached.").WithCause(errors.New("connection refused"))
}

func TestADatabaseThatIsAwayIsLoggedAtTheDoor(t *testing.T) {
	var log strings.Builder
	s := New(Config{Store: away{}, Log: slog.New(slog.NewTextHandler(&log, nil)), Host: "127.0.0.1"})
	answer := httptest.NewRecorder()
	req := httptest.NewRequest(http.MethodGet, "http://127.0.0.1/v1/hub", nil)
	secret := token.New()
	req.Header.Set("Authorization", "Bearer "+secret)
	s.Handler().ServeHTTP(answer, req)
	if answer.Code != http.StatusServiceUnavailable || strings.Contains(answer.Body.String(), "refused") {
		t.Errorf("answered %d %s", answer.Code, answer.Body)
	}
	if !strings.Contains(log.String(), "connection refused") || strings.Contains(log.String(), secret) {
		t.Errorf("logged: %s", log.String())
	}
}

func TestAPanicIsAnsweredAndLogged(t *testing.T) {
	var log strings.Builder
	s := New(Config{Log: slog.New(slog.NewTextHandler(&log, nil)), Host: "127.0.0.1"})
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(http.ResponseWriter, *http.Request) { panic("out of cheese") })
	answer := httptest.NewRecorder()
	req := httptest.NewRequest(http.MethodGet, "http://127.0.0.1/v1/hub", nil)
	req.Header.Set("Authorization", "Bearer parley_secret")
	s.guard(mux).ServeHTTP(answer, req)
	if answer.Code != http.StatusInternalServerError || !strings.Contains(answer.Body.String(), `"kind":"internal"`) {
		t.Errorf("answered %d %s", answer.Code, answer.Body)
	}
	if strings.Contains(answer.Body.String(), "cheese") {
		t.Errorf("the caller was told: %s", answer.Body)
	}
	if !strings.Contains(log.String(), "cheese") || strings.Contains(log.String(), "parley_secret") {
		t.Errorf("logged: %s", log.String())
	}
}

// patient is a connection without write deadlines.
type patient struct{ *httptest.ResponseRecorder }

func (patient) SetWriteDeadline(time.Time) error { return nil }

func TestAQuietStreamShowsThatItIsAlive(t *testing.T) {
	bubbletest.Test(t, func(t *testing.T) {
		w := patient{httptest.NewRecorder()}
		o := newStream(w)
		for range 61 {
			if err := o.idle(); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Second)
		}
		if got, want := w.Body.String(), ": parley\n\n"+strings.Repeat(": \n\n", 4); got != want {
			t.Errorf("in a minute: %q", got)
		}
	})
}
