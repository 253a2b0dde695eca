package client

import (
	"context"

	"parley/api"
)

// Claims lists who works on what.
func (c *Client) Claims(ctx context.Context) ([]api.Claim, error) {
	var out api.ClaimList
	err := c.get(ctx, "/v1/claims", nil, &out)
	return out.Claims, err
}
