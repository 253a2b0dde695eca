// Package mcpserver is the MCP door: a client of the protocol joins with its token and
// gets the tools of its agent, what it may read as resources, and prompts.
//
// There is one address for all versions of the protocol. A request of version 2026-07-28
// or later stands alone. Earlier versions have sessions. What a session is lies in its
// id, so that it goes on after the hub was restarted: nobody has to notice.
//
// Only the token says who calls, with every request anew. A session id of somebody else
// is not known.
//
// A Door may be used from any goroutine. A call that only waits ends when its client has
// gone. When the hub stops, calls that wait return at once.
package mcpserver

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"parley"
	"parley/internal/access"
	"parley/internal/contact"
	"parley/internal/keeper"
	"parley/internal/reading"
	"parley/internal/tool"
	"parley/internal/wake"
)

// Config is what the door needs.
type Config struct {
	// Identify says who makes a request.
	Identify func(*http.Request) (access.Caller, error)
	// Headers are further ones of a response that refuses a request, such as when to try
	// again. It may be nil.
	Headers func(error) http.Header
	// Tools are those of a participant at this moment. The same list means that nothing
	// has changed.
	Tools func(parley.AgentID) []tool.Tool
	Rules Rules
	Desk  Desk
	// What may be read as resources, and decided.
	Reading  *reading.Service
	Keepers  *keeper.Service
	Contacts *contact.Service
	Bus      *wake.Bus
	// Progress is how often a client that wants it hears that a call goes on; 10 seconds
	// if 0. Clients give up calls of which they hear nothing for a minute or so.
	Progress time.Duration
	// Extend adds to what clients are offered; nil outside of tests.
	Extend func(*mcp.Server)
	// MessageBytes is the largest message that anybody may send.
	MessageBytes int
	Version      string
	Log          *slog.Logger
}

// Rules decide about every call but contacts, which are decided about where they are
// made.
type Rules interface {
	Permit(ctx context.Context, c access.Caller, action string) error
}

// Desk is what the door asks about a caller with every call.
type Desk interface {
	// Touch notes that the caller is there.
	Touch(ctx context.Context, c access.Caller) error
	// Unread is how many messages wait for the caller.
	Unread(ctx context.Context, c access.Caller) (int, error)
	// Tasks are the caller's open tasks.
	Tasks(ctx context.Context, c access.Caller) ([]parley.Task, error)
	// Shown notes that the caller has read messages in a result. It is stored soon, and
	// Settle waits for that.
	Shown(c access.Caller, ids []parley.MessageID)
	Settle()
	// Complete ends a task of the caller.
	Complete(ctx context.Context, c access.Caller, id parley.TaskID, result string) error
}

// Door serves the protocol at one address.
type Door struct {
	cfg Config
	// sessions serves the versions before 2026-07-28, alone the others.
	sessions, alone http.Handler
	// stopping ends what waits.
	stopping context.Context
	stop     context.CancelFunc

	// mu guards open, serving, kept and ended. reviving lets one request at a time make a lost session anew.
	mu       sync.Mutex
	open     map[string]*session
	serving  map[*server]int // how many requests that stand alone it serves
	kept     map[access.Caller]*server
	ended    map[string]struct{} // sessions that their clients have ended
	reviving sync.Mutex
	// offers are the tools as clients see them, described once.
	offers sync.Map
	// answering is how many requests of sessions are being answered.
	answering atomic.Int64
	// watches are the goroutines that look after subscriptions.
	watches sync.WaitGroup
	asked   askedBefore
}

// idle is how long a session is kept that makes no request, and mostSessions how many of
// a participant are. One that was given up is made anew when its client comes back.
const (
	idle         = 12 * time.Hour
	mostSessions = 100
)

// stopTime is how long answers may take when the hub stops.
const stopTime = 3 * time.Second

// New makes the door.
func New(cfg Config) *Door {
	if cfg.Progress == 0 {
		cfg.Progress = 10 * time.Second
	}
	d := &Door{cfg: cfg, open: map[string]*session{}, serving: map[*server]int{}, kept: map[access.Caller]*server{}, ended: map[string]struct{}{}}
	d.stopping, d.stop = context.WithCancel(context.Background())
	options := mcp.StreamableHTTPOptions{
		// Every request was checked before it came here.
		DisableLocalhostProtection: true,
		MaxRequestBodyBytes:        d.bodyBytes(),
	}
	sessions, alone := options, options
	sessions.SessionTimeout = idle
	alone.Stateless, alone.PropagateRequestCancellation = true, true
	d.sessions = withVisit(mcp.NewStreamableHTTPHandler(serverOf, &sessions))
	d.alone = withVisit(mcp.NewStreamableHTTPHandler(serverOf, &alone))
	return d
}

// bodyBytes is the largest request: a message, escaped, with what is around it.
func (d *Door) bodyBytes() int64 { return max(1<<20, 4*int64(d.cfg.MessageBytes)) }

// Stop ends every call that waits, every stream and every session. Clients make their
// sessions anew at the next hub.
func (d *Door) Stop() {
	d.stop()
	for end := time.Now().Add(stopTime); d.answering.Load() > 0 && time.Now().Before(end); { // their calls have ended
		time.Sleep(5 * time.Millisecond)
	}
	d.mu.Lock()
	open := slices.Collect(maps.Values(d.open))
	d.mu.Unlock()
	var ended sync.WaitGroup
	for _, s := range open {
		ended.Go(s.end)
	}
	ended.Wait()
	d.watches.Wait()
	d.cfg.Desk.Settle()
}

// Refresh offers every client the tools that it has now. Whoever changes the tools calls it.
func (d *Door) Refresh() {
	d.mu.Lock()
	servers := slices.Collect(maps.Keys(d.serving))
	for _, s := range d.open {
		servers = append(servers, s.server)
	}
	d.mu.Unlock()
	for _, s := range servers {
		s.refresh()
	}
}

// visit is one HTTP request.
type visit struct {
	caller access.Caller
	// gone is done when the client no longer waits for the response.
	gone   context.Context
	server *server
}

type visitKey struct{}

func (v *visit) in(r *http.Request) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), visitKey{}, v))
}

// serverOf is the server that answers a request.
func serverOf(r *http.Request) *mcp.Server {
	return r.Context().Value(visitKey{}).(*visit).server.Server
}

// withVisit hands the visit over to the handlers of calls. They run outside of the
// request's context, and the SDK passes on only what it takes for facts about the token.
func withVisit(next http.Handler) http.Handler {
	facts := func(ctx context.Context, _ string, _ *http.Request) (*auth.TokenInfo, error) {
		v := ctx.Value(visitKey{}).(*visit)
		return &auth.TokenInfo{UserID: fmt.Sprint(v.caller.Agent), Extra: map[string]any{"visit": v}}, nil
	}
	return auth.RequireBearerToken(facts, &auth.RequireBearerTokenOptions{AllowMissingExpiration: true})(next)
}

// visitOf is the request that a call came with.
func visitOf(req mcp.Request) *visit {
	return req.GetExtra().TokenInfo.Extra["visit"].(*visit)
}
