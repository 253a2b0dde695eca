package programs

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"parley"
	"parley/api"
	"parley/client"
)

// loop runs a Loop in this process until the test stops it.
func (h *hub) loop(l client.Loop) (stop func() error) {
	h.t.Helper()
	cancel, wait := h.begin(l)
	return func() error {
		cancel()
		return wait()
	}
}

func (h *hub) begin(l client.Loop) (cancel func(), wait func() error) {
	h.t.Helper()
	if l.Client == nil {
		l.Client = h.agent("Counter")
	}
	if l.Log == nil {
		l.Log = slog.New(slog.NewTextHandler(h.journal, nil))
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- l.Run(ctx) }()
	wait = sync.OnceValue(func() error { return <-ended })
	h.t.Cleanup(func() {
		cancel()
		_ = wait()
	})
	return cancel, wait
}

func TestWhatAHandlerReturnsEndsItsTask(t *testing.T) {
	h := newHub(t)
	stop := h.loop(client.Loop{Handler: func(_ context.Context, w *client.Work) (string, error) {
		switch _, text, _ := strings.Cut(w.Text, "\n\n"); text {
		case "nothing":
			return " \n", nil
		case "error":
			return "half", errors.New("no paper left")
		case "silent error":
			return "", errors.New("")
		case "panic":
			panic("secret")
		case "too long":
			return strings.Repeat("much ", 1<<20), nil
		case "who":
			return w.From + " " + w.Kind, nil
		default:
			return "? " + text, nil
		}
	}})
	for _, c := range []struct{ ask, state, text string }{
		{"who", "completed", "Ada delegate"},
		{"nothing", "completed", "Done."},
		{"error", "failed", "no paper left"},
		{"silent error", "failed", "did not say why"},
		{"panic", "failed", "the program failed"},
		{"too long", "failed", "the hub refused the result"},
		{"who", "completed", "Ada delegate"},
	} {
		state, text := h.result(h.delegate("Counter", c.ask))
		if state != c.state || !strings.Contains(text, c.text) || strings.Contains(text, "secret") {
			t.Errorf("%s: %s %q", c.ask, state, text)
		}
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
}

func TestOnlySoManyTasksAtOnce(t *testing.T) {
	h, pass := newHub(t), make(chan struct{})
	var mu sync.Mutex
	now, most, began := 0, 0, make(chan struct{}, 10)
	h.loop(client.Loop{AtOnce: 2, Handler: func(context.Context, *client.Work) (string, error) {
		mu.Lock()
		now++
		most = max(most, now)
		mu.Unlock()
		began <- struct{}{}
		<-pass
		mu.Lock()
		now--
		mu.Unlock()
		return "ok", nil
	}})
	tasks := h.delegateAll(5)
	<-began
	<-began
	for _, id := range tasks[2:] { // what it has no room for stays at the hub
		if task, err := h.person.Task(t.Context(), id); err != nil || task.State != parley.Queued.String() {
			t.Errorf("%s is %s, %v", id, task.State, err)
		}
	}
	close(pass)
	for _, id := range tasks {
		h.completed(id, "ok")
	}
	if most != 2 {
		t.Errorf("%d at once", most)
	}
}

// Mail counts as seen when the function for it has returned, and not before.
func TestMailIsShownInOrderAndThenSeen(t *testing.T) {
	h := newHub(t)
	var ids []string
	for _, text := range []string{"one", "two", "three"} {
		made, err := h.person.Contact(t.Context(), api.ContactRequest{Action: "notify", Agent: "Counter", Message: text})
		h.must(err)
		ids = append(ids, made.Message)
	}
	state := func(id string) string {
		m, err := h.person.Message(t.Context(), id)
		h.must(err)
		return m.Deliveries[0].State
	}
	shown := make(chan string, 10)
	mail := func(_ context.Context, item api.BatchItem) {
		shown <- item.Message + " " + state(item.Message)
	}
	stop := h.loop(client.Loop{Handler: nil, Mail: mail})
	for _, id := range ids {
		if got, want := <-shown, id+" delivered"; got != want {
			t.Errorf("shown %q, want %q", got, want)
		}
	}
	if err := stop(); err != nil { // which says that the last batch arrived
		t.Error(err)
	}
	for _, id := range ids {
		if got := state(id); got != "seen" {
			t.Errorf("%s is %s", id, got)
		}
	}
	if len(shown) > 0 {
		t.Errorf("shown again: %s", <-shown)
	}
}

// A handler whose task is cancelled hears of it, and the others go on.
func TestACancelledTaskEndsItsHandler(t *testing.T) {
	h := newHub(t)
	began, ended := make(chan string, 2), make(chan string, 2)
	h.loop(client.Loop{Grace: time.Millisecond, Handler: func(ctx context.Context, w *client.Work) (string, error) {
		began <- w.Task
		<-ctx.Done()
		ended <- w.Task
		return "too late", nil
	}})
	tasks := h.delegateAll(2)
	<-began
	<-began
	_, err := h.person.Cancel(t.Context(), tasks[1])
	h.must(err)
	if got := <-ended; got != tasks[1] {
		t.Errorf("%s ended", got)
	}
	if task, err := h.person.Task(t.Context(), tasks[0]); err != nil || task.Ended != nil {
		t.Errorf("the other: %+v, %v", task, err)
	}
}

// A program that stops lets its handlers finish. What is not done in time is handed to the
// next one, at once and whole.
func TestStoppingInOrder(t *testing.T) {
	h := newHub(t)
	began, pass := make(chan string, 2), make(chan struct{})
	cancel, wait := h.begin(client.Loop{Grace: patience, Handler: func(_ context.Context, w *client.Work) (string, error) {
		began <- w.Task
		<-pass
		return "in the grace", nil
	}})
	task := h.delegateAll(1)[0]
	<-began
	cancel()
	close(pass)
	h.must(wait())
	h.completed(task, "in the grace")

	stop := h.loop(client.Loop{Grace: time.Millisecond, Handler: func(ctx context.Context, w *client.Work) (string, error) {
		began <- w.Task
		<-ctx.Done()
		return "", ctx.Err()
	}})
	task = h.delegateAll(1)[0]
	<-began
	h.must(stop())
	texts := make(chan *client.Work, 1)
	h.loop(client.Loop{Handler: func(_ context.Context, w *client.Work) (string, error) {
		texts <- w
		return "after the restart", nil
	}})
	h.completed(task, "after the restart")
	if w := <-texts; !w.Again || !strings.HasPrefix(w.Text, "[Agent Request from Ada | Pattern: delegate") || !strings.HasSuffix(w.Text, "Count.") {
		t.Errorf("handed out again as %+v", w.BatchItem)
	}
}

// A handler may hand work on and return: its task ends after what it delegated.
func TestATaskEndsAfterItsSubtasks(t *testing.T) {
	h := newHub(t)
	helper := h.agent("Helper")
	h.loop(client.Loop{Handler: func(ctx context.Context, w *client.Work) (string, error) {
		sub, err := w.Delegate(ctx, "Helper", "Help.")
		return "handed on as " + sub, err
	}})
	task := h.delegateAll(1)[0]
	b, err := helper.Receive(t.Context(), client.Fetch{Wait: patience})
	h.must(err)
	sub := b.Items[0].Task
	if got, err := h.person.Task(t.Context(), task); err != nil || got.Ended != nil {
		t.Fatalf("%+v, %v", got, err)
	}
	_, err = helper.Complete(t.Context(), sub, "Helped.")
	h.must(err)
	h.completed(task, "handed on as "+sub)
	if calls := h.count(task); !slices.Equal(calls, []string{sub}) {
		t.Errorf("it delegated %v", calls)
	}
}

func (h *hub) count(task string) (below []string) {
	tree, err := h.person.Tree(h.t.Context(), task)
	h.must(err)
	for _, c := range tree.Children {
		below = append(below, c.ID)
	}
	return below
}

func TestFromEnv(t *testing.T) {
	t.Setenv(client.EnvToken, "")
	if _, err := client.FromEnv(); parley.KindOf(err) != parley.Unauthentic || !strings.Contains(err.Error(), "parley token create") {
		t.Errorf("without a token: %v", err)
	}
	t.Setenv(client.EnvToken, "parley_x")
	t.Setenv(client.EnvURL, "")
	c, err := client.FromEnv()
	if err != nil || c.Address() != "http://127.0.0.1:7420" {
		t.Errorf("on this machine: %v, %v", c.Address(), err)
	}
	t.Setenv(client.EnvURL, "http://127.0.0.1:1/")
	if c, err = client.FromEnv(); err != nil || c.Address() != "http://127.0.0.1:1" {
		t.Errorf("elsewhere: %v, %v", c.Address(), err)
	}
}
