//go:build bench

package bench

import (
	"fmt"
	"net"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"parley/internal/model"
	"parley/internal/model/wiretest"
)

// noProvider is a provider of models that thinks no time at all. It speaks as
// OpenAI does, streaming, on this machine and without TLS.
type noProvider struct {
	url    string
	server *http.Server
	hold   <-chan struct{} // in the middle of each reply, if it is not nil
	refuse atomic.Bool     // everything, for ten minutes

	busy  atomic.Int64 // the time of all handlers together
	calls atomic.Int64

	mu    sync.Mutex
	asked [turnSteps + 1][]byte // the last request of each step
}

func startProvider(hold <-chan struct{}) (*noProvider, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &noProvider{url: "http://" + listener.Addr().String(), hold: hold}
	answer := wiretest.Handler(p.think)
	p.server = &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		begun := time.Now()
		defer func() {
			p.busy.Add(int64(time.Since(begun)))
			p.calls.Add(1)
		}()
		answer.ServeHTTP(w, r)
	})}
	go func() { _ = p.server.Serve(listener) }() // until it is closed
	return p, nil
}

func (p *noProvider) close() { _ = p.server.Close() }

// think calls the tool until it has enough results, and ends then. One that
// holds says a word first.
func (p *noProvider) think(req wiretest.Request) wiretest.Reply {
	if p.refuse.Load() {
		return wiretest.Reply{Status: http.StatusTooManyRequests, Message: "Slow down.", Header: map[string]string{"Retry-After": "600"}}
	}
	if p.hold != nil {
		return wiretest.Reply{Text: "Let me think. ok", Piece: 14, Hold: p.hold, Pause: 2}
	}
	step := 0
	for _, m := range req.Messages {
		if m.Role == model.ToolResult {
			step++
		}
	}
	p.mu.Lock()
	p.asked[min(step, turnSteps)] = req.Body
	p.mu.Unlock()
	usage := model.Usage{Input: 1, Output: 1}
	if step >= turnSteps {
		return wiretest.Reply{Text: "ok", Usage: usage}
	}
	call := wiretest.Call{ID: fmt.Sprintf("call_%d", step), Name: nothingTool, Args: fmt.Sprintf(`{"n":%d}`, step)}
	return wiretest.Reply{Calls: []wiretest.Call{call}, Usage: usage}
}

// spent is the time of all handlers so far.
func (p *noProvider) spent() time.Duration { return time.Duration(p.busy.Load()) }

// mean is what the provider took of a turn on average.
func (p *noProvider) mean() time.Duration {
	return p.spent() * (turnSteps + 1) / time.Duration(max(p.calls.Load(), 1))
}

// conversation is what the provider was asked in a turn, step by step.
func (p *noProvider) conversation() [][]byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.asked[:])
}
