package turn

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/internal/live"
	"parley/internal/model"
	"parley/internal/store"
	"parley/internal/store/memtest"
	"parley/internal/tool"
)

// rig is a task in memory and a turn on it that is run by hand, one thing at a
// time.
type rig struct {
	*testing.T
	store *memtest.Store
	run   *run
	task  parley.Task
}

// quiet is everything around a turn that says nothing.
type quiet struct{}

func (quiet) Release()                                                 {}
func (quiet) Acquire(context.Context) error                            { return nil }
func (quiet) Permit(context.Context, parley.Lease, string, bool) error { return nil }
func (quiet) AskManager(context.Context, parley.Lease) error           { return nil }
func (quiet) Paused(parley.TeamID) bool                                { return false }
func (quiet) Definition(parley.AgentID) (Agent, bool)                  { return Agent{}, false }
func (quiet) Name(parley.AgentID) string                               { return "" }
func (quiet) Step(context.Context, model.Request, func(model.Delta)) (model.Reply, error) {
	return model.Reply{Text: "A topic"}, nil
}

func newRig(t *testing.T) *rig {
	t.Helper()
	r := &rig{T: t, store: memtest.Open(t)}
	pat, ann := parley.Agent{Name: "Pat", Kind: parley.Person}, parley.Agent{Name: "Ann", Kind: parley.Native, Turns: 3}
	team := r.store.Team("main", &pat, &ann)
	r.store.Do(func(tx *store.Tx) error {
		dm, err := tx.EnsureDM(team, pat.ID, ann.ID)
		if err != nil {
			return err
		}
		r.task = parley.Task{ID: tx.NewTaskID(), Team: team, Requester: pat.ID, Agent: ann.ID, Thread: dm.Main, Pattern: parley.Delegate,
			State: parley.Running, Worker: 1, Token: 1}
		r.task.Root, r.task.Budget = r.task.ID, r.task.ID
		m := parley.Message{Team: team, Thread: dm.Main, Author: pat.ID, Kind: parley.DelegateMessage, Body: "Begin.", Task: r.task.ID}
		if err := tx.Post(&m, store.Recipient{ID: ann.ID}); err != nil {
			return err
		}
		r.task.Request = m.ID
		tx.InsertTask(&r.task)
		tx.InsertBudget(&parley.TreeBudget{Root: r.task.ID, Team: team, Limit: parley.Budget{Tokens: 1 << 40, Tasks: 1}, Tasks: 1})
		return nil
	})
	runner := &Runner{Store: r.store, Agents: quiet{}, Rules: quiet{}, Pauses: quiet{}, Log: slog.New(slog.DiscardHandler), Live: &live.Fan{}}
	r.run = &run{Runner: runner, agent: Agent{Name: "Ann", Model: quiet{}, Limits: new(parley.DefaultLimits())}, lease: r.task.Lease(),
		slot: newMeter(quiet{}), names: names{Agents: quiet{}}}
	if err := r.run.takeUp(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	return r
}

// deeds are all that a turn does to what is stored besides its end. Each works
// under the lease, so that a refusal without it is no accident.
var deeds = []struct {
	name string
	do   func(r *rig) error
}{
	{"stores a step", func(r *rig) error {
		return r.run.storeSteps(r.Context(), draft{content: replyStep{}})
	}},
	{"stores its prompt", func(r *rig) error { return r.run.storeSteps(r.Context(), draft{content: r.run.prompt}) }},
	{"stores what it put off", func(r *rig) error {
		if err := r.run.putOff(nil, draft{content: r.run.replyStep(model.Reply{})}); err != nil {
			return err
		}
		return r.run.flush(r.Context())
	}},
	{"stores what it put off beside a contact", func(r *rig) error {
		if err := r.run.putOff(nil, draft{content: r.run.replyStep(model.Reply{})}); err != nil {
			return err
		}
		return r.store.Update(r.Context(), func(tx *store.Tx) error {
			tasks, err := tx.LockTasks(r.task.ID)
			if err != nil {
				return err
			}
			return beside{r.run}.Store(tx, &tasks[0])
		})
	}},
	{"stores a result", func(r *rig) error {
		return r.run.storeResult(r.Context(), model.Call{ID: "a", Name: "look"}, tool.Result{Text: "Seen."}, nil)
	}},
	{"holds a call", func(r *rig) error {
		return r.run.hold(r.Context(), model.Call{ID: "a", Name: "shell", Args: json.RawMessage(`{}`)}, &parley.NeedsApproval{Rule: "ask"}, false)
	}},
	{"parks", func(r *rig) error {
		r.run.awaited = []parley.TaskID{r.task.ID}
		_, err := r.run.park(r.Context())
		return err
	}},
	{"reserves", func(r *rig) error { return r.run.reserve(r.Context()) }},
	{"waits for more tasks", func(r *rig) error {
		if err := r.run.awaitTasks(r.Context(), 1); !errors.Is(err, errParked) {
			return err
		}
		return nil
	}},
	{"consults its model", func(r *rig) error {
		_, err := r.run.consult(r.Context(), model.Request{})
		return err
	}},
	{"puts something away", func(r *rig) error {
		return r.run.storeOffload(r.Context(), offloadStep{Past: 1}, []parley.KeptMessage{{Role: "user", Text: "Once upon a time."}})
	}},
}

// Everything that a turn stores it stores under its lease: one that has lost it,
// and does not know, changes nothing, whoever has the task by now.
func TestATurnWithoutItsLeaseStoresNothing(t *testing.T) {
	taken := map[string]func(*parley.Task){
		"another worker has it": func(t *parley.Task) { t.Worker, t.Token = 2, 2 },
		"it is queued":          func(t *parley.Task) { t.State, t.Worker = parley.Queued, 0 },
		"it waits":              func(t *parley.Task) { t.State, t.Worker = parley.Waiting, 0 },
		"it was cancelled":      func(t *parley.Task) { t.State, t.Worker = parley.Cancelled, 0 },
	}
	for _, deed := range deeds {
		t.Run(deed.name, func(t *testing.T) {
			r := newRig(t)
			before := r.store.Rows()
			if err := deed.do(r); err != nil {
				t.Fatalf("with the lease: %v", err)
			}
			if cmp.Equal(before, r.store.Rows()) {
				t.Error("with the lease nothing changes either")
			}
		})
		for name, take := range taken {
			t.Run(deed.name+", but "+name, func(t *testing.T) {
				r := newRig(t)
				r.store.Change(r.task.ID, take)
				before := r.store.Rows()
				if err := deed.do(r); !errors.Is(err, parley.ErrLost) {
					t.Errorf("not told: %v", err)
				}
				if diff := cmp.Diff(before, r.store.Rows()); diff != "" {
					t.Errorf("changed:\n%s", diff)
				}
			})
		}
	}
}

// What has come for a task is taken in after the last result of a reply, when the
// model is about to be asked again, and not between two.
func TestWhatHasComeIsTakenInAfterTheLastResult(t *testing.T) {
	two := []pendingCall{{Call: model.Call{ID: "a"}}, {Call: model.Call{ID: "b"}}}
	for _, c := range []struct {
		name    string
		pending []pendingCall
		drafts  []draft
		want    bool
	}{
		{"the first of two results", two, []draft{{content: result{}}}, false},
		{"the last result", two[1:], []draft{{content: result{}}}, true},
		{"both results at once", two, []draft{{content: result{}}, {content: result{}}}, true},
		{"a call begins", two[1:], []draft{{content: started{}}}, false},
		{"a reply", nil, []draft{{content: replyStep{}}}, false},
		{"what was put off", nil, nil, false},
	} {
		r := transcript{pending: c.pending}
		if got := r.takesIn(c.drafts); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

// A turn that goes on after a reply that could not be used is the same turn, and
// knows how many there were.
func TestAReplyThatCouldNotBeUsedIsPartOfItsTurn(t *testing.T) {
	r := newRig(t)
	for n := range 2 {
		reply := r.run.replyStep(model.Reply{Text: "{", Rejected: "FORMAT ERROR: it ends too soon."})
		if err := r.run.storeSteps(t.Context(), draft{content: reply}); err != nil {
			t.Fatal(n, err)
		}
	}
	again := &run{Runner: r.run.Runner, agent: r.run.agent, lease: r.run.lease, slot: newMeter(quiet{}), names: r.run.names}
	if err := again.takeUp(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if c := again.count(nil); !again.underWay || again.turn != 1 || c.replies != 2 || c.failures != 2 {
		t.Errorf("under way %v, turn %d, %d replies, %d failures", again.underWay, again.turn, c.replies, c.failures)
	}
}
