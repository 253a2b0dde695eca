package client

import (
	"context"
	"crypto/rand"
	"errors"
	"net"
	"net/http"
	"strings"
	"time"

	"parley"
	"parley/api"
)

// send changes something; in and out may be nil. A change whose answer is lost is
// sent again under the same key, also to a hub that was started anew meanwhile.
func (c *Client) send(ctx context.Context, method, path string, in, out any) error {
	return c.sendWithin(ctx, callTimeout, c.Patience, method, path, in, out)
}

// sendWithin is send with limits of its own for the first attempt and for each further
// one; 0 is none.
func (c *Client) sendWithin(ctx context.Context, first, further time.Duration, method, path string, in, out any) error {
	header := http.Header{api.KeyHeader: {keyOf(ctx)}}
	err := c.attempt(ctx, first, method, path, header, in, out)
	if !lost(err) || neverSent(err) {
		return err
	}
	wait := 50 * time.Millisecond
	for end := time.Now().Add(c.Patience); time.Now().Before(end); wait = min(2*wait, time.Second) {
		if !pause(ctx, wait) {
			return context.Cause(ctx)
		}
		if err = c.attempt(ctx, further, method, path, header, in, out); !lost(err) {
			return err
		}
	}
	return c.unknown(path, err)
}

type keyOfChange struct{}

// WithKey gives the changes that are made with this context a key, instead of a new one
// for each. The same change under the same key is made once, also if a program is started
// anew in between; another change under it is refused. A key has at most 200 characters.
func WithKey(ctx context.Context, key string) context.Context {
	return context.WithValue(ctx, keyOfChange{}, key)
}

func keyOf(ctx context.Context) string {
	if key, ok := ctx.Value(keyOfChange{}).(string); ok && key != "" {
		return key
	}
	return rand.Text()
}

func (c *Client) attempt(ctx context.Context, limit time.Duration, method, path string, header http.Header, in, out any) error {
	if limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	return c.call(ctx, method, path, nil, header, in, out)
}

// lost reports whether no answer came. An answer of the hub has no cause, since
// causes are never sent.
func lost(err error) bool {
	if err == nil { // usually: errors.As would need memory
		return false
	}
	var e *parley.Error
	return errors.As(err, &e) && e.Kind == parley.Unavailable && e.Cause != nil
}

// neverSent reports whether there was nobody to send the request to.
func neverSent(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "dial"
}

// unknown says that the hub may have done what it was asked for, and how to find
// out.
func (c *Client) unknown(path string, err error) error {
	return parley.Errorf(parley.Unavailable, "The hub at %s did not answer, so it is not known whether this was done.", c.base).
		WithHint("Look before you repeat it: %s", look(path)).WithCause(errors.Join(ErrUnknown, err))
}

// ErrUnknown is the cause of an error after which nobody knows whether a change
// was made.
var ErrUnknown = errors.New("the outcome is unknown")

// look is the command that shows what a request was to change.
func look(path string) string {
	what, rest, _ := strings.Cut(strings.TrimPrefix(path, "/v1/"), "/")
	id, _, _ := strings.Cut(rest, "/")
	switch {
	case what == "tasks" && id != "":
		return "parley task " + id
	case what == "approvals":
		return "parley approvals --all"
	case what == "channels":
		return "parley channels"
	case what == "agents" || what == "team":
		return "parley agents"
	default:
		return "parley audit --limit 20"
	}
}
