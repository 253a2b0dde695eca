package client

import (
	"context"
	"net/http"

	"parley/api"
)

// TaskBudget reads what the tree of a task has spent, and what it may spend.
func (c *Client) TaskBudget(ctx context.Context, id string) (api.Spending, error) {
	var out api.Spending
	err := c.get(ctx, taskPath(id, "/budget"), nil, &out)
	return out, err
}

// RaiseTaskBudget adds to what the tree of a task may spend.
func (c *Client) RaiseTaskBudget(ctx context.Context, id string, add api.Budget) (api.Spending, error) {
	var out api.Spending
	err := c.send(ctx, http.MethodPost, taskPath(id, "/budget"), api.BudgetRequest{Add: &add}, &out)
	return out, err
}

// SetTaskBudget says what the tree of a task may spend in all. A running tree without a
// budget gets one.
func (c *Client) SetTaskBudget(ctx context.Context, id string, budget api.Budget) (api.Spending, error) {
	var out api.Spending
	err := c.send(ctx, http.MethodPost, taskPath(id, "/budget"), api.BudgetRequest{Set: &budget}, &out)
	return out, err
}

const teamPath = "/v1/team"

// TeamBudget reads what the team has spent today, and what it may spend.
func (c *Client) TeamBudget(ctx context.Context) (api.Spending, error) {
	var out api.Spending
	err := c.get(ctx, teamPath+"/budget", nil, &out)
	return out, err
}

// RaiseTeamBudget adds to what the team may spend today.
func (c *Client) RaiseTeamBudget(ctx context.Context, add api.Budget) (api.Spending, error) {
	var out api.Spending
	err := c.send(ctx, http.MethodPost, teamPath+"/budget", api.RaiseRequest{Add: add}, &out)
	return out, err
}

// Pause stops the turns of the team at their next step.
func (c *Client) Pause(ctx context.Context) (api.Team, error) {
	var out api.Team
	err := c.send(ctx, http.MethodPost, teamPath+"/pause", nil, &out)
	return out, err
}

// Resume lets the turns of the team go on.
func (c *Client) Resume(ctx context.Context) (api.Team, error) {
	var out api.Team
	err := c.send(ctx, http.MethodPost, teamPath+"/resume", nil, &out)
	return out, err
}
