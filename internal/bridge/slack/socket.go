package slack

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/websocket"

	"parley/internal/bridge"
	"parley/internal/bridge/wire"
)

// envelope is what comes over the connection.
type envelope struct {
	Type       string
	EnvelopeID string `json:"envelope_id"`
	Payload    json.RawMessage
	// Reason is why Slack asks to connect anew.
	Reason string
	// AcceptsResponse says that an acknowledgement may say something.
	AcceptsResponse bool `json:"accepts_response_payload"`
}

// arrival is an envelope and the connection that it came by, or the end of it.
type arrival struct {
	envelope
	from *socket
	err  error
}

// socket is a connection for events.
type socket struct {
	ws    *websocket.Conn
	began time.Time
	write sync.Mutex
}

// dial asks for an address and connects to it. An address works once.
func (p *Program) dial(ctx context.Context) (*socket, error) {
	var got struct{ URL string }
	if _, err := p.call(ctx, p.cfg.AppToken, "apps.connections.open", nil, &got); err != nil {
		return nil, err
	}
	idle := func(c net.Conn) net.Conn { return alive{c, p.cfg.Timing.Idle} }
	conn, ws, err := wire.Dial(ctx, wire.Dialing{Address: got.URL, Origin: "https://slack.com", Plain: strings.HasPrefix(p.cfg.API, "http:"), Limit: p.cfg.Timing.Call, Wrap: idle})
	if err != nil {
		return nil, &bridge.Failure{Reason: "the connection for Slack's events could not be opened"}
	}
	_ = conn.SetWriteDeadline(time.Time{})
	return &socket{ws: ws, began: time.Now()}, nil
}

// alive is a connection that ends when nothing comes for a while, not even a ping.
type alive struct {
	net.Conn
	idle time.Duration
}

func (a alive) Read(b []byte) (int, error) {
	if err := a.SetReadDeadline(time.Now().Add(a.idle)); err != nil {
		return 0, err
	}
	return a.Conn.Read(b)
}

// receive hands over what comes, until the connection ends.
func (s *socket) receive(ctx context.Context, to chan<- arrival) {
	limited := &io.LimitedReader{R: s.ws}
	in := json.NewDecoder(limited)
	for {
		limited.N = wire.MostRead
		a := arrival{from: s}
		if err := in.Decode(&a.envelope); err != nil {
			a.err = errors.New("the connection for Slack's events was lost")
		}
		select {
		case to <- a:
		case <-ctx.Done():
			return
		}
		if a.err != nil {
			return
		}
	}
}

// acknowledge tells Slack that an envelope need not be sent again. If that does not
// arrive, the envelope is sent again, and is known.
func (s *socket) acknowledge(e envelope, payload any) {
	if e.EnvelopeID == "" {
		return
	}
	answer := map[string]any{"envelope_id": e.EnvelopeID}
	if payload != nil && e.AcceptsResponse {
		answer["payload"] = payload
	}
	s.write.Lock()
	defer s.write.Unlock()
	_ = s.ws.SetWriteDeadline(time.Now().Add(5 * time.Second))
	_ = websocket.JSON.Send(s.ws, answer)
}

func (s *socket) close() {
	_ = s.ws.SetWriteDeadline(time.Now().Add(time.Second))
	_ = s.ws.Close()
}
