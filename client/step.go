package client

import (
	"context"
	"encoding/json"
	"net/url"

	"parley"
	"parley/api"
)

// StepPage picks a page of a task's steps.
type StepPage struct {
	After string // the Next of the page before; empty for the beginning
	Limit int    // the hub's default if 0
}

// TaskSteps reads what the turns of a task did, oldest first.
func (c *Client) TaskSteps(ctx context.Context, task string, p StepPage) (api.StepList, error) {
	query := url.Values{}
	if p.After != "" {
		query.Set("after", p.After)
	}
	setLimit(query, p.Limit)
	var out api.StepList
	err := c.get(ctx, taskPath(task, "/steps"), query, &out)
	return out, err
}

// StepQuery picks steps. A zero field matches everything.
type StepQuery struct {
	Task string
	// Tree includes the descendants of Task.
	Tree  bool
	Agent string
	// Before is for Steps: the Before of the page with newer steps.
	Before string
	Limit  int
	// Cursor is for FollowSteps: where to go on from. The empty one is the beginning,
	// "now" is the present.
	Cursor string
}

func (q StepQuery) values() url.Values {
	query := url.Values{}
	if q.Task != "" {
		query.Set("task", q.Task)
	}
	if q.Tree {
		query.Set("tree", "true")
	}
	if q.Agent != "" {
		query.Set("agent", q.Agent)
	}
	return query
}

// Steps reads a page of the newest steps, oldest first.
func (c *Client) Steps(ctx context.Context, q StepQuery) (api.StepList, error) {
	query := q.values()
	if q.Before != "" {
		query.Set("before", q.Before)
	}
	setLimit(query, q.Limit)
	var out api.StepList
	err := c.get(ctx, "/v1/steps", query, &out)
	return out, err
}

// FollowSteps passes the steps after the cursor to take, and then new ones as they are
// stored, until the context is done or take returns an error. After a lost connection it
// goes on behind the last step, so that take gets each exactly once.
func (c *Client) FollowSteps(ctx context.Context, q StepQuery, take func(api.Step) error) error {
	s := stream{c: c, ctx: ctx, path: "/v1/steps/stream", query: q.values(), from: "cursor", cursor: q.Cursor}
	s.take = func(data string) error {
		var step api.Step
		if err := json.Unmarshal([]byte(data), &step); err != nil {
			return parley.Errorf(parley.Internal, "The hub sent something that is not a step.").WithCause(err)
		}
		return take(step)
	}
	return s.run()
}
