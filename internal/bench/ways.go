package bench

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"time"

	"parley/internal/access"
	"parley/internal/contact"
	"parley/internal/model/scripted"
)

// What a door adds to an ask: the same ask by a direct call, over HTTP and over MCP, in
// turns on one hub. Each way has its own client agent, which asks agents that answer at
// once, one at a time. Those who come through a door are a process of their own, so that
// the processor time of this one is the hub's. A server with nothing behind it shows what
// the exchange alone costs.

const (
	doorHTTP = "doors.http"
	doorMCP  = "doors.mcp"
)

// The ways.
const (
	wayDirect = iota
	wayHTTP
	wayMCP
	wayBare // nothing but an exchange over HTTP

	wayCount
)

var wayNames = [wayCount]string{"doors.direct", doorHTTP, doorMCP, "doors.bare"}

// wayAgents is among how many agents the asks are spread, and wayClients how many ask: each
// way has its own.
const (
	wayAgents  = 64
	wayClients = 3
)

func (b *bench) ways(ctx context.Context) (err error) {
	if !b.wanted.any([]string{doorHTTP, doorMCP}) {
		return nil
	}
	b.say("doors: asks by a direct call, over HTTP and over MCP")
	st, err := openStore(ctx, engineSQLite, filepath.Join(b.dir, "doors.db"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	h, err := start(ctx, st, newCrew(plan{natives: wayAgents, clients: wayClients}, 0, scripted.Noop()))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.end()) }()
	d, err := openDoors(ctx, h, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.close()) }()
	bare, stop, err := openBare()
	if err != nil {
		return err
	}
	defer stop()
	w := wayMeasure{bench: b, doors: d, bare: bare}
	for _, m := range h.members[len(h.members)-wayAgents:] {
		w.targets = append(w.targets, m.Name)
	}
	return w.run(ctx)
}

// wayMeasure is the samples of each way.
type wayMeasure struct {
	*bench
	*doors
	bare    string   // its address
	targets []string // who is asked
	samples [wayCount][]sample
}

func (w *wayMeasure) run(ctx context.Context) error {
	for round := range w.plan.rounds + 1 { // the first is for getting used to it
		for way := range wayCount {
			taken, err := w.take(ctx, way)
			if err != nil {
				return err
			}
			if round > 0 {
				w.samples[way] = append(w.samples[way], taken)
			}
		}
	}
	for _, way := range []int{wayHTTP, wayMCP} {
		if !w.wanted.has(wayNames[way]) {
			continue
		}
		l := lineOf(wayNames[way], 1, w.samples[way])
		l.Direct, l.Through = inMicros(middle(w.samples[wayDirect]).p50), l.P50
		// The slowest of two kinds cannot be subtracted.
		l.P50, l.P99 = w.added(way, func(s sample) time.Duration { return s.p50 }), 0
		l.AddedCPU = w.added(way, func(s sample) time.Duration { return s.cpu })
		l.ClientCPU = inMicros(middle(w.samples[way]).clientCPU)
		if way == wayHTTP {
			l.BareCPU = inMicros(middle(w.samples[wayBare]).cpu)
		}
		if err := w.report.add(l); err != nil {
			return err
		}
	}
	return nil
}

// added is the median, over the rounds, of what a door adds to the direct call.
func (w *wayMeasure) added(way int, of func(sample) time.Duration) float64 {
	var list []time.Duration
	for i, s := range w.samples[way] {
		list = append(list, of(s)-of(w.samples[wayDirect][i]))
	}
	return inMicros(medianOf(list))
}

func medianOf(list []time.Duration) time.Duration {
	return time.Duration(median(list, func(d time.Duration) float64 { return float64(d) }))
}

func (w *wayMeasure) take(ctx context.Context, way int) (sample, error) {
	e := errand{Door: wayNames[way], Targets: w.targets, Warm: w.plan.warm, Slice: w.plan.slice}
	switch way {
	case wayDirect:
		return w.profile.measure(ctx, wayNames[way], 1, w.plan.slice, w.direct)
	case wayBare:
		e.Address = w.bare
	default:
		e.Address, e.Token = w.url, w.tokens[1+way] // after the person's and that of the direct way
	}
	return w.profile.measureOutside(ctx, wayNames[way], e)
}

func (w *wayMeasure) direct(ctx context.Context, _ int, r *rand.Rand) error {
	target := w.targets[r.IntN(len(w.targets))]
	a, err := w.Contacts.Ask(ctx, access.Caller{Team: w.team.ID, Agent: w.ids[1]}, contact.Request{Target: target, Message: body(r)})
	return orOther(err, a.Text == "ok", a.Text)
}

func orOther(err error, right bool, text string) error {
	if err == nil && !right {
		return fmt.Errorf("an ask was answered %q", text)
	}
	return err
}
