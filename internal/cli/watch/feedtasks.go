package watch

import (
	"context"

	"parley"
	"parley/api"
	"parley/client"
	"parley/internal/cli/view"
)

// tasks are the open ones and those that have just ended, each with all that it is below.
func (f *feeder) tasks(ctx context.Context, hub Hub) ([]api.Task, error) {
	list, err := hub.Tasks(ctx, client.TaskFilter{Open: true, Limit: manyTasks})
	if err != nil {
		return nil, err
	}
	recent, err := hub.Tasks(ctx, client.TaskFilter{Limit: manyEnded})
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for _, t := range list {
		seen[t.ID] = true
	}
	for _, t := range recent {
		if !seen[t.ID] {
			seen[t.ID] = true
			list = append(list, t)
		}
	}
	above := map[string]api.Task{}
	for i := 0; i < len(list); i++ { // it grows: what is above has something above it too
		parent := list[i].Parent
		if parent == "" || seen[parent] {
			continue
		}
		seen[parent] = true
		t, known := f.above[parent]
		if !known {
			if t, err = hub.Task(ctx, parent); parley.KindOf(err) == parley.NotFound {
				t = api.Task{} // it was removed
			} else if err != nil {
				return nil, err
			}
		}
		if t.ID == "" || view.Ended(t) { // and stays as it is
			above[parent] = t
		}
		if t.ID != "" {
			list = append(list, t)
		}
	}
	f.above = above
	return list, nil
}
