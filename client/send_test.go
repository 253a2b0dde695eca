package client

import (
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/api"
	"parley/internal/bubbletest"
)

func refused(*http.Request) (*http.Response, error) {
	return nil, &net.OpError{Op: "dial", Err: errors.New("connection refused")}
}

func cutOff(*http.Request) (*http.Response, error) { return nil, io.ErrUnexpectedEOF }

// change sends a change over a fake network in a bubble.
func change(t *testing.T, list ...func(*http.Request) (*http.Response, error)) (keys []string, took time.Duration, err error) {
	bubbletest.Test(t, func(t *testing.T) {
		a := answers{}
		for _, answer := range list {
			a = append(a, func(r *http.Request) (*http.Response, error) {
				keys = append(keys, r.Header.Get(api.KeyHeader))
				return answer(r)
			})
		}
		c := New("http://localhost", "parley_secret")
		c.transport = &a
		began := time.Now()
		_, err = c.Cancel(t.Context(), "task-101")
		took = time.Since(began)
	})
	return keys, took, err
}

func TestAChangeIsSentAgainUnderItsKey(t *testing.T) {
	// The answer is lost, the hub starts anew, and then it answers.
	keys, _, err := change(t, cutOff, refused, streaming(text(`{"id": "task-101"}`)))
	if err != nil || len(keys) != 3 || keys[0] == "" || keys[1] != keys[0] || keys[2] != keys[0] {
		t.Errorf("keys %q, %v", keys, err)
	}
	other, _, _ := change(t, streaming(text(`{"id": "task-101"}`)))
	if other[0] == keys[0] {
		t.Error("two changes have the same key")
	}
}

// "No hub answers, start one" would have the reader do it twice.
func TestAnUnknownOutcomeIsCalledThat(t *testing.T) {
	keys, took, err := change(t, cutOff, refused)
	if !errors.Is(err, ErrUnknown) || strings.Contains(err.Error(), "parley up") || !strings.Contains(err.Error(), "parley task task-101") {
		t.Errorf("after %d attempts: %v", len(keys), err)
	}
	if took < 10*time.Second || took > 20*time.Second {
		t.Errorf("it was tried for %s", took)
	}
}

func TestAChangeThatNobodyHeardIsNotUnknown(t *testing.T) {
	keys, _, err := change(t, refused)
	if len(keys) != 1 || errors.Is(err, ErrUnknown) || parley.KindOf(err) != parley.Unavailable || !strings.Contains(err.Error(), "parley up") {
		t.Errorf("after %d attempts: %v", len(keys), err)
	}
}

func TestWhereToLook(t *testing.T) {
	for path, want := range map[string]string{
		"/v1/contacts":               "parley audit --limit 20",
		"/v1/tasks/task-7/budget":    "parley task task-7",
		"/v1/approvals/approval-1/x": "parley approvals --all",
		"/v1/channels":               "parley channels",
		"/v1/agents/Bob/status":      "parley agents",
	} {
		if got := look(path); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}
