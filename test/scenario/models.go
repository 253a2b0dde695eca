package scenario

import (
	"context"
	"slices"
	"strings"
	"sync"

	"parley"
	"parley/internal/model"
)

// Models is the script, with a record of what each agent's model was shown
// and a way to hold an agent in the middle of a thought.
type Models struct {
	script model.Model

	mu    sync.Mutex
	shown map[string][]model.Request
	gates map[string]*Gate
}

func newModels(script model.Model) *Models {
	return &Models{script: script, shown: map[string][]model.Request{}, gates: map[string]*Gate{}}
}

// Step records the request and follows the script.
func (m *Models) Step(ctx context.Context, req model.Request, onDelta func(model.Delta)) (model.Reply, error) {
	key := parley.FoldName(req.Agent)
	kept := req
	kept.Messages = slices.Clone(req.Messages)
	m.mu.Lock()
	m.shown[key] = append(m.shown[key], kept)
	gate := m.gates[key]
	m.mu.Unlock()
	if gate != nil {
		ctx = gate.pass(ctx)
	}
	return m.script.Step(ctx, req, onDelta)
}

// Estimate is the script's.
func (m *Models) Estimate(req model.Request) model.Usage { return model.Estimate(m.script, req) }

// Quote is the script's.
func (m *Models) Quote(req model.Request) (model.Quote, bool) {
	if l, ok := m.script.(model.Limited); ok {
		return l.Quote(req)
	}
	return model.Quote{}, false
}

// Shown returns what an agent's model was shown, a request for each step.
func (m *Models) Shown(agent string) []model.Request {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.shown[parley.FoldName(agent)])
}

// Adopt adds what the models of an earlier hub were shown.
func (m *Models) Adopt(earlier *Models) {
	earlier.mu.Lock()
	defer earlier.mu.Unlock()
	m.mu.Lock()
	defer m.mu.Unlock()
	for agent, shown := range earlier.shown {
		m.shown[agent] = append(slices.Clone(shown), m.shown[agent]...)
	}
}

// Showed reports whether an agent's model was ever shown a text.
func (m *Models) Showed(agent, text string) bool {
	return slices.ContainsFunc(m.Shown(agent), func(req model.Request) bool {
		return slices.ContainsFunc(req.Messages, func(msg model.Message) bool { return strings.Contains(msg.Text, text) })
	})
}

// Hold stops an agent's model at its next steps until the gate is opened.
func (m *Models) Hold(agent string) *Gate {
	g := &Gate{arrived: make(chan struct{}, 100), left: make(chan struct{}, 100), open: make(chan struct{})}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.gates[parley.FoldName(agent)] = g
	return g
}

// Gate holds a model.
type Gate struct {
	// Deaf makes the model think on after its turn was stopped, as one does
	// whose call cannot be interrupted.
	Deaf    bool
	arrived chan struct{}
	left    chan struct{}
	open    chan struct{}
}

func (g *Gate) pass(ctx context.Context) context.Context {
	g.arrived <- struct{}{}
	if g.Deaf {
		ctx = context.WithoutCancel(ctx)
	}
	select {
	case <-g.open:
	case <-ctx.Done():
	}
	g.left <- struct{}{}
	return ctx
}

// Arrived waits until the model stands at the gate.
func (g *Gate) Arrived() { <-g.arrived }

// Left waits until the model has left the gate, through it or not.
func (g *Gate) Left() { <-g.left }

// Open lets everyone through, now and later.
func (g *Gate) Open() { close(g.open) }
