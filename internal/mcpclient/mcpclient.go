// Package mcpclient gives agents the tools of outside MCP servers: it starts a
// server, or connects to one, offers what it lists as tools, and keeps it alive
// until the hub stops.
//
// Every server is started when the hub starts, beside it: a slow one delays
// nobody but the turns that want its tools, and one that cannot be started says
// so in the log at once instead of at the first turn. One that dies is started
// again, after a pause that grows; meanwhile its tools answer an error.
//
// A server's word is not trusted. Its tools are named so that no provider
// refuses them, its texts are cut to a size, what it says of its own harmlessness
// counts only if the files say so, and its process sees of the hub's environment
// only what it needs to run and what the files name.
//
// A Conn and a Servers are safe for concurrent use.
package mcpclient

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"
)

// Server says how to reach one server: a command, or an address.
type Server struct {
	Name string

	// Command is started with Args in Dir. Its environment is Env and a few
	// harmless variables of the hub's.
	Command string
	Args    []string
	Env     map[string]string
	Dir     string

	// URL is one that speaks streamable HTTP; Headers go with every request.
	URL     string
	Headers map[string]string

	// TrustReads says that a tool which the server calls read-only is believed to
	// be.
	TrustReads bool
	// Timeout bounds each call; the default if zero.
	Timeout time.Duration
}

const (
	// DefaultTimeout bounds a call.
	DefaultTimeout = 2 * time.Minute
	// startTimeout is long, since a command may have to be downloaded first.
	startTimeout = time.Minute
	// keepAlive is how often a server over HTTP is asked whether it is there; that
	// of a process ends with it.
	keepAlive = 30 * time.Second

	firstPause = time.Second
	lastPause  = time.Minute
	// steady is how long a server must have run for its next failure to count as
	// the first.
	steady = time.Minute
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

// Add takes a server in. It is started with the others, or at once if they are.
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
	s.mu.Lock() // whoever adds one now starts it in vain, and is waited for
	defer s.mu.Unlock()
	s.ended.Wait()
}

func (s *Servers) start(c *Conn) {
	var ctx context.Context
	ctx, c.stop = context.WithCancel(s.running)
	s.ended.Go(func() { c.run(ctx) })
}

// Hold keeps servers for somebody who works with them: one that is let go ends
// only after the release, or with the hub.
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

// End lets a server go that nobody has any more.
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
