package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"parley/internal/backup"
	"parley/internal/config"
	"parley/internal/gate"
	"parley/internal/httpapi"
	"parley/internal/hubfile"
	"parley/internal/mcpserver"
	"parley/internal/retention"
	"parley/internal/rulebook"
	"parley/internal/store"
	"parley/internal/workspace"
)

// ServeConfig configures a hub with its doors.
type ServeConfig struct {
	// Team is the team's folder. Problems are the mistakes in its files.
	Team     *config.Team
	Problems []config.Problem
	// Listen and Data, if set, replace those of the team's files. A database that is in
	// the data folder by default moves with it.
	Listen, Data string
	// Grace replaces that of the team's files; 10 seconds if they have none.
	Grace time.Duration
	Log   *slog.Logger
	// Reload makes the hub read the team's files again at once; it may be nil. The hub
	// looks at them every LookEvery anyway, 2 seconds by default.
	Reload    <-chan struct{}
	LookEvery time.Duration
	// Ready is called once, when the doors are open. It may be nil.
	Ready func(Serving)
	// ExtendMCP adds to what MCP clients are offered, for a suite that wants more than the
	// product has. It is nil otherwise.
	ExtendMCP func(*mcp.Server)

	filed  *config.Team // as the files have it
	models *models
	boxes  *serverBoxes
}

// Serving describes a hub that is up.
type Serving struct {
	URL    string // of the HTTP API, for this machine
	Public string // for other machines; empty if they cannot reach it
	Team   string
	Person string // who the command line acts as
	Data   string // the data folder, for client.Discover
	Store  string // the database, without secrets
	// Problems are the mistakes in the files, and the agents that could not be started.
	Problems []config.Problem
	// Warnings are settings that have no effect.
	Warnings []config.Problem
}

// Serve runs a hub on a data folder until the context is done. Then it stops in order:
// the doors accept nothing more, waiting requests are told, work stops claiming, turns
// get their grace, and the store closes last. It returns when everything has stopped. A
// program that cannot wait may just end, since nothing that was acknowledged is only in
// memory.
//
// A second hub on the same folder is refused with the address of the first.
func Serve(ctx context.Context, cfg ServeConfig) (err error) {
	cfg.fill()
	if err := CheckApart(cfg.Team); err != nil {
		return err
	}
	lock, err := hubfile.Acquire(cfg.Data)
	if err != nil {
		return err
	}
	defer closing(&err, lock.Release)
	for _, name := range append(config.Sweep(cfg.Team.Dir), backup.Sweep(cfg.Data)...) {
		cfg.Log.Info("removed what a killed program had left", "name", name)
	}
	listener, certificate, err := openDoor(cfg)
	if err != nil {
		return err
	}
	defer func() { _ = listener.Close() }() // the server may have closed it already
	st, err := openStore(ctx, cfg)
	if err != nil {
		return err
	}
	defer closing(&err, st.Close)
	s := serving{cfg: cfg, lock: lock, listener: listener, certificate: certificate, store: st}
	defer closing(&err, s.closeWorkspace)
	if err := s.prepare(ctx); err != nil {
		return err
	}
	return s.run(ctx)
}

// closing closes a part and keeps the first error.
func closing(err *error, part func() error) {
	if failed := part(); *err == nil {
		*err = failed
	}
}

func (c *ServeConfig) fill() {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	c.filed, c.models, c.boxes = c.Team, newModels(c.Team), &serverBoxes{}
	if c.Listen == "" {
		c.Listen = c.Team.Listen
	}
	if c.Data != "" {
		moved := *c.Team // do not change the caller's
		moved.MoveData(c.Data)
		c.Team = &moved
	}
	c.Data = c.Team.Data
	if c.Grace == 0 {
		c.Grace = c.Team.Grace
	}
}

// serving is a hub between its start and its stop.
type serving struct {
	cfg      ServeConfig
	lock     *hubfile.Lock
	listener net.Listener
	// certificate is nil if the hub has none.
	certificate *gate.Certificate
	store       store.Store
	// workspace is nil until an agent works in one.
	workspace atomic.Pointer[workspace.Workspace]

	hub   *Hub
	gate  *gate.Gate
	door  *httpapi.Server
	mcp   *mcpserver.Door
	files *teamFiles
	info  Serving
}

// prepare brings everything up to the point where requests can be served.
func (s *serving) prepare(ctx context.Context) error {
	cfg := s.cfg
	warnOfClock(s.store, cfg.Log)
	s.hub = NewHub(HubConfig{Store: s.store, Log: cfg.Log, Name: hubName(), Workers: cfg.Team.Workers,
		LeaseTime: cfg.Team.Lease, ClientLease: cfg.Team.ClientLease, Grace: cfg.Grace})
	if err := s.openTools(ctx, cfg.Team); err != nil {
		return err
	}
	roster, person, problems, err := enlist(cfg)
	if err != nil {
		return err
	}
	team, err := s.hub.Join(ctx, roster)
	if err != nil {
		return err
	}
	s.hub.Keep(team.ID, retention.Rule{Messages: cfg.Team.KeepMessages, Events: cfg.Team.KeepEvents})
	if err := s.hub.Start(ctx); err != nil {
		return err
	}
	LimitMemory(store.Memory(cfg.Team.Memory), cfg.Log)
	token, err := s.hub.tokenOf(ctx, team, person, s.lock.Token())
	if err != nil {
		return err
	}
	s.files = newTeamFiles(s.hub, cfg, team, person, roster, problems)
	s.files.openTools = s.openTools
	s.files.tellPeople(ctx, cfg.Team)
	started := time.Now()
	s.gate = s.newGate(token)
	s.mcp = s.hub.MCP(MCPConfig{Identify: s.gate.Identify, Headers: gate.Headers, MessageBytes: s.files.biggest, Extend: cfg.ExtendMCP})
	s.door = httpapi.New(httpapi.Config{
		Gate: s.gate, Tokens: s.hub.Tokens,
		Store: s.store, Contacts: s.hub.Contacts, Redactions: s.hub.Redactions,
		Reading: s.hub.Reading, Desk: s.hub.Desk, Tools: s.hub.Tools, Channels: s.hub.Channels, Keepers: s.hub.Keepers, Claims: s.hub.Claims,
		Rules: rulebook.New(s.store, s.hub.Directory, s.hub.Access, team.ID, s.files, cfg.Log), Log: cfg.Log,
		Version: Version(), Started: started, HeaderBytes: cfg.Team.Door.Header, BodyBytes: cfg.Team.Door.Body, MessageBytes: s.files.biggest, Shell: s.shell,
		Mount:  map[string]http.Handler{"/mcp": s.mcp},
		Notify: s.files.notifyStates,
	})
	s.info = Serving{URL: address(s.listener), Public: s.publicAddress(), Team: team.Name, Person: person, Data: cfg.Data, Store: s.store.Describe(), Problems: problems,
		Warnings: slices.Concat(cfg.Team.Warnings, CheckTools(cfg.Team), CheckServerFiles(cfg.Team), cfg.boxes.warnings(cfg.Team))}
	return s.lock.Publish(hubfile.Hub{URL: s.info.URL, Process: os.Getpid(), Started: started, Token: token})
}

// openTools gives the hub the toolset of the workspace once an agent has it, and protects
// what the servers are started with before a new one starts. The workspace is that of
// the start, since changing its settings needs a restart.
func (s *serving) openTools(ctx context.Context, now *config.Team) error {
	if s.workspace.Load() == nil && UsesWorkspace(now) {
		space, err := openWorkspace(ctx, s.cfg.Team, s.cfg.Log)
		if err != nil {
			return err
		}
		s.workspace.Store(space)
		s.hub.agents.add(WorkspaceTools(space))
	}
	if space := s.workspace.Load(); space != nil {
		space.Protect(serverFiles(placed(now, s.cfg.Team)))
	}
	return nil
}

// placed is a team as its files have it now, in the folders that the hub started with.
func placed(now, start *config.Team) *config.Team {
	team := *now
	team.Data, team.Store, team.Workspace = start.Data, start.Store, start.Workspace
	return &team
}

// shell names the sandbox for the commands of agents.
func (s *serving) shell() string {
	space := s.workspace.Load()
	switch {
	case space == nil:
		return ""
	case space.Sandbox == nil:
		return "none"
	}
	return string(space.Sandbox.Kind)
}

func (s *serving) closeWorkspace() error {
	if space := s.workspace.Load(); space != nil {
		return space.Close()
	}
	return nil
}

// run works until the context is done or a part fails, and then stops all parts in
// order.
func (s *serving) run(ctx context.Context) error {
	open, closeDoors := context.WithCancel(ctx)
	defer closeDoors()
	working, stopWork := context.WithCancel(context.WithoutCancel(ctx))
	defer stopWork()
	worked := make(chan error, 1)
	go func() {
		worked <- s.hub.Run(working)
		closeDoors() // without workers, doors are of no use
	}()
	var beside sync.WaitGroup
	beside.Go(func() { s.files.watch(open, s.cfg.LookEvery, s.cfg.Reload) })
	beside.Go(func() { s.files.teller.Run(open) })
	if s.certificate != nil {
		beside.Go(func() { s.certificate.Run(open) })
	}
	s.announce()
	defer context.AfterFunc(open, s.mcp.Stop)()
	served := s.door.Run(open, s.listener)
	s.cfg.Log.Info("the hub is stopping")
	closeDoors() // even if the door has failed
	beside.Wait()
	stopWork()
	return errors.Join(served, <-worked)
}

func (s *serving) announce() {
	for _, p := range s.info.Problems { // Ready has them too, to be shown
		s.cfg.Log.Info("a file of the team has a problem", "problem", p.String())
	}
	s.cfg.Log.Info("the hub is up", "address", s.info.URL, "team", s.info.Team, "person", s.info.Person, "store", s.info.Store)
	if s.cfg.Ready != nil {
		s.cfg.Ready(s.info)
	}
}

// hubName says which of several hubs this is.
func hubName() string {
	host, err := os.Hostname()
	if err != nil {
		host = "hub"
	}
	return fmt.Sprintf("%s:%d", host, os.Getpid())
}
