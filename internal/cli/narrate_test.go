package cli

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"parley/api"
	"parley/client"
)

// A task ends before any of its steps has come by the stream. All of its calls are told
// all the same, each once, oldest first.
func TestCallsOfAQuickTaskAreTold(t *testing.T) {
	hub := http.NewServeMux()
	hub.HandleFunc("GET /v1/steps/stream", func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	hub.HandleFunc("GET /v1/tasks/task-101/wait", func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, `{"id":"task-101","agent":"Lead","state":"completed","ended":"2026-11-16T12:00:00Z"}`)
	})
	hub.HandleFunc("GET /v1/steps", func(w http.ResponseWriter, r *http.Request) {
		if r.FormValue("task") != "task-101" || r.FormValue("tree") != "true" {
			t.Errorf("it reads %s", r.URL)
		}
		page := `{"before":"5","steps":[{"id":"c","kind":"call","agent":"Lead","line":"runs true"},{"id":"d","kind":"end","agent":"Lead","line":"ends"}]}`
		if r.FormValue("before") == "5" {
			page = `{"steps":[{"id":"a","kind":"reply","agent":"Lead","line":"says: x"},{"id":"b","kind":"call","agent":"Helper","line":"reads a.txt"}]}`
		}
		_, _ = io.WriteString(w, page)
	})
	server := httptest.NewServer(hub)
	defer server.Close()
	to := client.New(server.URL, "parley_x")
	defer to.Close()
	var stderr bytes.Buffer
	c := &console{out: io.Discard, err: &stderr, getenv: func(string) string { return "" }, now: time.Now}
	if _, err := c.await(t.Context(), to, api.Task{ID: "task-101", Agent: "Lead"}, time.Minute); err != nil {
		t.Fatal(err)
	}
	if got, want := stderr.String(), "Helper reads a.txt\nLead runs true\n"; got != want {
		t.Errorf("it says\n%s\nwant\n%s", got, want)
	}
}

// A wait is told once, and not beside the step that says the same.
func TestWaitsAreToldOnce(t *testing.T) {
	tree := api.TaskTree{Task: api.Task{ID: "task-1", Agent: "Runner", State: "waiting", WaitsFor: "approval: approval-1"}, Children: []api.TaskTree{
		{Task: api.Task{ID: "task-2", Agent: "Writer", State: "waiting", WaitsFor: "provider: lab", Waiting: "waiting for lab, 40 s"}}}}
	lines, told := newWaits(tree, nil)
	if want := []string{"Writer waiting for lab, 40 s"}; !slices.Equal(lines, want) {
		t.Errorf("it says %q, want %q", lines, want)
	}
	tree.Children[0].Waiting = "waiting for lab, 30 s"
	if lines, _ = newWaits(tree, told); len(lines) > 0 {
		t.Errorf("it says again %q", lines)
	}
}
