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

// protocol is the newest version with a handshake. Asked for the version without one,
// older servers react in too many ways, including silence.
const protocol = "2025-11-25"

// link is a session with the process behind it.
type link struct {
	session *mcp.ClientSession
	process *process // nil over HTTP
}

// connect starts the server and performs the handshake.
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
		return nil, l.withLastLine(err)
	}
	return l, nil
}

// maxMessage is the largest message that a server may send.
const maxMessage = 16 << 20

// newClient makes a client without capabilities: the hub asks no model and no person
// on a server's behalf.
func newClient(def Server, changed chan<- struct{}) *mcp.Client {
	options := &mcp.ClientOptions{
		Logger:       slog.New(slog.DiscardHandler),
		Capabilities: &mcp.ClientCapabilities{},
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) {
			select {
			case changed <- struct{}{}:
			default: // a look is due already
			}
		},
	}
	if def.URL != "" {
		options.KeepAlive = keepAlive
	}
	return mcp.NewClient(&mcp.Implementation{Name: "parley", Version: "1"}, options)
}

// withLastLine adds the last line that the process wrote to an error.
func (l *link) withLastLine(err error) error {
	if l.process == nil {
		return err
	}
	if last := l.process.lastLine(); last != "" {
		return fmt.Errorf("%w; it wrote: %s", err, last)
	}
	return err
}

// close ends the session and the process. The process comes first: the end of its
// input also ends the session, even if a call hangs in it.
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
		_ = l.session.Close() // the error matters to nobody any more
	}()
	timer := time.NewTimer(stopTimeout)
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

// headers adds the configured headers to requests to the configured host, and not to
// another one that a redirect names: one of them is usually a secret.
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
