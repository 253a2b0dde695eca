package wire

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"sync/atomic"
	"time"

	"parley/internal/bridge"
)

// MostRead bounds an answer, and what comes over a connection at once.
const MostRead = 16 << 20

// Client calls a chat program over HTTP. It follows no redirects: a key would go along.
type Client struct {
	name string
	http *http.Client
}

// NewClient makes a client of a program with a name for people.
func NewClient(name string) *Client {
	return &Client{name, &http.Client{Transport: http.DefaultTransport.(*http.Transport).Clone(),
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
}

// Close ends the connections that are not in use.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Answer is what a program has answered.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// Do makes a call, which is called what for people. A *bridge.Failure says that nothing was
// sent; after any other error it is not known what was done. No error has an address in it:
// keys may be part of one.
func (c *Client) Do(req *http.Request, what string) (Answer, error) {
	var wrote atomic.Bool
	traced := httptrace.WithClientTrace(req.Context(), &httptrace.ClientTrace{WroteHeaders: func() { wrote.Store(true) }})
	resp, err := c.http.Do(req.WithContext(traced))
	if err == nil {
		defer func() { _ = resp.Body.Close() }() // all that counts was read
		a := Answer{Status: resp.StatusCode, Header: resp.Header}
		if a.Body, err = io.ReadAll(io.LimitReader(resp.Body, MostRead)); err == nil {
			return a, nil
		}
	}
	if !wrote.Load() {
		return Answer{}, &bridge.Failure{Reason: c.name + " cannot be reached for " + what + ": " + cause(err)}
	}
	return Answer{}, errors.New("it is not known whether " + what + " was done: " + c.name + " did not answer: " + cause(err))
}

// cause is why a call failed, without where it went.
func cause(err error) string {
	if e := (*net.DNSError)(nil); errors.As(err, &e) {
		return e.Err
	}
	if e := (*net.OpError)(nil); errors.As(err, &e) {
		err = e.Err
	}
	if e := (*url.Error)(nil); errors.As(err, &e) {
		err = e.Err
	}
	return err.Error()
}

// Patiently makes a call that can be repeated, and waits if the program asks for it, but
// not longer than most.
func Patiently(ctx context.Context, most time.Duration, call func() error) error {
	for {
		err := call()
		f := (*bridge.Failure)(nil)
		if err == nil || !errors.As(err, &f) || f.After == 0 || f.After > most {
			return err
		}
		timer := time.NewTimer(f.After)
		select {
		case <-ctx.Done():
			timer.Stop()
			return err
		case <-timer.C:
		}
	}
}
