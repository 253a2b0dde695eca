// Package client calls the hub's HTTP API from Go, with one method for each
// operation and the types of package api.
//
// An agent program is a Handler: a function that gets a task and returns its result.
// Serve does the rest. It waits for work as the agent whose token the client has, works on
// several tasks at once, and goes on with them when the hub or the program itself was
// started anew. FromEnv takes the hub's address and the token from the environment,
// Discover from the data folder of a hub on this machine.
//
// When the hub refuses something, the
// caller gets the same *parley.Error that the hub had. When no hub answers, the
// error is of kind Unavailable and says how to start one.
//
// A Client is safe for concurrent use. Every request that changes something
// carries a key. If its answer is lost, it is sent again with that key, so that it
// is done once. If no answer comes at all, the error says that the outcome is
// unknown, and how to look.
package client

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"parley"
	"parley/api"
	"parley/internal/hubfile"
)

// Client is a participant's connection to the hub; its token says whose.
type Client struct {
	base  string
	token string
	// transport is used without an http.Client: the hub sends neither redirects nor cookies.
	transport http.RoundTripper

	// Patience is for how long a change whose answer was lost is sent again.
	Patience time.Duration
	// Insecure allows the token to go unencrypted to another machine, in a network that
	// you trust.
	Insecure bool
	// Looking marks calls that only look whether the hub can be reached: they do not count
	// as the agent being connected.
	Looking bool

	// find finds the hub again, which may be at another address after a restart; nil if
	// there is only the one address.
	find func() (hubfile.Hub, error)
}

// New makes a client of the hub at baseURL, such as http://127.0.0.1:7420.
func New(baseURL, token string) *Client {
	return &Client{base: strings.TrimRight(baseURL, "/"), token: token, Patience: 10 * time.Second,
		// No proxy, so that only the hub sees the token.
		transport: &http.Transport{MaxIdleConnsPerHost: 64, IdleConnTimeout: 90 * time.Second}}
}

// Address is the base URL of the hub.
func (c *Client) Address() string { return c.base }

// Close closes the idle connections.
func (c *Client) Close() {
	if w, ok := c.transport.(interface{ CloseIdleConnections() }); ok {
		w.CloseIdleConnections()
	}
}

// callTimeout bounds every call that does not wait for something.
const callTimeout = 30 * time.Second

func (c *Client) get(ctx context.Context, path string, query url.Values, out any) error {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	return c.call(ctx, http.MethodGet, path, query, nil, nil, out)
}

func (c *Client) call(ctx context.Context, method, path string, query url.Values, header http.Header, in, out any) error {
	resp, err := c.open(ctx, method, path, query, in, header)
	if err != nil {
		return err
	}
	defer drain(resp.Body)
	if out == nil {
		return nil
	}
	if err := json.NewDecoder(resp.Body).Decode(out); err != nil {
		return c.unreachable(ctx, err)
	}
	return nil
}

// open sends a request and returns the response if it is a success.
func (c *Client) open(ctx context.Context, method, path string, query url.Values, in any, header http.Header) (*http.Response, error) {
	req, err := c.request(ctx, method, path, query, in)
	if err != nil {
		return nil, err
	}
	for name, values := range header {
		req.Header[name] = values
	}
	resp, err := c.transport.RoundTrip(req)
	if err != nil {
		return nil, c.unreachable(ctx, err)
	}
	if resp.StatusCode >= 300 {
		defer drain(resp.Body)
		return nil, problem(resp)
	}
	return resp, nil
}

func (c *Client) request(ctx context.Context, method, path string, query url.Values, in any) (*http.Request, error) {
	if err := CheckAddress(c.base); err != nil && !c.Insecure {
		return nil, err
	}
	address := c.base + path
	if len(query) > 0 {
		address += "?" + query.Encode()
	}
	var body io.Reader
	if in != nil {
		text, err := json.Marshal(in)
		if err != nil {
			return nil, err
		}
		body = bytes.NewReader(text)
	}
	req, err := http.NewRequestWithContext(ctx, method, address, body)
	if err != nil {
		return nil, parley.Errorf(parley.Invalid, "%q is not the address of a hub.", c.base).WithCause(err)
	}
	req.Header.Set("Authorization", "Bearer "+c.token)
	req.Header.Set("Accept", "application/json")
	if c.Looking {
		req.Header.Set(parley.LookHeader, "1")
	}
	if in != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	return req, nil
}

// problem makes the error that the hub had out of its response.
func problem(resp *http.Response) error {
	var p api.Problem
	text, _ := io.ReadAll(io.LimitReader(resp.Body, 64<<10))
	if json.Unmarshal(text, &p) != nil || p.Kind == "" {
		return parley.Errorf(parley.Internal, "What answers at this address is not a parley hub: %s.", resp.Status)
	}
	return &parley.Error{Kind: parley.Kind(p.Kind), Message: p.Message, Hint: p.Hint}
}

// unreachable says that no hub answered, unless the caller itself gave up.
func (c *Client) unreachable(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); errors.Is(cause, context.Canceled) {
		return cause
	}
	var distrusted *tls.CertificateVerificationError
	if errors.As(err, &distrusted) {
		return parley.Errorf(parley.Denied, "The certificate of the hub at %s is not trusted: %v.", c.base, distrusted.Err).
			WithHint("Check the address. For a certificate that you signed yourself, name its file in SSL_CERT_FILE.").WithCause(err)
	}
	return ErrNoHub(fmt.Sprintf("No hub answers at %s.", c.base)).WithCause(err)
}

// ErrNoHub says that no hub is running and how to start one.
func ErrNoHub(what string) *parley.Error {
	return parley.Errorf(parley.Unavailable, "%s", what).WithHint("Start one with: parley up")
}

// drain reads the rest of a body, so that its connection can be used again.
func drain(body io.ReadCloser) {
	_, _ = io.CopyN(io.Discard, body, 64<<10)
	body.Close()
}
