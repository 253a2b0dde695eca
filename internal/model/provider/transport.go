package provider

import (
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// transport puts the key into requests.
type transport struct {
	next http.RoundTripper
	kind Kind
	home *url.URL // only what goes there gets the key
	key  secret
}

// NewClient makes the connections of a provider, for all its models.
func NewClient(p Provider, key string) *http.Client {
	home, err := url.Parse(p.BaseURL)
	if err != nil {
		home = &url.URL{}
	}
	return &http.Client{Transport: &transport{next: newConnections(), kind: p.Kind, home: home, key: secret(strings.TrimSpace(key))}}
}

// newConnections keeps as many connections as turns may wait at once.
func newConnections() *http.Transport {
	return &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           (&net.Dialer{Timeout: 15 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
		ForceAttemptHTTP2:     true,
		MaxIdleConnsPerHost:   64,
		IdleConnTimeout:       90 * time.Second,
		TLSHandshakeTimeout:   15 * time.Second,
		ExpectContinueTimeout: time.Second,
	}
}

// RoundTrip implements http.RoundTripper.
func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context())
	t.authorize(req)
	return t.next.RoundTrip(req)
}

// authorize puts the key into a request to its provider, and takes it out of one
// that a redirect leads elsewhere.
func (t *transport) authorize(req *http.Request) {
	for _, name := range []string{"Authorization", "X-Api-Key", "X-Goog-Api-Key"} {
		req.Header.Del(name)
	}
	if t.key == "" || req.URL.Host != t.home.Host || req.URL.Scheme != t.home.Scheme {
		return
	}
	switch t.kind {
	case Anthropic:
		req.Header.Set("X-Api-Key", string(t.key))
	case Gemini:
		req.Header.Set("X-Goog-Api-Key", string(t.key))
	default:
		req.Header.Set("Authorization", "Bearer "+string(t.key))
	}
}
