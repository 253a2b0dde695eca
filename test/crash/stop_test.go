package crash

import (
	"context"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley"
	"parley/api"
	"parley/client"
)

// An orderly stop under load: turns get their grace, what is left is given back
// as if it had never been taken, and nothing counts as a rescue.
func TestSIGTERMUnderLoad(t *testing.T) {
	for _, engine := range engines {
		t.Run(engine.name, func(t *testing.T) {
			g := newGround(t)
			m, open := engine.new(g)
			m.grace = time.Second
			p := g.place("hub", m)
			gate, ledger := newGate(), newLedger()
			_, seed := newRandom(t)
			load := startLoad(gate, ledger, seed, clients)
			defer load.finish(0)
			s := &siege{ground: g, open: func() (database, error) { return open(p) }}

			for range 2 {
				h := g.start(p)
				gate.open(0, h.waitUp())
				enough := ledger.total() + 40
				g.eventually("forty acknowledgements", func(context.Context) (bool, error) { return ledger.total() >= enough, nil })
				h.stop()
				gate.shut(0)
				r := s.look(ledger, always)
				s.checkStopped(r)
			}

			h := g.start(p)
			gate.open(0, h.waitUp())
			if !load.finish(patience) {
				t.Errorf("the clients do not come to an end\n%s", h.lastWords())
			}
			g.settle(h.waitUp())
			h.stop()
			r := s.look(ledger, atRest)
			s.checkStopped(r)
			t.Logf("%d contacts, %d tasks", ledger.total(), len(r.tasks))
		})
	}
}

// checkStopped makes sure that a hub that stopped in order has left nothing to
// take over.
func (s *siege) checkStopped(r *record) {
	s.Helper()
	if r == nil {
		s.FailNow()
		return
	}
	if _, rescues := r.rescues(); rescues > 0 {
		s.Errorf("%d tasks count as rescued after an orderly stop", rescues)
	}
	for _, task := range r.tasks {
		if task.state == parley.Running {
			s.Errorf("task-%d is still held by worker %d after an orderly stop", task.id, task.worker)
		}
	}
	if len(r.workers) > 0 {
		s.Errorf("these hubs are registered after an orderly stop: %v", r.workers)
	}
}

// A doubled SIGTERM asks for the same once more: whatever starts programs may send it
// twice. Ctrl-C after it does not wait for anything. To running work that is a kill,
// and the next hub takes it over as such.
func TestADoubledSIGTERMStaysSoftAndCtrlCStopsAtOnce(t *testing.T) {
	g := newGround(t)
	p := g.place("hub", team{grace: time.Hour, agents: []string{"Idler"}})
	h := g.start(p)
	hub := h.waitUp()
	made := g.contact(hub, api.ContactRequest{Action: "delegate", Agent: "Idler", Message: "Take your time."})
	h.signal(syscall.SIGTERM)
	g.eventually("the hub stops accepting", func(ctx context.Context) (bool, error) {
		_, err := hub.Hub(ctx)
		return err != nil, nil
	})
	if !h.alive() {
		t.Fatal("the hub did not wait for the turn that is under way")
	}
	h.signal(syscall.SIGTERM)
	g.eventually("the hub heard it", func(context.Context) (bool, error) {
		return strings.Contains(h.lastWords(), "Still stopping"), nil
	})
	if !h.alive() {
		t.Fatal("a second SIGTERM ended the turn that is under way")
	}
	h.signal(syscall.SIGINT)
	if code := h.wait(); code == 0 {
		t.Error("the hub ended with code 0, as if everything had come to an end")
	}
	if said := h.lastWords(); !strings.Contains(said, "Stopped at once") {
		t.Errorf("the hub said: %s", said)
	}

	again := g.start(p).waitUp()
	g.eventually("the task goes on", func(ctx context.Context) (bool, error) {
		now, err := again.Task(ctx, made.Task.ID)
		return err == nil && now.State == parley.Running.String() && now.Rescues == 1, err
	})
}

// contact makes a contact that must succeed.
func (g *ground) contact(hub *client.Client, r api.ContactRequest) api.Contact {
	g.Helper()
	made, err := hub.Contact(context.Background(), r)
	if err != nil {
		g.Fatal(err)
	}
	return made
}
