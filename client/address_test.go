package client

import (
	"net/http"
	"strings"
	"testing"

	"parley"
)

// A token is never sent where others on the way can read it.
func TestNoTokenInClear(t *testing.T) {
	for address, fine := range map[string]bool{
		"http://127.0.0.1:7420":       true,
		"http://127.8.9.1":            true,
		"http://[::1]:7420":           true,
		"http://[::ffff:127.0.0.1]:1": true,
		"http://localhost:7420/":      true,
		"HTTP://LOCALHOST":            true,
		"https://parley.example.com":  true,
		"HTTPS://10.0.0.5":            true,

		"http://parley.example.com":            false,
		"http://192.0.2.1:7420":                false,
		"http://[2001:db8::1]":                 false,
		"http://localhost.example.com":         false,
		"http://127.0.0.1.example.com":         false,
		"http://127.0.0.1@example.com":         false,
		"http://localhost:x@example.com":       false,
		"http://example.com#@127.0.0.1":        false,
		"http://example.com?@localhost":        false,
		"hTTp://0x7f000001":                    false, // not an address in every resolver
		"http://[fe80::1%25localhost]":         false,
		"//parley.example.com":                 false,
		"http://user:pass@parley.example.com/": false,
	} {
		err := CheckAddress(address)
		if (err == nil) != fine {
			t.Errorf("%s: %v", address, err)
		}
		if err != nil && (parley.KindOf(err) != parley.Denied || !strings.Contains(err.Error(), "Use https") || !strings.Contains(err.Error(), "PARLEY_INSECURE=1")) {
			t.Errorf("%s does not say what to do: %v", address, err)
		}
	}
}

// asked is a way on which nobody answers. It counts who was sent a token.
type asked struct{ tokens int }

func (a *asked) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Header.Get("Authorization") != "" {
		a.tokens++
	}
	return nil, http.ErrServerClosed
}

func TestClientKeepsItsToken(t *testing.T) {
	way := &asked{}
	c := New("http://parley.example.com", "parley_secret")
	c.transport, c.Patience = way, 0
	if _, err := c.Hub(t.Context()); parley.KindOf(err) != parley.Denied || way.tokens != 0 {
		t.Errorf("%v, and %d requests had the token", err, way.tokens)
	}
	if err := c.Ack(t.Context(), "msg-1"); parley.KindOf(err) != parley.Denied || way.tokens != 0 {
		t.Errorf("%v, and %d requests had the token", err, way.tokens)
	}
	c.Insecure = true
	if _, err := c.Hub(t.Context()); parley.KindOf(err) != parley.Unavailable || way.tokens != 1 {
		t.Errorf("insecure: %v, and %d requests had the token", err, way.tokens)
	}
}

func TestInsecureFromEnv(t *testing.T) {
	t.Setenv(EnvURL, "http://parley.example.com")
	t.Setenv(EnvToken, "parley_secret")
	for value, want := range map[string]bool{"": false, "0": false, "1": true} {
		t.Setenv(EnvInsecure, value)
		if c, err := FromEnv(); err != nil || c.Insecure != want {
			t.Errorf("%s=%s: %+v, %v", EnvInsecure, value, c, err)
		}
	}
}
