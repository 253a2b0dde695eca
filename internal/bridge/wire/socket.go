package wire

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/url"
	"time"

	"golang.org/x/net/websocket"
)

// Dialing is how a connection for events is made.
type Dialing struct {
	Address, Origin string
	// Plain lets the address be one without TLS, as that of the calls is.
	Plain bool
	// Limit is for all of it. What is read and written first has to come within it too,
	// until somebody sets other deadlines.
	Limit time.Duration
	// Wrap puts something around the connection; nil for nothing.
	Wrap func(net.Conn) net.Conn
}

// Dial makes a connection for events. No error has the address in it.
func Dial(ctx context.Context, d Dialing) (net.Conn, *websocket.Conn, error) {
	failed := errors.New("no connection could be made")
	config, err := websocket.NewConfig(d.Address, d.Origin)
	if err != nil {
		return nil, nil, failed
	}
	raw, err := d.connect(ctx, config.Location)
	if err != nil {
		return nil, nil, failed
	}
	stop := context.AfterFunc(ctx, func() { _ = raw.Close() })
	_ = raw.SetDeadline(time.Now().Add(d.Limit)) // it fails only on a closed one
	conn := raw
	if d.Wrap != nil {
		conn = d.Wrap(raw)
	}
	ws, err := websocket.NewClient(config, conn)
	if err != nil || !stop() {
		_ = raw.Close()
		return nil, nil, failed
	}
	return raw, ws, nil
}

// connect connects to the host of an address. It does not take one that is less safe than
// that of the calls.
func (d Dialing) connect(ctx context.Context, to *url.URL) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, d.Limit)
	defer cancel()
	switch {
	case to.Scheme == "wss":
		dialer := tls.Dialer{Config: &tls.Config{ServerName: to.Hostname(), MinVersion: tls.VersionTLS12}}
		return dialer.DialContext(ctx, "tcp", withPort(to, "443"))
	case to.Scheme == "ws" && d.Plain:
		return new(net.Dialer).DialContext(ctx, "tcp", withPort(to, "80"))
	}
	return nil, errors.New("the address is not secure")
}

func withPort(to *url.URL, port string) string {
	if to.Port() != "" {
		port = to.Port()
	}
	return net.JoinHostPort(to.Hostname(), port)
}
