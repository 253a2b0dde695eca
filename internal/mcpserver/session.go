package mcpserver

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"

	"parley"
)

// session is a session that is open or about to be.
type session struct {
	server *server
	begun  atomic.Bool
}

// over reports whether the SDK no longer has the session: it ends when the client says so,
// or when it made no request for long.
func (s *session) over() bool {
	if !s.begun.Load() {
		return false
	}
	for range s.server.Sessions() {
		return false
	}
	return true
}

// end closes the session.
func (s *session) end() {
	for open := range s.server.Sessions() {
		_ = open.Close() // it is over either way
	}
}

// sessionName is what the id of a session says: whose it is, and what has to be known to
// make it anew. It is no secret and proves nothing: the token does.
type sessionName struct {
	agent   parley.AgentID
	version string // of the protocol, as the client asked for it
	elicits bool   // the client can ask its user
}

func (n sessionName) id() string {
	can := "n"
	if n.elicits {
		can = "e"
	}
	return fmt.Sprintf("%d.%s.%s.%s", n.agent, n.version, can, rand.Text())
}

func parseSessionName(id string) (n sessionName, ok bool) {
	parts := strings.Split(id, ".")
	if len(parts) != 4 || len(id) > 200 || parts[3] == "" {
		return n, false
	}
	agent, err := strconv.ParseInt(parts[0], 10, 64)
	return sessionName{agent: parley.AgentID(agent), version: parts[1], elicits: parts[2] == "e"}, err == nil
}

// serveSession serves a request of a version that has sessions.
func (d *Door) serveSession(w http.ResponseWriter, r *http.Request, v *visit) {
	if r.Method == http.MethodPost {
		d.answering.Add(1)
		defer d.answering.Add(-1)
	}
	id := r.Header.Get(sessionHeader)
	if id == "" {
		d.beginSession(w, r, v)
		return
	}
	name, ok := parseSessionName(id)
	if !ok || name.agent != v.caller.Agent || d.wasEnded(id) {
		d.refuse(w, r, parley.Errorf(parley.NotFound, "There is no such session.").WithHint("Begin a new one with initialize."))
		return
	}
	s, err := d.find(r, v, id, name)
	if err != nil {
		d.refuse(w, r, err)
		return
	}
	v.server = s.server
	s.server.refresh()
	d.sessions.ServeHTTP(w, r)
	if r.Method == http.MethodDelete {
		d.noteEnded(id)
	}
}

// mostEnded is how many sessions are remembered that their clients have ended. Those are
// not made anew, as long as the hub remembers.
const mostEnded = 10000

func (d *Door) noteEnded(id string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.ended) >= mostEnded {
		clear(d.ended)
	}
	d.ended[id] = struct{}{}
	delete(d.open, id)
}

func (d *Door) wasEnded(id string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	_, ended := d.ended[id]
	return ended
}

// beginSession lets a client initialize a session. The SDK asks the server for the id, so
// what the client says about itself is looked at before.
func (d *Door) beginSession(w http.ResponseWriter, r *http.Request, v *visit) {
	name := sessionName{agent: v.caller.Agent}
	if r.Method == http.MethodPost {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, d.bodyBytes()))
		if err != nil {
			d.refuse(w, r, parley.Errorf(parley.Limited, "The request is larger than %d bytes.", d.bodyBytes()))
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		name.read(body)
	}
	id := name.id()
	v.server = d.newSessionServer(v, id)
	s := &session{server: v.server}
	d.keep(id, s) // before the client can know of it
	d.sessions.ServeHTTP(w, r)
	s.begun.Store(true)
}

// read takes from a request to initialize what the session's id has to say.
func (n *sessionName) read(body []byte) {
	var in struct {
		Params struct {
			Version      string `json:"protocolVersion"`
			Capabilities struct {
				Elicitation *struct {
					Form, URL *struct{}
				} `json:"elicitation"`
			} `json:"capabilities"`
		} `json:"params"`
	}
	_ = json.Unmarshal(body, &in) // the SDK says what is wrong
	n.version = strings.Map(func(r rune) rune {
		if r == '-' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, parley.Clip(in.Params.Version, 20))
	e := in.Params.Capabilities.Elicitation
	n.elicits = e != nil && (e.Form != nil || e.URL == nil)
}

func (d *Door) keep(id string, s *session) {
	d.mu.Lock()
	defer d.mu.Unlock()
	var own []string
	for id, old := range d.open {
		if old.over() {
			delete(d.open, id)
		} else if old.server.caller.Agent == s.server.caller.Agent {
			own = append(own, id)
		}
	}
	d.open[id] = s
	if len(own) >= mostSessions { // any one makes room
		go d.open[own[0]].end()
		delete(d.open, own[0])
	}
}

func (d *Door) lookUp(id string) *session {
	d.mu.Lock()
	defer d.mu.Unlock()
	if s := d.open[id]; s != nil && !s.over() {
		return s
	}
	return nil
}

// find is the session of this id. If it was lost with the hub, or given up because the
// client was quiet, it is made anew.
func (d *Door) find(r *http.Request, v *visit, id string, name sessionName) (*session, error) {
	if s := d.lookUp(id); s != nil {
		return s, nil
	}
	d.reviving.Lock()
	defer d.reviving.Unlock()
	if s := d.lookUp(id); s != nil {
		return s, nil
	}
	again := &visit{caller: v.caller, gone: v.gone, server: d.newSessionServer(v, id)}
	capabilities := map[string]any{}
	if name.elicits {
		capabilities["elicitation"] = map[string]any{}
	}
	for _, message := range []map[string]any{
		{"id": "again", "method": "initialize", "params": map[string]any{"protocolVersion": name.version, "capabilities": capabilities,
			"clientInfo": map[string]any{"name": "again", "version": "1"}}},
		{"method": "notifications/initialized"},
	} {
		if err := d.say(again.in(r), id, message); err != nil {
			return nil, err
		}
	}
	s := &session{server: again.server}
	s.begun.Store(true)
	d.keep(id, s)
	return s, nil
}

// say sends the SDK a message of the client that it has forgotten.
func (d *Door) say(r *http.Request, id string, message map[string]any) error {
	message["jsonrpc"] = "2.0"
	body, err := json.Marshal(message)
	if err != nil {
		return err
	}
	said, err := http.NewRequestWithContext(context.WithoutCancel(r.Context()), http.MethodPost, r.URL.String(), bytes.NewReader(body))
	if err != nil {
		return err
	}
	said.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"},
		"Authorization": r.Header["Authorization"]}
	if message["id"] == nil {
		said.Header.Set(sessionHeader, id)
	}
	w := &unheard{header: http.Header{}}
	d.sessions.ServeHTTP(w, said)
	if w.status >= http.StatusMultipleChoices {
		return parley.Errorf(parley.NotFound, "The session cannot be made anew.").WithHint("Begin a new one with initialize.")
	}
	return nil
}

// unheard takes a response that nobody reads.
type unheard struct {
	header http.Header
	status int
}

func (u *unheard) Header() http.Header         { return u.header }
func (u *unheard) WriteHeader(status int)      { u.status = status }
func (u *unheard) Write(p []byte) (int, error) { return len(p), nil }
