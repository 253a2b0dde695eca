package bench

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"net"
	"net/http"
	"runtime"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"parley/api"
	"parley/client"
)

// asked is what a process that asks through a door has seen.
type asked struct {
	Ops      int           `json:"ops"`
	PerS     float64       `json:"per_s"`
	P50, P99 time.Duration // of an ask
	CPU      time.Duration // of that process, an ask
}

// measureOutside is measure for one caller in another process: the processor time and the
// allocations are those of this one. The profile also has what comes before the slice: the
// start of that process and its getting used to the door.
func (p *profiler) measureOutside(ctx context.Context, name string, e errand) (m sample, err error) {
	err = p.during(name, func() error {
		m, err = measureOutside(ctx, e)
		return err
	})
	return m, err
}

func measureOutside(ctx context.Context, e errand) (_ sample, err error) {
	e.Do = doAsk
	runtime.GC() // the garbage of the slice before is not this one's; that of getting used to it is
	c, err := startChild(ctx, e)
	if err != nil {
		return sample{}, err
	}
	defer func() { err = errors.Join(err, c.kill()) }()
	var ready struct{}
	if err := c.hear(&ready); err != nil {
		return sample{}, err
	}
	// The other process collects its garbage first, so none of its asks comes before this.
	allocs, cpu := mallocs(), processTime()
	var a asked
	if err := c.hear(&a); err != nil {
		return sample{}, err
	}
	cpu, allocs = processTime()-cpu, mallocs()-allocs
	return sample{ops: a.Ops, perS: a.PerS, p50: a.P50, p99: a.P99, clientCPU: a.CPU,
		cpu: cpu / time.Duration(a.Ops), allocs: float64(allocs) / float64(a.Ops)}, nil
}

// openBare opens a server that reads an ask over HTTP and answers it with nothing behind it.
func openBare() (url string, stop func(), err error) {
	answer, err := json.Marshal(api.Contact{Task: &api.Task{Result: "ok"}})
	if err != nil {
		return "", nil, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var request api.ContactRequest
		if err := json.NewDecoder(r.Body).Decode(&request); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(answer) // the client says so if it does not come
	})}
	go func() { _ = server.Serve(listener) }() // until it is closed
	return "http://" + listener.Addr().String(), func() { _ = server.Close() }, nil
}

// ask asks through a door: at first to get used to it, and then, when it has said so, for
// its slice.
func (e errand) ask(ctx context.Context) error {
	if e.Door == doorMCP {
		return e.askOverMCP(ctx)
	}
	return e.askOverHTTP(ctx)
}

func (e errand) askOverHTTP(ctx context.Context) error {
	c := client.New(e.Address, e.Token)
	defer c.Close()
	return e.askBy(ctx, func(ctx context.Context, target, text string) (string, error) {
		got, err := c.Contact(ctx, api.ContactRequest{Action: ask, Agent: target, Message: text, Wait: resultLimit.Seconds()})
		if err != nil {
			return "", err
		}
		return got.Task.Result, nil
	})
}

func (e errand) askOverMCP(ctx context.Context) error {
	session, err := connectMCP(ctx, e.Address, e.Token)
	if err != nil {
		return err
	}
	defer func() { _ = session.Close() }() // nothing depends on it
	return e.askBy(ctx, func(ctx context.Context, target, text string) (string, error) {
		got, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "contact_agent",
			Arguments: map[string]any{"action": ask, "agentId": target, "message": text}})
		if err != nil {
			return "", err
		}
		said := textOf(got)
		if !got.IsError && strings.Contains(said, "ok") {
			return "ok", nil
		}
		return said, nil
	})
}

func (e errand) askBy(ctx context.Context, askOne func(ctx context.Context, target, text string) (string, error)) error {
	once := func(ctx context.Context, _ int, r *rand.Rand) error {
		answer, err := askOne(ctx, e.Targets[r.IntN(len(e.Targets))], body(r))
		return orOther(err, answer == "ok", answer)
	}
	if _, err := measure(ctx, 1, e.Warm, once); err != nil {
		return err
	}
	if err := tell(struct{}{}); err != nil {
		return err
	}
	s, err := measure(ctx, 1, e.Slice, once)
	if err != nil {
		return err
	}
	return tell(asked{Ops: s.ops, PerS: s.perS, P50: s.p50, P99: s.p99, CPU: s.cpu})
}
