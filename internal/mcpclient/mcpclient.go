// Package mcpclient gives agents the tools of outside MCP servers: it starts a
// server, or connects to one, offers the tools that it lists, and keeps it alive
// until the hub stops.
//
// Every server is started in the background when the hub starts. A slow one delays
// only the turns that want its tools, and one that cannot be started is logged at
// once instead of at the first turn. One that dies is started again after a growing
// pause; meanwhile its tools return an error.
//
// Servers are not trusted. Their tools get names that every provider accepts, their
// texts are cut to size, their processes run in a sandbox, a tool counts as read-only only if the files trust the
// server's word, and a server's process sees only those variables of the hub's
// environment that it needs to run or that the files name.
//
// A Conn and a Servers are safe for concurrent use.
package mcpclient

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"parley/internal/workspace/sandbox"
)

// Server says how to reach one server: a command, or an address.
type Server struct {
	Name string

	// Command is started with Args in Dir. Its environment is Env and a few harmless
	// variables of the hub.
	Command string
	Args    []string
	Env     map[string]string
	Dir     string
	// Box is the sandbox that it runs in; nil if the files say that it has none.
	Box *sandbox.Sandbox
	// Refused says why it must not be started; usually empty.
	Refused string

	// URL is an address that speaks streamable HTTP; Headers are sent with every
	// request.
	URL     string
	Headers map[string]string

	// TrustReads says to believe the server that a tool is read-only.
	TrustReads bool
	// Timeout limits each call; DefaultTimeout if zero.
	Timeout time.Duration
}

const (
	// DefaultTimeout limits a call.
	DefaultTimeout = 2 * time.Minute
	// startTimeout is long because a command may have to be downloaded first.
	startTimeout = time.Minute
	// keepAlive is how often a server over HTTP is pinged. The connection to a
	// process ends with it anyway.
	keepAlive = 30 * time.Second

	firstPause = time.Second
	lastPause  = time.Minute
	// stableTime is how long a server must have run for its next failure to count as
	// the first.
	stableTime = time.Minute
)

// Servers are the servers of a hub.
type Servers struct {
	log *slog.Logger

	mu      sync.Mutex
	conns   []*Conn
	running context.Context // nil before Run
	ended   sync.WaitGroup
}

// New makes an empty set.
func New(log *slog.Logger) *Servers { return &Servers{log: log} }

// Add adds a server. It starts with the others, or at once if they are running.
func (s *Servers) Add(def Server) *Conn {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := newConn(def, s.log)
	s.conns = append(s.conns, c)
	if s.running != nil {
		s.start(c)
	}
	return c
}

// Run keeps the servers alive until the context is done, and returns when all
// of them have ended.
func (s *Servers) Run(ctx context.Context) {
	s.mu.Lock()
	s.running = ctx
	for _, c := range s.conns {
		s.start(c)
	}
	s.mu.Unlock()
	<-ctx.Done()
	s.mu.Lock() // a server added from now on starts in vain, and is waited for
	defer s.mu.Unlock()
	s.ended.Wait()
}

func (s *Servers) start(c *Conn) {
	var ctx context.Context
	ctx, c.stop = context.WithCancel(s.running)
	s.ended.Go(func() { c.run(ctx) })
}

// Hold keeps servers for somebody who uses them: a server that is given up with End
// ends only after the release, or with the hub.
func (s *Servers) Hold(conns []*Conn) (release func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range conns {
		c.held++
	}
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, c := range conns {
			c.held--
			c.endIfFree()
		}
	}
}

// End gives up a server that nobody is configured to use any more.
func (s *Servers) End(c *Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.conns = slices.DeleteFunc(s.conns, func(other *Conn) bool { return other == c })
	c.ended = true
	c.endIfFree()
}

func (c *Conn) endIfFree() {
	if c.ended && c.held == 0 && c.stop != nil {
		c.stop()
	}
}
