package client

import (
	"context"
	"net/url"

	"parley/internal/api"
)

// Explain asks what the rules say if a participant did something: ask, delegate,
// notify, or an action like tool:agent_comm:list. An empty from is you; to is
// empty for an action that contacts nobody.
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
