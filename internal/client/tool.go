package client

import (
	"context"
	"net/url"

	"parley/internal/api"
)

// Tools is what an agent can do besides thinking, as its model sees it now.
func (c *Client) Tools(ctx context.Context, agent string) (api.ToolList, error) {
	var out api.ToolList
	err := c.get(ctx, "/v1/agents/"+url.PathEscape(agent)+"/tools", nil, &out)
	return out, err
}
