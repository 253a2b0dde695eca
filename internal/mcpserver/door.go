package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"time"

	"parley"
)

const (
	versionHeader = "Mcp-Protocol-Version"
	sessionHeader = "Mcp-Session-Id"
	methodHeader  = "Mcp-Method"
	// listenMethod is the one whose requests last as long as a subscription.
	listenMethod = "subscriptions/listen"
	// firstAlone is the first version whose requests stand alone.
	firstAlone = "2026-07-28"
	// writeTime is how long a client may take to read what it is sent.
	writeTime = 30 * time.Second
)

// ServeHTTP serves one request.
func (d *Door) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	caller, err := d.cfg.Identify(r)
	if err == nil && r.Header.Get(parley.LookHeader) == "" {
		err = d.cfg.Desk.Touch(r.Context(), caller)
	}
	if err != nil {
		d.refuse(w, r, err)
		return
	}
	timed := &timedWriter{ResponseWriter: w, control: http.NewResponseController(w)}
	defer timed.extend() // for what the server still has to write
	gone, done := d.untilStop(r.Context(), r.Method == http.MethodGet || r.Header.Get(methodHeader) == listenMethod)
	defer done()
	v := &visit{caller: caller, gone: gone}
	r = v.in(r.WithContext(gone))
	if r.Header.Get(versionHeader) >= firstAlone {
		d.serveAlone(timed, r, v)
	} else {
		d.serveSession(timed, r, v)
	}
	d.sayWhyEnded(timed, r)
}

// sayWhyEnded answers a request that the hub has ended before it was answered, since its
// token was revoked or has expired meanwhile. The SDK takes the end of the context for a
// client that is gone and says nothing.
func (d *Door) sayWhyEnded(w *timedWriter, r *http.Request) {
	var why *parley.Error
	if !w.began && r.Context().Err() != nil && errors.As(context.Cause(r.Context()), &why) {
		d.refuse(w, r, why)
	}
}

// serveAlone serves a request that stands alone.
func (d *Door) serveAlone(w http.ResponseWriter, r *http.Request, v *visit) {
	if r.Header.Get(methodHeader) == listenMethod {
		v.server = d.newServer(v) // its subscriptions are its own
	} else {
		v.server = d.standing(v)
	}
	d.mu.Lock()
	d.serving[v.server]++
	d.mu.Unlock()
	defer func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		if d.serving[v.server]--; d.serving[v.server] == 0 {
			delete(d.serving, v.server)
		}
	}()
	d.alone.ServeHTTP(w, r)
}

// mostStanding is for how many participants a server is kept.
const mostStanding = 1000

// standing is the server for those requests of a participant that stand alone. It is kept,
// since describing all tools anew takes longer than most calls do.
func (d *Door) standing(v *visit) *server {
	d.mu.Lock()
	s := d.kept[v.caller]
	d.mu.Unlock()
	if s != nil {
		s.refresh()
		return s
	}
	s = d.newServer(v)
	d.mu.Lock()
	defer d.mu.Unlock()
	for other := range d.kept { // any one makes room: it is made anew with its next request
		if len(d.kept) < mostStanding {
			break
		}
		delete(d.kept, other)
	}
	d.kept[v.caller] = s
	return s
}

// untilStop is a context that ends with ctx. A stream without an end of its own ends when
// the hub stops, too.
func (d *Door) untilStop(ctx context.Context, stream bool) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	if !stream {
		return ctx, cancel
	}
	forget := context.AfterFunc(d.stopping, cancel)
	return ctx, func() {
		forget()
		cancel()
	}
}

// timedWriter gives each write its time, since a call may take longer than the server
// lets a response take as a whole.
type timedWriter struct {
	http.ResponseWriter
	control *http.ResponseController
	began   bool // something was written
}

func (w *timedWriter) WriteHeader(status int) {
	w.began = true
	w.ResponseWriter.WriteHeader(status)
}

func (w *timedWriter) Write(p []byte) (int, error) {
	w.began = true
	w.extend()
	return w.ResponseWriter.Write(p)
}

func (w *timedWriter) extend() { _ = w.control.SetWriteDeadline(time.Now().Add(writeTime)) }

// Unwrap is for http.ResponseController.
func (w *timedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// statuses is the one table from the kinds of errors to HTTP, for requests that do not
// reach the protocol.
var statuses = map[parley.Kind]int{
	parley.Invalid:     http.StatusBadRequest,
	parley.NotFound:    http.StatusNotFound,
	parley.Conflict:    http.StatusConflict,
	parley.Denied:      http.StatusForbidden,
	parley.Unavailable: http.StatusServiceUnavailable,
	parley.Limited:     http.StatusTooManyRequests,
	parley.Timeout:     http.StatusGatewayTimeout,
	parley.Failed:      http.StatusBadGateway,
	parley.Unauthentic: http.StatusUnauthorized,
	parley.Internal:    http.StatusInternalServerError,
}

// refuse answers a request that does not reach the protocol. Whoever has no valid token
// reads how to get one, since the error says so. The body is an error of
// JSON-RPC with the problem in it, so that clients show what it says.
func (d *Door) refuse(w http.ResponseWriter, r *http.Request, err error) {
	kind := parley.KindOf(err)
	if kind == parley.Unauthentic {
		w.Header().Set("WWW-Authenticate", `Bearer realm="parley"`)
	}
	if d.cfg.Headers != nil {
		maps.Copy(w.Header(), d.cfg.Headers(err))
	}
	if kind == parley.Internal && r.Context().Err() == nil {
		d.cfg.Log.Error("an MCP request failed", "error", err)
	}
	status, ok := statuses[kind]
	if !ok {
		status = http.StatusInternalServerError
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"jsonrpc": "2.0", "id": nil, "error": map[string]any{
		"code": refusedCode, "message": parley.Public(err), "data": map[string]any{"kind": kind}}})
}

// refusedCode is in the range that JSON-RPC leaves to servers, outside of what the
// protocol uses.
const refusedCode = -32001
