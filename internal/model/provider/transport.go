package provider

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"charm.land/fantasy/providers/openrouter"
)

// maxRefusal bounds what is read of a refusal.
const maxRefusal = 64 << 10

// exchange is what the transport saw of one attempt. It travels in the
// attempt's context, since the client libraries keep too little of it: Gemini's
// drops the headers of a refusal and why a prompt was blocked.
type exchange struct {
	err    error // the provider could not be reached
	status int
	header http.Header
	body   string // of a refusal, without the key

	gemini     *geminiTap
	completion *completionTap
}

type exchangeKey struct{}

func withExchange(ctx context.Context) (context.Context, *exchange) {
	x := &exchange{}
	return context.WithValue(ctx, exchangeKey{}, x), x
}

// transport puts the key into requests, and takes notes.
type transport struct {
	next http.RoundTripper
	kind Kind
	home *url.URL // only what goes there gets the key
	key  secret
}

// newClient makes the client of a provider.
func newClient(p Provider, key secret) *http.Client {
	home, err := url.Parse(p.BaseURL)
	if err != nil {
		home = &url.URL{}
	}
	return &http.Client{Transport: &transport{next: newConnections(), kind: p.Kind, home: home, key: key}}
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

func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context())
	t.authorize(req)
	x, _ := req.Context().Value(exchangeKey{}).(*exchange)
	if x == nil {
		x = &exchange{}
	}
	resp, err := t.next.RoundTrip(req)
	if err != nil {
		x.err = err
		return nil, err
	}
	x.status, x.header = resp.StatusCode, resp.Header
	if resp.StatusCode >= 400 {
		return resp, t.readRefusal(x, resp)
	}
	x.listen(t.kind, req, resp)
	return resp, nil
}

// authorize replaces whatever the client libraries took for a key, also from the
// environment: OPENAI_API_KEY is nothing for a server in the next room.
func (t *transport) authorize(req *http.Request) {
	for _, name := range []string{"Authorization", "X-Api-Key", "X-Goog-Api-Key"} {
		req.Header.Del(name)
	}
	if t.kind != OpenAI {
		req.Header.Del("OpenAI-Organization")
		req.Header.Del("OpenAI-Project")
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

// readRefusal keeps what a provider says when it refuses, and gives the rest of
// the way a copy without the key.
func (t *transport) readRefusal(x *exchange, resp *http.Response) error {
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxRefusal))
	_ = resp.Body.Close()
	if err != nil && len(body) == 0 {
		x.err = err
		return err
	}
	x.body = t.key.hide(string(body))
	resp.Body = io.NopCloser(bytes.NewReader([]byte(x.body)))
	resp.ContentLength = int64(len(x.body))
	return nil
}

// secret is a key. It is never printed.
type secret string

func (secret) String() string   { return "[key]" }
func (secret) GoString() string { return "[key]" }

// hide takes the key out of a text that a provider wrote.
func (s secret) hide(text string) string {
	if len(s) < 4 { // no key, and every text contains it
		return text
	}
	return strings.ReplaceAll(text, string(s), "[key]")
}

// rebase sends what is meant for OpenRouter to another address: its library has
// no setting for it.
func rebase(client *http.Client, base string) *http.Client {
	to, err := url.Parse(base)
	if err != nil || base == openrouter.DefaultURL {
		return client
	}
	from, _ := url.Parse(openrouter.DefaultURL)
	return &http.Client{Transport: rebased{client.Transport, from.Path, to}}
}

type rebased struct {
	next http.RoundTripper
	path string // what the address of a request begins with
	to   *url.URL
}

func (r rebased) RoundTrip(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context())
	rest := strings.TrimPrefix(req.URL.Path, r.path)
	req.URL.Scheme, req.URL.Host, req.Host = r.to.Scheme, r.to.Host, r.to.Host
	req.URL.Path = strings.TrimRight(r.to.Path, "/") + rest
	return r.next.RoundTrip(req)
}
