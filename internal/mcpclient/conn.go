package mcpclient

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"parley"
	"parley/internal/tool"
)

// Conn is the connection to one server, across its restarts.
type Conn struct {
	def Server
	log *slog.Logger

	// Guarded by the mutex of Servers.
	stop  context.CancelFunc // nil until it is started
	held  int                // how many users hold it
	ended bool               // to be stopped as soon as nobody holds it

	ready     chan struct{} // closed after the first attempt to start it
	readyOnce sync.Once
	broken    chan struct{} // a call has found that the connection is gone

	mu      sync.Mutex
	session *mcp.ClientSession // nil while it is down
	tools   []tool.Tool        // as last listed
	problem string             // why it is down
	secret  redactor           // hides secrets in what it writes
}

func newConn(def Server, log *slog.Logger) *Conn {
	if def.Timeout <= 0 {
		def.Timeout = DefaultTimeout
	}
	return &Conn{def: def, log: log.With("server", def.Name), ready: make(chan struct{}),
		broken: make(chan struct{}, 1), problem: "it has not been started yet"}
}

func (c *Conn) Name() string { return c.def.Name }

// Ready is closed once it is known whether the server can be started.
func (c *Conn) Ready() <-chan struct{} { return c.ready }

// State is the present state of a server.
type State struct {
	Name string
	Up   bool
	// Problem is why it is down, without secrets.
	Problem string
	Tools   int
}

func (c *Conn) State() State {
	c.mu.Lock()
	defer c.mu.Unlock()
	return State{Name: c.def.Name, Up: c.session != nil, Problem: c.problem, Tools: len(c.tools)}
}

// Tools are those that the server listed last, even while it is down: a turn that
// begins during a pause may last until it is back.
func (c *Conn) Tools() []tool.Tool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.tools)
}

// run keeps the server alive.
func (c *Conn) run(ctx context.Context) {
	defer c.markReady()
	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		began := time.Now()
		err := c.runOnce(ctx)
		if ctx.Err() != nil {
			c.down("it was stopped")
			return
		}
		if time.Since(began) >= stableTime {
			pause = firstPause
		}
		c.down(c.explain(err))
		c.markReady()
		c.log.Warn("an MCP server is not running", "problem", c.explain(err), "again_in", pause)
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
		}
	}
}

func (c *Conn) markReady() { c.readyOnce.Do(func() { close(c.ready) }) }

// runOnce runs the server from one start to its end.
func (c *Conn) runOnce(ctx context.Context) error {
	changed := make(chan struct{}, 1)
	l, err := c.connect(ctx, changed)
	if err != nil {
		return err
	}
	defer l.close()
	defer c.down(errEnded.Message) // at once, since closing may take a moment
	select {
	case <-c.broken: // from the previous run
	default:
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = l.session.Wait() // the reason does not matter
	}()
	for {
		if err := c.list(ctx, l.session); err != nil {
			return err
		}
		c.markReady()
		select {
		case <-changed:
		case <-ended:
			return errEnded
		case <-c.broken:
			return errEnded
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

var errEnded = parley.Errorf(parley.Unavailable, "it has ended")

// list fetches the server's tools and offers them.
func (c *Conn) list(ctx context.Context, session *mcp.ClientSession) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	listed, err := c.read(ctx, session)
	if err != nil {
		return err
	}
	tools := c.offer(listed)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.session, c.tools, c.problem = session, tools, ""
	return nil
}

// read asks a server for its tools, page by page. A server that says it has none need
// not support the request.
func (c *Conn) read(ctx context.Context, session *mcp.ClientSession) (listed []*mcp.Tool, err error) {
	if offered := session.InitializeResult().Capabilities; offered == nil || offered.Tools == nil {
		return nil, nil
	}
	for t, err := range session.Tools(ctx, nil) {
		if err != nil {
			return nil, err
		}
		if len(listed) == maxTools {
			c.log.Warn("an MCP server has more tools than are offered", "offered", maxTools)
			break
		}
		listed = append(listed, t)
	}
	return listed, nil
}

func (c *Conn) down(problem string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.session, c.problem = nil, problem
}

// current is the session of the running server.
func (c *Conn) current() (*mcp.ClientSession, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.session == nil {
		return nil, parley.Errorf(parley.Unavailable, "The MCP server %s is not running: %s.", c.def.Name, c.problem).
			WithHint("It is started again by itself; go on without it, or try again later.")
	}
	return c.session, nil
}

// explain says to people why the server is down.
func (c *Conn) explain(err error) string {
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return "it did not answer within " + startTimeout.String()
	}
	text := err.Error()
	var ours *parley.Error
	if errors.As(err, &ours) {
		text = ours.Error()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return parley.Clip(c.secret.hide(text), maxProblem)
}

// maxProblem is how much of an error is shown.
const maxProblem = 500

// Check starts a server, lists its tools and stops it again, to find out whether it
// works.
func Check(ctx context.Context, def Server, log *slog.Logger) State {
	c := newConn(def, log)
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		c.run(ctx)
	}()
	<-c.ready // even if the context is done
	state := c.State()
	if ctx.Err() != nil {
		state.Problem = "it did not answer in time"
	}
	stop()
	<-ended
	return state
}
