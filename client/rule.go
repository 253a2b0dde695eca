package client

import (
	"context"
	"net/http"
	"net/url"

	"parley/api"
)

// Explain asks what the rules would decide about an action: ask, delegate,
// notify, or one like tool:agent_comm:list. An empty from means you; to is empty
// for an action that contacts nobody.
func (c *Client) Explain(ctx context.Context, from, to, action string) (api.Explanation, error) {
	query := url.Values{"action": {action}}
	if from != "" {
		query.Set("from", from)
	}
	if to != "" {
		query.Set("to", to)
	}
	var out api.Explanation
	return out, c.get(ctx, "/v1/explain", query, &out)
}

// Rules reads the rules in force for an agent.
func (c *Client) Rules(ctx context.Context, agent string) (api.AgentRules, error) {
	var out api.AgentRules
	return out, c.get(ctx, rulesPath(agent, ""), nil, &out)
}

// SetRule replaces the values of a rule.
func (c *Client) SetRule(ctx context.Context, agent, key string, values []string) (api.AgentRules, error) {
	var out api.AgentRules
	return out, c.send(ctx, http.MethodPut, rulesPath(agent, key), api.RuleRequest{Values: values}, &out)
}

// AddRule adds values to a rule that is a list.
func (c *Client) AddRule(ctx context.Context, agent, key string, values []string) (api.AgentRules, error) {
	var out api.AgentRules
	return out, c.send(ctx, http.MethodPost, rulesPath(agent, key), api.RuleRequest{Values: values}, &out)
}

// UnsetRule removes a rule, or only the given values of it.
func (c *Client) UnsetRule(ctx context.Context, agent, key string, values []string) (api.AgentRules, error) {
	path := rulesPath(agent, key)
	if len(values) > 0 {
		path += "?" + url.Values{"value": values}.Encode()
	}
	var out api.AgentRules
	return out, c.send(ctx, http.MethodDelete, path, nil, &out)
}

func rulesPath(agent, key string) string {
	path := "/v1/agents/" + url.PathEscape(agent) + "/rules"
	if key != "" {
		path += "/" + url.PathEscape(key)
	}
	return path
}

// Reload makes the hub read the team's files again at once.
func (c *Client) Reload(ctx context.Context) (api.Reload, error) {
	var out api.Reload
	return out, c.send(ctx, http.MethodPost, "/v1/reload", nil, &out)
}
