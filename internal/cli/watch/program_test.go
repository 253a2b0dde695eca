package watch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"testing"
	"time"

	"parley/api"
)

// run starts the program on a pipe instead of a terminal.
func run(ctx context.Context, h *fakeHub) (keys io.WriteCloser, done chan error) {
	in, keys := io.Pipe()
	done = make(chan error, 1)
	go func() {
		done <- Run(ctx, Config{Dial: h.dial, In: in, Out: new(bytes.Buffer), Zone: time.UTC, Now: time.Now})
	}()
	return keys, done
}

// TestMain looks for goroutines that are left.
func TestLeaving(t *testing.T) {
	h := newFakeHub()
	keys, done := run(t.Context(), h)
	if _, err := keys.Write([]byte("q")); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Errorf("q: %v", err)
	}
	_ = keys.Close()
}

func TestEndedFromOutside(t *testing.T) {
	stop := errors.New("stop")
	ctx, cancel := context.WithCancelCause(t.Context())
	keys, done := run(ctx, newFakeHub())
	cancel(stop)
	if err := <-done; !errors.Is(err, stop) {
		t.Errorf("got %v", err)
	}
	_ = keys.Close()
}

// BenchmarkStorm is what one pace of a storm costs: 80 steps, a look at a team of 2,000
// agents, and the screen.
func BenchmarkStorm(b *testing.B) {
	snap := Snapshot{Team: "orchard", You: "ada", At: noon}
	for i := range 2000 {
		snap.Agents = append(snap.Agents, api.Agent{Name: fmt.Sprintf("agent-%d", i), Kind: "native", Status: statuses[i%len(statuses)], Now: "runs go test ./…"})
	}
	for i := range manyTasks {
		snap.Tasks = append(snap.Tasks, api.Task{ID: fmt.Sprintf("task-%d", i), Parent: fmt.Sprintf("task-%d", i/3-1), Agent: "agent-1", Title: "Write the page.", Created: noon})
	}
	s := New(noon, time.UTC, true, false)
	n := 0
	for b.Loop() {
		for range 80 {
			n++
			s, _ = Update(s, Stepped{api.Step{ID: fmt.Sprint(n), Kind: api.StepReply, Agent: "agent-7", Line: "says what is in it", Text: fmt.Sprint("what is in it ", n), At: noon}})
		}
		s, _ = Update(s, snap)
		Render(s, 200, 60)
	}
}
