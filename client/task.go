package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"parley/api"
)

// TaskFilter picks tasks for a list.
type TaskFilter struct {
	Agent string // who works on them; empty for anyone
	Open  bool   // only those that have not ended
	Roots bool   // only those at the top of a tree
	Limit int    // the hub's default if 0
}

// Tasks lists tasks without their results, newest first.
func (c *Client) Tasks(ctx context.Context, f TaskFilter) ([]api.Task, error) {
	query := url.Values{}
	if f.Agent != "" {
		query.Set("agent", f.Agent)
	}
	if f.Open {
		query.Set("open", "true")
	}
	if f.Roots {
		query.Set("roots", "true")
	}
	setLimit(query, f.Limit)
	var out api.TaskList
	err := c.get(ctx, "/v1/tasks", query, &out)
	return out.Tasks, err
}

// Task reads one task with its result.
func (c *Client) Task(ctx context.Context, id string) (api.Task, error) {
	var out api.Task
	err := c.get(ctx, taskPath(id, ""), nil, &out)
	return out, err
}

// Tree reads a task with everything below it, without the results.
func (c *Client) Tree(ctx context.Context, id string) (api.TaskTree, error) {
	var out api.TaskTree
	err := c.get(ctx, taskPath(id, "/tree"), nil, &out)
	return out, err
}

// Trace reads the arrows of a task tree's sequence diagram, in order.
func (c *Client) Trace(ctx context.Context, id string) ([]api.Arrow, error) {
	var out api.Trace
	err := c.get(ctx, taskPath(id, "/trace"), nil, &out)
	return out.Arrows, err
}

// longestPoll is how long the hub is asked to hold one request.
const longestPoll = 30 * time.Second

// WaitTask waits until the task has ended or the timeout is over. It returns
// the task as it is then, so the caller has to look at its state. A timeout of
// 0 waits as long as the context allows.
func (c *Client) WaitTask(ctx context.Context, id string, timeout time.Duration) (api.Task, error) {
	end := time.Now().Add(timeout)
	for {
		poll := longestPoll
		if timeout > 0 {
			poll = max(0, min(poll, time.Until(end)))
		}
		t, err := c.pollTask(ctx, id, poll)
		if err != nil || t.Ended != nil || timeout > 0 && !time.Now().Before(end) {
			return t, err
		}
	}
}

func (c *Client) pollTask(ctx context.Context, id string, wait time.Duration) (api.Task, error) {
	ctx, cancel := context.WithTimeout(ctx, wait+callTimeout)
	defer cancel()
	var out api.Task
	query := url.Values{"seconds": {strconv.FormatFloat(wait.Seconds(), 'f', 3, 64)}}
	err := c.call(ctx, http.MethodGet, taskPath(id, "/wait"), query, nil, nil, &out)
	return out, err
}

// Cancel ends a task and everything below it.
func (c *Client) Cancel(ctx context.Context, id string) (api.Task, error) {
	return c.change(ctx, id, "/cancel", nil)
}

// ResumeTask goes on with a failed task where it failed, as a new task that takes over
// its steps.
func (c *Client) ResumeTask(ctx context.Context, id string) (api.Resumption, error) {
	var out api.Resumption
	err := c.send(ctx, http.MethodPost, taskPath(id, "/resume"), nil, &out)
	return out, err
}

// Retry begins a failed or cancelled task anew and returns the new task.
func (c *Client) Retry(ctx context.Context, id string) (api.Task, error) {
	return c.change(ctx, id, "/retry", nil)
}

func (c *Client) change(ctx context.Context, id, action string, in any) (api.Task, error) {
	var out api.Task
	err := c.send(ctx, http.MethodPost, taskPath(id, action), in, &out)
	return out, err
}

func taskPath(id, rest string) string { return "/v1/tasks/" + url.PathEscape(id) + rest }

func setLimit(query url.Values, limit int) {
	if limit > 0 {
		query.Set("limit", strconv.Itoa(limit))
	}
}
