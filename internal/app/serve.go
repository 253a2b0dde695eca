package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"parley"
	"parley/internal/access"
	"parley/internal/backup"
	"parley/internal/config"
	"parley/internal/gate"
	"parley/internal/hosting"
	"parley/internal/httpapi"
	"parley/internal/hubfile"
	"parley/internal/mcpserver"
	"parley/internal/page"
	"parley/internal/reading"
	"parley/internal/signin"
	"parley/internal/store"
	"parley/internal/wake"
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

	filed   *config.Team // as the files have it
	models  *models
	alike   *alike
	boxes   *serverBoxes
	further bool // the hub is that of another team
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
	// Teams are the further teams.
	Teams []hosting.Team
	// Follow passes on what happens in the team from now on, of one kind or a pattern of kinds,
	// until the context is done. It costs less than a stream over HTTP.
	Follow func(ctx context.Context, kind string, take func(parley.Event) error) error
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
	if err := cmp.Or(checkFree(cfg.filed.Data), checkFree(cfg.Data)); err != nil {
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
	defer closing(&err, s.close)
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
	c.filed, c.models, c.alike, c.boxes = c.Team, newModels(c.Team), newAlike(), &serverBoxes{}
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

	hub    *Hub
	gate   *gate.Gate
	door   *httpapi.Server
	mcp    *mcpserver.Door
	signin *signin.Door
	page   *page.Door
	own    *servedTeam
	teams  *teams // its own and the further ones
	info   Serving
}

// prepare brings everything up to the point where requests can be served.
func (s *serving) prepare(ctx context.Context) error {
	cfg := s.cfg
	warnOfClock(s.store, cfg.Log)
	s.hub = NewHub(HubConfig{Store: s.store, Log: cfg.Log, Name: hubName(), Workers: cfg.Team.Workers,
		LeaseTime: cfg.Team.Lease, ClientLease: cfg.Team.ClientLease, Grace: cfg.Grace})
	s.own = newServedTeam(s.hub, cfg)
	s.teams = newTeams(s)
	if err := s.own.join(ctx); err != nil {
		return err
	}
	// All teams join before the start, since their limits say how often a task may be
	// rescued. If the list cannot be read, the hub's own team works all the same.
	unread := s.teams.look(ctx, true)
	if err := s.hub.Start(ctx); err != nil {
		return err
	}
	s.cfg.settleMemory(len(cfg.Team.Agents))
	token, err := s.hub.tokenOf(ctx, s.own.team, s.own.person, s.lock.Token())
	if err != nil {
		return err
	}
	started := time.Now()
	s.gate = s.newGate()
	largest := s.teams.acceptLargest()
	s.mcp = s.hub.MCP(MCPConfig{Identify: s.gate.Identify, Headers: gate.Headers, MessageBytes: largest, Extend: cfg.ExtendMCP})
	s.door = httpapi.New(httpapi.Config{
		Gate: s.gate, Tokens: s.hub.Tokens,
		Store: s.store, Contacts: s.hub.Contacts, Redactions: s.hub.Redactions,
		Reading: s.hub.Reading, Desk: s.hub.Desk, Tools: s.hub.Tools, Channels: s.hub.Channels, Keepers: s.hub.Keepers, Claims: s.hub.Claims, Changes: s.hub.Changes, Schedules: s.hub.Schedules,
		Rules: s.teams.rules, Teams: hosting.New(s.hub.Access, s.own.team.ID, s.teams), Log: cfg.Log,
		Version: Version(), Started: started, HeaderBytes: cfg.Team.Door.Header, BodyBytes: cfg.Team.Door.Body, MessageBytes: largest, Shell: s.teams.shell,
		Mount: s.doors(), Sessions: s.hub.Sessions,
		Unknown: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.page.ServeHTTP(w, r) }),
		Notify:  s.teams.notifyStates, Bridges: s.teams.bridgeStates, ChatPeople: s.hub.ChatPeople, Estimate: s.hub.agents.FirstStep,
	})
	s.info = Serving{URL: address(s.listener), Public: s.publicAddress(), Team: s.own.team.Name, Person: s.own.person, Data: cfg.Data, Store: s.store.Describe(),
		Problems: FoldProblems(s.own.files.Problems()), Warnings: s.own.warned, Teams: s.teams.further(), Follow: s.follow}
	if unread != nil {
		s.info.Problems = append(slices.Clone(s.info.Problems), config.Problem{File: "teams", Message: parley.Public(unread)})
	}
	return s.lock.Publish(hubfile.Hub{URL: s.info.URL, Process: os.Getpid(), Started: started, Token: token, Team: s.own.team.Name, Folder: cfg.Team.Dir})
}

// follow reads the record of the hub's own team as its person. While the database is away it
// waits, and then goes on where it was.
func (s *serving) follow(ctx context.Context, kind string, take func(parley.Event) error) error {
	person, err := s.hub.Directory.Find(s.own.team.ID, s.own.person)
	if err != nil {
		return err
	}
	c := access.Caller{Team: s.own.team.ID, Agent: person.ID}
	r := reading.Record{Cursor: reading.Now, Follow: true, Kind: kind}
	remember := func(e parley.Event) error {
		r.Cursor = e.Cursor
		return take(e)
	}
	for {
		err := s.hub.Reading.Events(ctx, c, r, remember, func() error { return nil })
		if ctx.Err() != nil || parley.KindOf(err) != parley.Unavailable {
			return err
		}
		again := time.NewTimer(followAgain)
		select {
		case <-ctx.Done():
			again.Stop()
			return context.Cause(ctx)
		case <-again.C:
		}
	}
}

// followAgain is how long follow waits for the database to come back.
const followAgain = time.Second

// close releases what the teams have open.
func (s *serving) close() error {
	if s.teams == nil {
		return nil
	}
	return s.teams.close()
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
	s.teams.follow(open)
	beside.Go(func() { s.teams.watch(open, s.cfg.LookEvery, s.cfg.Reload) })
	if s.certificate != nil {
		beside.Go(func() { s.certificate.Run(open) })
	}
	beside.Go(func() { TendCollector(open) })
	s.announce()
	defer context.AfterFunc(open, s.mcp.Stop)()
	defer context.AfterFunc(open, s.page.Stop)()
	defer s.store.Bus().Listen(wake.Redacted, func(int64) { s.page.Forget() })()
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
