package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync/atomic"

	"parley/api"
	"parley/client"
	"parley/internal/model"
	"parley/internal/store"
)

// An ask within an ask, as a program outside sees it: a client asks an agent over HTTP,
// that agent asks another one, and both answer at once. Each caller has its own client
// and its own two agents.

// nestedCallers are the numbers of callers.
var nestedCallers = []int{32, 1}

func nestedName(callers int) string { return fmt.Sprintf("doors.nested.%d", callers) }

func nestedNames() (names []string) {
	for _, callers := range nestedCallers {
		names = append(names, nestedName(callers))
	}
	return names
}

func (b *bench) nested(ctx context.Context) (err error) {
	if !b.wanted.any(nestedNames()) {
		return nil
	}
	b.say("doors: asks within asks over HTTP")
	st, err := openStore(ctx, engineSQLite, filepath.Join(b.dir, "nested.db"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	counted := &countedStore{Store: st}
	most := nestedCallers[0]
	h, err := start(ctx, counted, newCrew(plan{natives: 2 * most, clients: most}, 0, passesOn{}))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.end()) }()
	d, err := openDoors(ctx, h, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.close()) }()
	n := nestedMeasure{bench: b, doors: d, store: counted, samples: make([][]sample, len(nestedCallers)), commits: make([]float64, len(nestedCallers))}
	for i := range most {
		n.clients = append(n.clients, client.New(d.url, d.tokens[1+i]))
		defer n.clients[i].Close()
	}
	return n.run(ctx)
}

// nestedMeasure is the samples by each number of callers, and the transactions that
// an ask took in the last round.
type nestedMeasure struct {
	*bench
	*doors
	store   *countedStore
	clients []*client.Client
	samples [][]sample
	commits []float64
}

func (n *nestedMeasure) run(ctx context.Context) error {
	for round := range n.plan.rounds + 1 { // the first is for getting used to it
		for i, callers := range nestedCallers {
			before := n.store.commits.Load()
			taken, err := n.profile.measure(ctx, nestedName(callers), callers, n.plan.slice, n.once)
			if err != nil {
				return err
			}
			if round > 0 {
				n.samples[i] = append(n.samples[i], taken)
				n.commits[i] = float64(n.store.commits.Load()-before) / float64(taken.ops)
			}
		}
	}
	for i, callers := range nestedCallers {
		l := lineOf(nestedName(callers), callers, n.samples[i])
		l.Transactions = round(n.commits[i], 2)
		if !n.wanted.has(l.Name) {
			continue
		}
		if err := n.report.add(l); err != nil {
			return err
		}
	}
	return nil
}

func (n *nestedMeasure) once(ctx context.Context, caller int, r *rand.Rand) error {
	first := n.members[1+n.running.clients+2*caller].Name
	c, err := n.clients[caller].Contact(ctx, api.ContactRequest{Action: ask, Agent: first, Message: body(r), Wait: resultLimit.Seconds()})
	if err != nil {
		return err
	}
	return orOther(nil, c.Task.Result == "ok", c.Task.Result)
}

// passesOn is a model that takes no time. Every second agent asks the next one and then
// says ok; the others say ok at once.
type passesOn struct{}

func (passesOn) Step(_ context.Context, r model.Request, _ func(model.Delta)) (model.Reply, error) {
	var number int
	if _, err := fmt.Sscanf(strings.TrimPrefix(r.Agent, "agent-"), "%d", &number); err != nil {
		return model.Reply{}, err
	}
	usage := model.Usage{Input: 1, Output: 1}
	if number%2 == 1 || r.Messages[len(r.Messages)-1].Role == model.ToolResult {
		return model.Reply{Text: "ok", Usage: usage}, nil
	}
	args, err := json.Marshal(map[string]string{"action": ask, "agentId": fmt.Sprintf("agent-%04d", number+1), "message": "Is it so?"})
	return model.Reply{Calls: []model.Call{{ID: "call", Name: "contact_agent", Args: args}}, Usage: usage}, err
}

// countedStore counts the transactions that wrote something: with one caller, each is a
// commit of its own.
type countedStore struct {
	store.Store
	commits atomic.Int64
}

func (s *countedStore) Update(ctx context.Context, fn func(*store.Tx) error) error {
	wrote := false
	err := s.Store.Update(ctx, func(tx *store.Tx) error {
		err := fn(tx)
		wrote = tx.Wrote()
		return err
	})
	if err == nil && wrote {
		s.commits.Add(1)
	}
	return err
}
