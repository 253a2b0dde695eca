package cli

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"parley/api"
	"parley/client"
)

// A hub returns a limited number of tasks at once. A list that was cut off there
// must not look complete.
func TestAListThatTheHubCutOffSaysSo(t *testing.T) {
	const atOnce = "There may be older ones; the hub lists 1000 tasks at once."
	const asked = "There are older ones; --all and --limit show more."
	for _, c := range []struct {
		name         string
		tasks, roots int
		query        tasksQuery
		trees        int
		more         string
	}{
		{"all of them", 3, 3, tasksQuery{all: true}, 3, ""},
		{"as many as asked for", 10, 10, tasksQuery{limit: 10}, 10, ""},
		{"more than asked for", 30, 30, tasksQuery{limit: 10}, 10, asked},
		{"many open ones of few trees", 5000, 2, tasksQuery{open: true, limit: 10}, 2, atOnce},
		{"many open ones of many trees", 5000, 50, tasksQuery{open: true, limit: 10}, 10, asked},
		{"more than the hub gives", 5000, 5000, tasksQuery{all: true}, 1000, atOnce},
		{"the longest list", 5000, 5000, tasksQuery{limit: 1000}, 1000, atOnce},
	} {
		t.Run(c.name, func(t *testing.T) {
			hub := client.New(listing(t, c.tasks, c.roots), "parley_secret")
			defer hub.Close()
			trees, more, err := findTrees(t.Context(), hub, c.query)
			if err != nil || len(trees) != c.trees || more != c.more {
				t.Errorf("%d trees, %q, %v", len(trees), more, err)
			}
		})
	}
}

// listing is a fake hub with so many tasks in so many trees.
func listing(t *testing.T, tasks, roots int) string {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/tasks", func(w http.ResponseWriter, r *http.Request) {
		limit := 0
		_, _ = fmt.Sscan(r.URL.Query().Get("limit"), &limit)
		list := api.TaskList{}
		for i := range min(limit, tasks) {
			list.Tasks = append(list.Tasks, api.Task{ID: fmt.Sprintf("task-%d", i), Root: fmt.Sprintf("task-%d", i%roots)})
		}
		_ = json.NewEncoder(w).Encode(list)
	})
	mux.HandleFunc("GET /v1/tasks/{id}/tree", func(w http.ResponseWriter, r *http.Request) {
		_ = json.NewEncoder(w).Encode(api.TaskTree{Task: api.Task{ID: r.PathValue("id")}})
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s.URL
}
