// Package httpapi is the HTTP door: it decodes a request, calls one use case
// and encodes the result. The types are those of package api, and the OpenAPI
// document at /openapi.json is made from them.
//
// Only the bearer token decides who the caller is. Every error is an
// api.Problem, whichever layer found it. Requests that a browser makes for
// another site are refused, by their Host as well as by their Origin.
//
// A Server may be used from any goroutine. When it stops, it accepts nothing
// new, ends event streams and long polls at once, and lets the other requests
// finish.
package httpapi

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"parley"
	"parley/api"
	"parley/internal/access"
	"parley/internal/bridge"
	"parley/internal/change"
	"parley/internal/channel"
	"parley/internal/claim"
	"parley/internal/contact"
	"parley/internal/desk"
	"parley/internal/gate"
	"parley/internal/hosting"
	"parley/internal/keeper"
	"parley/internal/reading"
	"parley/internal/redaction"
	"parley/internal/rulebook"
	"parley/internal/schedule"
	"parley/internal/session"
	"parley/internal/store"
	"parley/internal/token"
)

type Config struct {
	Store      store.Store
	Contacts   *contact.Service
	Reading    *reading.Service
	Desk       *desk.Service
	Tools      *reading.Tools
	Channels   *channel.Service
	Keepers    *keeper.Service
	Claims     *claim.Service
	Changes    *change.Service
	Redactions *redaction.Service
	Schedules  *schedule.Service
	// Rules are those of a team; nil if the hub has no files of it. A hub whose teams
	// have no files has none.
	Rules func(parley.TeamID) *rulebook.Service
	// Teams is nil for a hub whose teams have no files.
	Teams   *hosting.Service
	Log     *slog.Logger
	Version string
	Started time.Time
	// Tokens makes and revokes tokens.
	Tokens *token.Service
	// Sessions are those of browsers.
	Sessions *session.Service
	// Gate is what requests pass first; nil makes one that only knows Host, the name or
	// address that the server listens on.
	Gate *gate.Gate
	Host string
	// HeaderBytes and BodyBytes are the largest header and body of a request; 0 is the
	// default, for a body what the largest message needs.
	HeaderBytes, BodyBytes int
	// MessageBytes is the largest message that any participant may send.
	MessageBytes int
	// Shell says in which sandbox agents of a team run commands; nil for a hub without
	// workspaces.
	Shell func(parley.TeamID) string
	// Notify says how the targets are doing through which people are told; nil for a
	// hub without any. It says nothing to whoever is no person.
	Notify func(context.Context, access.Caller) ([]api.NotifyTarget, error)
	// Bridges says how chat programs are doing, like Notify.
	Bridges func(context.Context, access.Caller) ([]api.Bridge, error)
	// ChatPeople says which account of a chat program is which person.
	ChatPeople *bridge.People
	// Estimate is what the first step of an agent on a message may cost; false if its
	// price is not known. Nil for a hub that knows none.
	Estimate func(agent parley.AgentID, message string) (parley.FirstStep, bool)
	// Clock is time.Now if nil. How long a wait still is depends on it.
	Clock parley.Clock
	// Mount are further doors at paths of the same address, behind the same guard.
	// They find out themselves who calls.
	Mount map[string]http.Handler
	// Unknown answers a browser that opens an address of nothing; nil answers as the API
	// does.
	Unknown http.Handler
}

type Server struct {
	cfg     Config
	log     *slog.Logger
	gate    *gate.Gate
	api     huma.API
	handler http.Handler
	methods map[string]allowed // by path
	// stopping ends the requests that wait.
	stopping context.Context
	stop     context.CancelCauseFunc
}

// errStopping answers the requests that still wait when the hub stops.
var errStopping = parley.Errorf(parley.Unavailable, "The hub is stopping.").WithHint("Start it again with: parley up")

// New makes the server; Run serves it.
func New(cfg Config) *Server {
	if cfg.Clock == nil {
		cfg.Clock = time.Now
	}
	s := &Server{cfg: cfg, log: cfg.Log, gate: cfg.Gate}
	if s.gate == nil {
		s.gate = gate.New(gate.Config{Store: cfg.Store, Log: cfg.Log, Host: cfg.Host})
	}
	s.stopping, s.stop = context.WithCancelCause(context.Background())
	mux := http.NewServeMux()
	s.api = humago.New(mux, describeAPI(cfg.Version))
	s.api.UseMiddleware(s.identify)
	s.registerHub()
	s.registerTeams()
	s.registerContacts()
	s.registerTasks()
	s.registerChanges()
	s.registerBudgets()
	s.registerCost()
	s.registerMessages()
	s.registerInbox()
	s.registerSearch()
	s.registerChannels()
	s.registerKeepers()
	s.registerClaims()
	s.registerAgents()
	s.registerSchedules()
	s.registerTools()
	s.registerRules()
	s.registerRulebook()
	s.registerTokens()
	s.registerSessions()
	s.registerBridges()
	s.registerApprovals()
	s.registerQuestions()
	s.registerEvents()
	s.registerLive()
	s.registerSteps()
	finishDocument(s.api)
	s.methods = documentedMethods(s.api)
	serveDocument(s.api, mux)
	for path, door := range cfg.Mount {
		mux.Handle(path, s.untilEnded(door))
	}
	s.handler = s.guard(mux)
	return s
}

// Handler is the API for a caller that runs its own HTTP server, such as a test.
func (s *Server) Handler() http.Handler { return s.handler }

// orStopping returns errStopping if ctx ended because the hub stops, and otherwise why
// the token has ended, if it has. The error of the operation would only say that it was
// cut short.
func orStopping(ctx context.Context, err error) error {
	if err != nil && errors.Is(context.Cause(ctx), errStopping) {
		return errStopping
	}
	if ended := gate.Ended(ctx); err != nil && ended != nil {
		return ended
	}
	return err
}

// untilStop returns a context that also ends when the hub stops or the token ends.
func (s *Server) untilStop(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := gate.Until(ctx)
	forget := context.AfterFunc(s.stopping, func() { cancel(errStopping) })
	return ctx, func() {
		forget()
		cancel(nil)
	}
}

// untilEnded ends the requests of a further door when their token ends, since most of
// them wait for something, and bounds their bodies.
func (s *Server) untilEnded(door http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, release := gate.Until(r.Context())
		defer release(nil)
		r.Body = http.MaxBytesReader(w, r.Body, s.maxBody(true)) // files can be attached there
		door.ServeHTTP(w, r.WithContext(ctx))
	})
}
