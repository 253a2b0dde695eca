package mcpclient

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"parley"
)

// protocol is the newest version with a handshake. A server that is older than
// the one without answers the question whether it knows it in too many ways,
// silence among them.
const protocol = "2025-11-25"

// link is a session with what carries it.
type link struct {
	session *mcp.ClientSession
	process *process // nil over HTTP
}

// connect starts the server and shakes hands with it.
func (c *Conn) connect(ctx context.Context, changed chan<- struct{}) (*link, error) {
	def, secret, err := c.def.expand()
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	c.secret = secret
	c.mu.Unlock()
	l := &link{}
	var transport mcp.Transport
	if def.URL == "" {
		if l.process, err = startProcess(def, c.logged(secret)); err != nil {
			return nil, err
		}
		transport = &mcp.IOTransport{Reader: l.process.stdout, Writer: l.process.stdin, MaxLineLength: maxMessage}
	} else if transport, err = overHTTP(def); err != nil {
		return nil, err
	}
	starting, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	l.session, err = newClient(def, changed).Connect(starting, transport, &mcp.ClientSessionOptions{ProtocolVersion: protocol})
	if err != nil {
		l.close()
		return nil, l.why(err)
	}
	return l, nil
}

// maxMessage bounds what a server may send at once.
const maxMessage = 16 << 20

// newClient says what the hub is to a server, which is not much: it asks no
// model and no person for it.
func newClient(def Server, changed chan<- struct{}) *mcp.Client {
	options := &mcp.ClientOptions{
		Logger:       slog.New(slog.DiscardHandler),
		Capabilities: &mcp.ClientCapabilities{},
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) {
			select {
			case changed <- struct{}{}:
			default: // it is going to be looked at anyway
			}
		},
	}
	if def.URL != "" {
		options.KeepAlive = keepAlive
	}
	return mcp.NewClient(&mcp.Implementation{Name: "parley", Version: "1"}, options)
}

// why adds the last words of a process that could not be talked to.
func (l *link) why(err error) error {
	if l.process == nil {
		return err
	}
	if last := l.process.lastWords(); last != "" {
		return fmt.Errorf("%w; it wrote: %s", err, last)
	}
	return err
}

// close ends the session and the process. A process first: the end of its input
// ends the session too, also if a call hangs in it.
func (l *link) close() {
	if l.process != nil {
		l.process.stop()
	}
	if l.session == nil {
		return
	}
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		_ = l.session.Close() // there is nobody left to whom it matters
	}()
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-closed:
	case <-timer.C:
	}
}

func overHTTP(def Server) (mcp.Transport, error) {
	u, err := url.Parse(def.URL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, parley.Errorf(parley.Invalid, "its url is not an address like https://example.com/mcp")
	}
	client := &http.Client{Transport: headers{to: u, set: def.Headers}}
	return &mcp.StreamableClientTransport{Endpoint: def.URL, HTTPClient: client, MaxEventSize: maxMessage}, nil
}

// headers adds the configured ones to what goes to the configured place, and to
// no other that a redirect names: one of them is usually a secret.
type headers struct {
	to  *url.URL
	set map[string]string
}

func (h headers) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Host == h.to.Host && r.URL.Scheme == h.to.Scheme {
		r = r.Clone(r.Context())
		for name, value := range h.set {
			r.Header.Set(name, value)
		}
	}
	return http.DefaultTransport.RoundTrip(r)
}
