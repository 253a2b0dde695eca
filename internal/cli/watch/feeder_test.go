package watch

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"parley"
	"parley/api"
	"parley/client"
	"parley/internal/bubbletest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fakeHub is a hub in memory whose process can be ended and started again. What is not
// overridden here is not used by the feeder.
type fakeHub struct {
	unused

	mu       sync.Mutex
	up       bool
	events   []api.Event
	steps    []api.Step
	agents   []api.Agent
	mine     []api.Task
	changed  chan struct{}
	dialled  int
	closed   int
	listed   int
	messages int
	tasks    []api.Task
	looked   int           // how often a single task was read
	far      time.Duration // how long it takes to read a message
}

type unused = interface{ Hub }

func newFakeHub() *fakeHub { return &fakeHub{up: true, changed: make(chan struct{})} }

// change does something at the hub and wakes whoever follows it.
func (h *fakeHub) change(do func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	do()
	close(h.changed)
	h.changed = make(chan struct{})
}

func (h *fakeHub) dial() (Hub, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.up {
		return nil, gone()
	}
	h.dialled++
	return h, nil
}

func gone() error { return parley.Errorf(parley.Unavailable, "No hub runs.") }

func (h *fakeHub) answers() error {
	if !h.up {
		return gone()
	}
	return nil
}

func (h *fakeHub) Hub(context.Context) (api.Hub, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return api.Hub{Team: "orchard", You: "ada"}, h.answers()
}

func (h *fakeHub) AgentList(context.Context) (api.AgentList, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.listed++
	return api.AgentList{Agents: h.agents}, h.answers()
}

func (h *fakeHub) Tasks(_ context.Context, f client.TaskFilter) (list []api.Task, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, t := range slices.Backward(h.tasks) {
		if len(list) < f.Limit && !(f.Open && t.State == "completed") {
			list = append(list, t)
		}
	}
	return list, h.answers()
}

func (h *fakeHub) Task(_ context.Context, id string) (api.Task, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.looked++
	for _, t := range h.tasks {
		if t.ID == id {
			return t, h.answers()
		}
	}
	return api.Task{}, parley.Errorf(parley.NotFound, "%s not found.", id)
}

func (h *fakeHub) Channels(context.Context) ([]api.Channel, error)              { return nil, nil }
func (h *fakeHub) Approvals(context.Context, bool, int) ([]api.Approval, error) { return nil, nil }
func (h *fakeHub) TeamBudget(context.Context) (api.Spending, error)             { return api.Spending{}, nil }

func (h *fakeHub) MyTasks(context.Context) ([]api.Task, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.mine, h.answers()
}

func (h *fakeHub) Message(ctx context.Context, id string) (api.MessageRecord, error) {
	if h.far > 0 && !pause(ctx, h.far) {
		return api.MessageRecord{}, context.Cause(ctx)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.messages++
	return api.MessageRecord{Message: api.Message{ID: id, Body: "text of " + id}}, h.answers()
}

func (h *fakeHub) Close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed++
}

// since waits until there is more than n of something, and returns it.
func since[T any](ctx context.Context, h *fakeHub, n int, of func() []T) ([]T, error) {
	for {
		h.mu.Lock()
		list, changed, err := of(), h.changed, h.answers()
		h.mu.Unlock()
		if err != nil {
			return nil, err
		}
		if len(list) > n {
			return slices.Clone(list[n:]), nil
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-changed:
		}
	}
}

func (h *fakeHub) Record(ctx context.Context, _ client.EventFilter, cursor string, _ bool) iter.Seq2[api.Event, error] {
	return func(yield func(api.Event, error) bool) {
		n, _ := strconv.Atoi(cursor)
		for {
			list, err := since(ctx, h, n, func() []api.Event { return h.events })
			if err != nil {
				yield(api.Event{}, err)
				return
			}
			for _, e := range list {
				if n++; !yield(e, nil) {
					return
				}
			}
		}
	}
}

func (h *fakeHub) Steps(context.Context, client.StepQuery) (api.StepList, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return api.StepList{Steps: slices.Clone(h.steps)}, h.answers()
}

func (h *fakeHub) FollowSteps(ctx context.Context, q client.StepQuery, take func(api.Step) error) error {
	n, _ := strconv.Atoi(q.Cursor)
	for {
		list, err := since(ctx, h, n, func() []api.Step { return h.steps })
		if err != nil {
			return err
		}
		for _, s := range list {
			n++
			if err := take(s); err != nil {
				return err
			}
		}
	}
}

func (h *fakeHub) say(n int) {
	h.change(func() {
		for range n {
			i := len(h.events) + 1
			h.events = append(h.events, api.Event{Cursor: fmt.Sprint(i), Kind: "task.opened", Detail: "ask", Actor: "a", Target: "b", Message: fmt.Sprintf("msg-%d", i), At: time.Now()})
		}
	})
}

func (h *fakeHub) step(n int) {
	h.change(func() {
		for range n {
			i := len(h.steps) + 1
			h.steps = append(h.steps, api.Step{ID: fmt.Sprint("s", i), Cursor: fmt.Sprint(i), Kind: api.StepReply, Agent: "a", Line: "says something", At: time.Now()})
		}
	})
}

// watched is a feeder whose news go to a state, as on a screen.
type watched struct {
	mu     sync.Mutex
	state  State
	draws  int
	said   []string
	steps  int
	missed int
	lost   bool
}

func (w *watched) take(list []Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.draws++
	for _, e := range list {
		w.state, _ = Update(w.state, e)
		switch e := e.(type) {
		case Said:
			w.said = append(w.said, e.Text)
		case Stepped:
			w.steps++
		case Missed:
			w.missed += e.N
		case Lost:
			w.lost = true
		case Back:
			w.lost = false
		}
	}
}

// look gives a copy of what was seen so far.
func (w *watched) look() (said []string, steps, missed, draws int, lost bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.said), w.steps, w.missed, w.draws, w.lost
}

func follow(t *testing.T, h *fakeHub) *watched {
	ctx, cancel := context.WithCancel(t.Context())
	f := newFeeder(h.dial, time.Now)
	w := &watched{state: New(time.Now(), time.UTC, false, false)}
	var all sync.WaitGroup
	all.Go(func() { f.run(ctx) })
	all.Go(func() {
		for list := f.next(ctx); list != nil; list = f.next(ctx) {
			w.take(list)
		}
	})
	t.Cleanup(func() { cancel(); all.Wait() })
	return w
}

// The hub ends and is started again. The screen says so, and then shows everything
// that happened, once.
func TestItGoesOnAfterARestart(t *testing.T) {
	bubbletest.Test(t, func(t *testing.T) {
		h := newFakeHub()
		h.say(2)
		h.step(1)
		w := follow(t, h)
		time.Sleep(time.Minute)
		h.say(1)
		time.Sleep(time.Second)
		h.change(func() { h.up = false })
		time.Sleep(10 * time.Second)
		if _, _, _, _, lost := w.look(); !lost {
			t.Error("it does not say that the connection is lost")
		}
		// What happens before the hub is found again.
		h.say(1)
		h.step(2)
		h.change(func() { h.up = true })
		time.Sleep(10 * time.Second)
		said, steps, missed, _, lost := w.look()
		if want := []string{"text of msg-1", "text of msg-2", "text of msg-3", "text of msg-4"}; !slices.Equal(said, want) {
			t.Errorf("it showed %q, want %q", said, want)
		}
		if steps != 3 || missed != 0 || lost {
			t.Errorf("%d steps, %d missed, lost: %v", steps, missed, lost)
		}
		h.mu.Lock()
		defer h.mu.Unlock()
		if h.closed != h.dialled-1 {
			t.Errorf("%d connections, %d closed", h.dialled, h.closed)
		}
	})
}

// A storm of steps reaches the screen a few times a second, and what is too much is
// counted, not kept.
func TestAStorm(t *testing.T) {
	bubbletest.Test(t, func(t *testing.T) {
		h := newFakeHub()
		h.agents = make([]api.Agent, 2000)
		w := follow(t, h)
		time.Sleep(time.Second)
		_, _, _, before, _ := w.look()
		const seconds = 5
		for range seconds * 1000 {
			h.step(1)
			time.Sleep(time.Millisecond)
		}
		_, steps, missed, draws, _ := w.look()
		if draws -= before; draws > seconds*15 {
			t.Errorf("%d draws in %d seconds", draws, seconds)
		}
		if n := steps + missed; n < seconds*1000-most || n > seconds*1000 {
			t.Errorf("%d steps and %d missed, of %d", steps, missed, seconds*1000)
		}
		h.mu.Lock()
		defer h.mu.Unlock()
		if h.listed > seconds*4 {
			t.Errorf("the agents were read %d times in %d seconds", h.listed, seconds)
		}
	})
}

// A burst that the screen cannot take is cut, and the messages in it are not fetched
// one by one.
func TestABurst(t *testing.T) {
	bubbletest.Test(t, func(t *testing.T) {
		h := newFakeHub()
		w := follow(t, h)
		time.Sleep(time.Second)
		h.say(20_000)
		time.Sleep(time.Minute)
		said, _, missed, _, _ := w.look()
		if len(said)+missed != 20_000 || len(said) > most {
			t.Errorf("%d shown and %d missed", len(said), missed)
		}
		h.mu.Lock()
		defer h.mu.Unlock()
		if h.messages > most {
			t.Errorf("%d messages were fetched", h.messages)
		}
	})
}

// The text of a question is fetched once, not with every look at the team.
func TestAQuestionIsReadOnce(t *testing.T) {
	bubbletest.Test(t, func(t *testing.T) {
		h := newFakeHub()
		h.mine = []api.Task{{ID: "task-1", Request: "msg-1"}}
		w := follow(t, h)
		time.Sleep(time.Minute)
		w.mu.Lock()
		if len(w.state.waiting) != 1 || w.state.waiting[0].text != "text of msg-1" {
			t.Errorf("it shows %+v", w.state.waiting)
		}
		w.mu.Unlock()
		h.mu.Lock()
		defer h.mu.Unlock()
		if h.messages != 1 || h.listed < 20 {
			t.Errorf("%d messages in %d looks", h.messages, h.listed)
		}
	})
}

// A team with a history: what was said before the screen was opened has its words,
// although as many steps come with it.
func TestTheHistoryHasItsWords(t *testing.T) {
	bubbletest.Test(t, func(t *testing.T) {
		h := newFakeHub()
		h.far = time.Millisecond
		h.step(history)
		h.say(history)
		w := follow(t, h)
		time.Sleep(time.Minute)
		said, steps, _, _, _ := w.look()
		if len(said) != history || steps != history {
			t.Fatalf("%d said, %d steps", len(said), steps)
		}
		if i := slices.Index(said, ""); i >= 0 {
			t.Errorf("message %d has no text", i+1)
		}
	})
}

// Of a large tree that has ended only the newest tasks are read, and yet each stands
// below its own parent. What has ended is not read again.
func TestTheChildrenOfAnEndedTreeStandBelowIt(t *testing.T) {
	bubbletest.Test(t, func(t *testing.T) {
		h := newFakeHub()
		task := func(id, parent string) {
			h.tasks = append(h.tasks, api.Task{ID: id, Parent: parent, Agent: "a", State: "completed", Ended: &noon})
		}
		task("task-1", "")
		task("task-2", "task-1")
		for i := range 2 * manyEnded {
			task(fmt.Sprintf("task-%d", 3+i), "task-2")
		}
		task("task-99", "task-gone")
		w := follow(t, h)
		time.Sleep(time.Minute)
		w.mu.Lock()
		var roots []string
		for _, row := range w.state.tasks {
			if row.trunk == "" {
				roots = append(roots, row.ID)
			}
		}
		if want := []string{"task-99", "task-1"}; !slices.Equal(roots, want) || len(w.state.tasks) != manyEnded+2 {
			t.Errorf("%d tasks, and %v begin a tree, want %v", len(w.state.tasks), roots, want)
		}
		w.mu.Unlock()
		h.mu.Lock()
		defer h.mu.Unlock()
		if looks := h.listed; h.looked != 3 || looks < 20 {
			t.Errorf("%d tasks were read one by one in %d looks", h.looked, looks)
		}
	})
}
