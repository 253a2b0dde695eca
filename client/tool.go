package client

import (
	"context"
	"net/url"

	"parley/api"
)

// Tools lists the tools of an agent as its model sees them now.
func (c *Client) Tools(ctx context.Context, agent string) (api.ToolList, error) {
	var out api.ToolList
	err := c.get(ctx, "/v1/agents/"+url.PathEscape(agent)+"/tools", nil, &out)
	return out, err
}
