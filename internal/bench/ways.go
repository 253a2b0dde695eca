package bench

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"parley/api"
	"parley/client"
	"parley/internal/access"
	"parley/internal/contact"
	"parley/internal/model/scripted"
)

// What a door adds to an ask: the same ask by a direct call, over HTTP and over MCP, in
// turns on one hub. Each way has its own client agent, which asks agents that answer at
// once, one at a time.

const (
	doorHTTP = "doors.http"
	doorMCP  = "doors.mcp"
)

// wayAgents is among how many agents the asks are spread.
const wayAgents = 64

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
	h, err := start(ctx, st, newCrew(plan{natives: wayAgents, clients: len(wayMeasure{}.samples)}, 0, scripted.Noop()))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.end()) }()
	d, err := openDoors(ctx, h, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.close()) }()
	session, err := connectMCP(ctx, d.url, d.tokens[3])
	if err != nil {
		return err
	}
	defer func() { _ = session.Close() }() // the hub goes with it
	w := wayMeasure{bench: b, doors: d, http: client.New(d.url, d.tokens[2]), session: session}
	defer w.http.Close()
	return w.run(ctx)
}

// wayMeasure is the samples of each way.
type wayMeasure struct {
	*bench
	*doors
	http    *client.Client
	session *mcp.ClientSession
	samples [3][]sample // direct, HTTP, MCP
}

func (w *wayMeasure) run(ctx context.Context) error {
	ways, names := []operation{w.direct, w.overHTTP, w.overMCP}, []string{"doors.direct", doorHTTP, doorMCP}
	for round := range w.plan.rounds + 1 { // the first is for getting used to it
		for i, op := range ways {
			taken, err := w.profile.measure(ctx, names[i], 1, w.plan.slice, op)
			if err != nil {
				return err
			}
			if round > 0 {
				w.samples[i] = append(w.samples[i], taken)
			}
		}
	}
	for i, name := range []string{doorHTTP, doorMCP} {
		if !w.wanted.has(name) {
			continue
		}
		l := lineOf(name, 1, w.samples[1+i])
		l.Direct, l.Through = inMicros(middle(w.samples[0]).p50), l.P50
		// The slowest of two kinds cannot be subtracted.
		l.P50, l.P99 = w.added(1+i, func(s sample) time.Duration { return s.p50 }), 0
		l.AddedCPU = w.added(1+i, func(s sample) time.Duration { return s.cpu })
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
		list = append(list, of(s)-of(w.samples[0][i]))
	}
	return inMicros(medianOf(list))
}

func medianOf(list []time.Duration) time.Duration {
	return time.Duration(median(list, func(d time.Duration) float64 { return float64(d) }))
}

func (w *wayMeasure) target(r *rand.Rand) string {
	return w.members[len(w.members)-1-r.IntN(wayAgents)].Name
}

func (w *wayMeasure) direct(ctx context.Context, _ int, r *rand.Rand) error {
	a, err := w.Contacts.Ask(ctx, access.Caller{Team: w.team.ID, Agent: w.ids[1]}, contact.Request{Target: w.target(r), Message: body(r)})
	return orOther(err, a.Text == "ok", a.Text)
}

func (w *wayMeasure) overHTTP(ctx context.Context, _ int, r *rand.Rand) error {
	c, err := w.http.Contact(ctx, api.ContactRequest{Action: ask, Agent: w.target(r), Message: body(r), Wait: resultLimit.Seconds()})
	if err != nil {
		return err
	}
	return orOther(nil, c.Task.Result == "ok", c.Task.Result)
}

func (w *wayMeasure) overMCP(ctx context.Context, _ int, r *rand.Rand) error {
	res, err := w.session.CallTool(ctx, &mcp.CallToolParams{Name: "contact_agent",
		Arguments: map[string]any{"action": ask, "agentId": w.target(r), "message": body(r)}})
	if err != nil {
		return err
	}
	text := textOf(res)
	return orOther(nil, !res.IsError && strings.Contains(text, "ok"), text)
}

func orOther(err error, right bool, text string) error {
	if err == nil && !right {
		return fmt.Errorf("an ask was answered %q", text)
	}
	return err
}
