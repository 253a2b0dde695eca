package discordtest

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/websocket"
)

// session is one of the gateway, with everything that was sent in it.
type session struct {
	id   string
	sent []object // the first has number 1
	done int      // what the client has said that it has dealt with
	via  *socket
	over bool
}

// socket is a connection to the gateway.
type socket struct {
	ws      *websocket.Conn
	write   sync.Mutex
	out     chan object
	session *session
}

func (k *socket) sending(stop <-chan struct{}) {
	for {
		select {
		case v := <-k.out:
			k.write.Lock()
			_ = k.ws.SetWriteDeadline(time.Now().Add(5 * time.Second))
			if code, closing := v["close"].(int); closing {
				_ = k.ws.WriteClose(code)
				_ = k.ws.SetReadDeadline(time.Now())
			} else {
				_ = websocket.JSON.Send(k.ws, v)
			}
			k.write.Unlock()
		case <-stop:
			return
		}
	}
}

func (k *socket) queue(v object) {
	select {
	case k.out <- v:
	default: // nobody reads
	}
}

// gateway serves a connection until it ends.
func (s *Server) gateway(ws *websocket.Conn) {
	k := &socket{ws: ws, out: make(chan object, 20000)}
	s.mu.Lock()
	if s.closing {
		s.mu.Unlock()
		return
	}
	if q := ws.Request().URL.Query(); q.Get("v") != "10" || q.Get("encoding") != "json" {
		s.problems = append(s.problems, "the gateway was not asked for version 10 in JSON")
	}
	s.sockets = append(s.sockets, k)
	k.queue(object{"op": 10, "d": object{"heartbeat_interval": s.Interval.Milliseconds()}})
	s.mu.Unlock()
	stop := make(chan struct{})
	var sender sync.WaitGroup
	sender.Go(func() { k.sending(stop) })
	for {
		var got struct {
			Op int
			D  json.RawMessage
		}
		if websocket.JSON.Receive(ws, &got) != nil {
			break
		}
		s.mu.Lock()
		s.hear(k, got.Op, got.D)
		s.changed.Broadcast()
		s.mu.Unlock()
	}
	s.mu.Lock()
	s.sockets = slices.DeleteFunc(s.sockets, func(o *socket) bool { return o == k })
	if k.session != nil && k.session.via == k {
		k.session.via = nil
	}
	s.changed.Broadcast()
	s.mu.Unlock()
	close(stop)
	sender.Wait()
}

// hear deals with what a client says.
func (s *Server) hear(k *socket, op int, d json.RawMessage) {
	switch op {
	case 1:
		var seq int
		if json.Unmarshal(d, &seq) == nil && k.session != nil {
			k.session.done = max(k.session.done, seq)
		}
		if !s.Deaf {
			k.queue(object{"op": 11})
		}
	case 2:
		s.identify(k, d)
	case 6:
		s.resume(k, d)
	default:
		s.problems = append(s.problems, "the gateway was sent something unknown")
		k.queue(object{"close": 4001})
	}
}

func (s *Server) identify(k *socket, d json.RawMessage) {
	var got struct {
		Token      string
		Intents    int
		Properties map[string]string
	}
	_ = json.Unmarshal(d, &got)
	switch {
	case s.Refuse != 0:
		k.queue(object{"close": s.Refuse})
		return
	case got.Token != Token:
		k.queue(object{"close": 4004})
		return
	case got.Intents != 1<<0|1<<9|1<<12|1<<15 || len(got.Properties) != 3:
		s.problems = append(s.problems, "IDENTIFY asks for other events: "+string(d))
	}
	n := &session{id: "session-" + s.id(), via: k}
	k.session = n
	s.sessions[n.id] = n
	s.opened++
	s.dispatchTo(n, "READY", object{"v": 10, "user": s.users[Bot], "session_id": n.id, "resume_gateway_url": strings.Replace(s.http.URL, "http", "ws", 1) + "/gateway/", "application": object{"id": App, "flags": 0},
		"guilds": []object{{"id": Guild, "unavailable": true}}})
	guild := object{"id": Guild, "name": "the team"}
	channels, threads := []Channel{}, []Channel{}
	for _, c := range s.channels {
		switch {
		case c.Guild == "" || c.hidden || c.archived:
		case c.Parent != "":
			threads = append(threads, *c)
		default:
			channels = append(channels, *c)
		}
	}
	guild["channels"], guild["threads"] = channels, threads
	s.dispatchTo(n, "GUILD_CREATE", guild)
}

func (s *Server) resume(k *socket, d json.RawMessage) {
	var got struct {
		Token     string
		SessionID string `json:"session_id"`
		Seq       int
	}
	_ = json.Unmarshal(d, &got)
	n := s.sessions[got.SessionID]
	switch {
	case got.Token != Token:
		k.queue(object{"close": 4004})
		return
	case n == nil || n.over:
		k.queue(object{"op": 9, "d": false})
		return
	case got.Seq < 1 || got.Seq > len(n.sent):
		s.problems = append(s.problems, "RESUME with a number that was never sent")
		k.queue(object{"close": 4007})
		return
	}
	k.session, n.via = n, k
	n.done = max(n.done, got.Seq)
	for _, v := range n.sent[got.Seq:] {
		k.queue(v)
	}
	s.resumed++
	s.dispatchTo(n, "RESUMED", object{})
}

func (s *Server) dispatchTo(n *session, kind string, d any) {
	v := object{"op": 0, "t": kind, "s": len(n.sent) + 1, "d": d}
	n.sent = append(n.sent, v)
	if n.via != nil {
		n.via.queue(v)
	}
}

// dispatch sends an event in every session that may be gone on with.
func (s *Server) dispatch(kind string, d any) {
	s.events = append(s.events, object{"t": kind, "d": d})
	for _, n := range s.sessions {
		if !n.over {
			s.dispatchTo(n, kind, d)
		}
	}
}

// Taken waits until everything that was sent was dealt with, over a connection that is
// there.
func (s *Server) Taken() {
	stop := make(chan struct{})
	var asking sync.WaitGroup
	asking.Go(func() {
		for {
			s.mu.Lock()
			for _, k := range s.sockets {
				k.queue(object{"op": 1, "d": nil})
			}
			s.mu.Unlock()
			select {
			case <-stop:
				return
			case <-time.After(5 * time.Millisecond):
			}
		}
	})
	defer asking.Wait()
	defer close(stop)
	s.Until("an end of the events", func(*State) bool {
		for _, n := range s.sessions {
			if n.via != nil && !n.over && n.done == len(n.sent) {
				return true
			}
		}
		return false
	})
}

// Reconnect asks all connections to be made anew.
func (s *Server) Reconnect() { s.toAll(object{"op": 7, "d": nil}) }

// Invalidate says that the sessions are invalid, for good or not.
func (s *Server) Invalidate(resumable bool) {
	if !resumable {
		s.EndSessions()
	}
	s.toAll(object{"op": 9, "d": resumable})
}

// CloseWith closes all connections with a code.
func (s *Server) CloseWith(code int) { s.toAll(object{"close": code}) }

func (s *Server) toAll(v object) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, k := range s.sockets {
		k.queue(v)
	}
}

// EndSessions forgets the sessions, as Discord does after some minutes.
func (s *Server) EndSessions() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, n := range s.sessions {
		n.over = true
	}
}

// Drop breaks all connections.
func (s *Server) Drop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, k := range s.sockets {
		_ = k.ws.SetDeadline(time.Now())
	}
}
