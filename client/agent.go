package client

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"parley/api"
)

// Agents lists the team's participants by name, you among them.
func (c *Client) Agents(ctx context.Context) ([]api.Agent, error) {
	list, err := c.AgentList(ctx)
	return list.Agents, err
}

// AgentList is Agents together with the state of the team.
func (c *Client) AgentList(ctx context.Context) (api.AgentList, error) {
	var out api.AgentList
	err := c.get(ctx, "/v1/agents", nil, &out)
	return out, err
}

// SetStatus changes whether an agent can be reached. status is sleep, wake,
// offline or online; until is when a sleep ends.
func (c *Client) SetStatus(ctx context.Context, agent, status string, until time.Time) (api.Agent, error) {
	in := api.StatusRequest{Status: status}
	if !until.IsZero() {
		in.Until = &until
	}
	var out api.Agent
	err := c.send(ctx, http.MethodPut, "/v1/agents/"+url.PathEscape(agent)+"/status", in, &out)
	return out, err
}

// Fresh begins a new main thread between an agent and somebody, or you if with is
// empty. The old one stays readable.
func (c *Client) Fresh(ctx context.Context, agent, with string) (api.Fresh, error) {
	var out api.Fresh
	err := c.send(ctx, http.MethodPost, "/v1/agents/"+url.PathEscape(agent)+"/fresh", api.FreshRequest{With: with}, &out)
	return out, err
}
