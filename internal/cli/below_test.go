package cli

import (
	"slices"
	"testing"
	"time"

	"parley/api"
	"parley/internal/cli/view"
)

func TestWhoWorksBelowIsShown(t *testing.T) {
	now := time.Date(2026, 11, 16, 12, 0, 0, 0, time.UTC)
	since := func(d time.Duration) *time.Time { at := now.Add(-d); return &at }
	s := view.Screen{Now: now, Width: 40}
	tree := api.TaskTree{Task: api.Task{ID: "task-1", Agent: "lead", State: "waiting"}, Children: []api.TaskTree{
		{Task: api.Task{ID: "task-2", Agent: "reader", State: "running", Now: "reads main.go", NowSince: since(time.Second)}},
		{Task: api.Task{ID: "task-3", Agent: "writer", State: "running", Now: "runs go test ./…\x1b[2J", NowSince: since(12 * time.Second)}},
		{Task: api.Task{ID: "task-4", Agent: "scribe", State: "completed", Now: "reads main.go"}},
		{Task: api.Task{ID: "task-5", Agent: "tester", State: "waiting", WaitsFor: "approval: approval-7"}},
		{Task: api.Task{ID: "task-6", Agent: "talker", State: "running", Now: "says a very long thing that does not fit"}},
	}}
	want := []string{"  reader reads main.go", "  writer runs go test ./…\uFFFD[2J 12s", "  tester waits for approval-7", "  talker says a very long thing that d…"}
	if got := below(s, tree); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	for range 2 * mostBelow {
		tree.Children = append(tree.Children, tree.Children[0])
	}
	if got := below(s, tree); len(got) != mostBelow+1 || got[mostBelow] != "  12 more tasks" {
		t.Errorf("%q", got)
	}
}
