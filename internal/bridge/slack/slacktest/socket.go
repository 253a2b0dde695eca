package slacktest

import (
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"sync"
	"time"

	"golang.org/x/net/websocket"
)

// socket is a connection of Socket Mode.
type socket struct {
	ws       *websocket.Conn
	write    sync.Mutex
	out      chan object
	retiring bool // it was asked to go, and gets nothing new
}

// sending sends what is queued, in order.
func (k *socket) sending(stop <-chan struct{}) {
	for {
		select {
		case v := <-k.out:
			k.send(v)
		case <-stop:
			return
		}
	}
}

// queue has something sent. If nobody reads for that long, it is lost.
func (k *socket) queue(v object) {
	select {
	case k.out <- v:
	default:
	}
}

func (k *socket) send(v any) {
	k.write.Lock()
	defer k.write.Unlock()
	_ = k.ws.SetWriteDeadline(time.Now().Add(5 * time.Second))
	_ = websocket.JSON.Send(k.ws, v)
}

func (k *socket) ping() error {
	k.write.Lock()
	defer k.write.Unlock()
	w, err := k.ws.NewFrameWriter(websocket.PingFrame)
	if err != nil {
		return err
	}
	_, err = w.Write([]byte("ping"))
	return err
}

// delivery is an envelope that was not acknowledged yet.
type delivery struct {
	id      string
	body    object
	tries   int
	lasting bool // an event: it is sent again
	via     *socket
	timer   *time.Timer
}

// mostTries is how often an event is sent: once, and three times again.
const mostTries = 4

// handshake takes an address that was given, once.
func (s *Server) handshake(_ *websocket.Config, req *http.Request) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	ticket := req.URL.Query().Get("ticket")
	if !s.tickets[ticket] || s.closing {
		return errors.New("the ticket is not valid")
	}
	delete(s.tickets, ticket)
	return nil
}

// link serves a connection until it ends.
func (s *Server) link(ws *websocket.Conn) {
	k := &socket{ws: ws, out: make(chan object, 10000)}
	s.mu.Lock()
	if s.closing {
		s.mu.Unlock()
		return
	}
	s.sockets = append(s.sockets, k)
	number := len(s.sockets)
	s.opened++
	k.queue(object{"type": "hello", "num_connections": number, "connection_info": object{"app_id": "A0APP"}, "debug_info": object{"host": "applink-1", "approximate_connection_time": 18060}})
	s.lost()
	s.changed.Broadcast()
	s.mu.Unlock()
	stop := make(chan struct{})
	defer close(stop)
	go k.sending(stop)
	if s.Ping > 0 {
		go pinging(k, s.Ping, stop)
	}
	for {
		var ack struct {
			EnvelopeID string `json:"envelope_id"`
			Payload    json.RawMessage
		}
		if websocket.JSON.Receive(ws, &ack) != nil {
			break
		}
		s.acknowledged(ack.EnvelopeID, ack.Payload)
	}
	s.mu.Lock()
	s.sockets = slices.DeleteFunc(s.sockets, func(o *socket) bool { return o == k })
	s.closed++
	s.lost()
	s.changed.Broadcast()
	s.mu.Unlock()
}

// lost sends by another connection what was lost with one.
func (s *Server) lost() {
	for _, d := range s.waiting {
		if d.lasting && !slices.Contains(s.sockets, d.via) && s.pick() != nil {
			s.try(d)
		}
	}
}

func pinging(k *socket, every time.Duration, stop <-chan struct{}) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case <-stop:
			return
		case <-ticker.C:
			if k.ping() != nil {
				return
			}
		}
	}
}

func (s *Server) acknowledged(id string, payload json.RawMessage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting = slices.DeleteFunc(s.waiting, func(d *delivery) bool {
		if d.id == id && d.timer != nil {
			d.timer.Stop()
		}
		return d.id == id
	})
	var said struct{ Text string }
	if json.Unmarshal(payload, &said) == nil && said.Text != "" {
		s.shown = append(s.shown, Message{Text: said.Text})
	}
	s.changed.Broadcast()
}

// deliver sends an envelope over one of the connections. Events that nobody takes are sent
// again; a button or a command is lost, as its user sees.
func (s *Server) deliver(kind string, payload object, lasting, answers bool) {
	d := &delivery{id: s.id("envelope"), lasting: lasting, body: object{"type": kind, "payload": payload, "accepts_response_payload": answers}}
	d.body["envelope_id"] = d.id
	s.waiting = append(s.waiting, d)
	if lasting {
		s.events = append(s.events, payload)
	}
	s.try(d)
}

// Repeat sends every event again, whether or not it was acknowledged.
func (s *Server) Repeat() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, payload := range slices.Clone(s.events) {
		s.deliver("events_api", payload, true, false)
	}
}

// try sends an envelope once more.
func (s *Server) try(d *delivery) {
	d.tries++
	if d.lasting {
		d.body["retry_attempt"], d.body["retry_reason"] = d.tries-1, ""
		if d.tries > 1 {
			d.body["retry_reason"] = "timeout"
		}
	}
	if k := s.pick(); k != nil && !s.muted {
		body := object{}
		for name, v := range d.body {
			body[name] = v
		}
		k.queue(body)
		d.via = k
	}
	if s.Retry > 0 && d.lasting {
		d.timer = time.AfterFunc(s.Retry, func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			if slices.Contains(s.waiting, d) && d.tries < mostTries && !s.closing {
				s.try(d)
			}
		})
	}
}

// pick is the newest connection that was not asked to go.
func (s *Server) pick() *socket {
	for _, k := range slices.Backward(s.sockets) {
		if !k.retiring {
			return k
		}
	}
	return nil
}

// Again sends every event again that was not acknowledged.
func (s *Server) Again() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, d := range s.waiting {
		if d.lasting {
			s.try(d)
		}
	}
}

// Forget gives up what was not acknowledged, as Slack does after the last try.
func (s *Server) Forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting = nil
	s.changed.Broadcast()
}

// Mute keeps events from being delivered, or lets them through again.
func (s *Server) Mute(muted bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.muted = muted
}

// Disconnect asks all connections to be made anew. They stay until Hangup.
func (s *Server) Disconnect(reason string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, k := range s.sockets {
		k.retiring = true
		k.queue(object{"type": "disconnect", "reason": reason, "debug_info": object{"host": "applink-1"}})
	}
}

// Hangup closes the connections that were asked to go.
func (s *Server) Hangup() { s.hangup(func(k *socket) bool { return k.retiring }) }

// DropSockets closes all connections.
func (s *Server) DropSockets() { s.hangup(func(*socket) bool { return true }) }

func (s *Server) hangup(which func(*socket) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, k := range s.sockets {
		if which(k) {
			_ = k.ws.Close()
		}
	}
}
