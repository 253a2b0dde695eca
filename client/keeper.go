package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"parley/api"
)

// Keepers lists the keepers that you may see, newest first.
func (c *Client) Keepers(ctx context.Context, limit int) (api.KeeperList, error) {
	var out api.KeeperList
	err := c.get(ctx, "/v1/keepers", url.Values{"limit": {strconv.Itoa(limit)}}, &out)
	return out, err
}

// Keeper reads one keeper with its messages.
func (c *Client) Keeper(ctx context.Context, id string) (api.Keeper, error) {
	var out api.Keeper
	err := c.get(ctx, "/v1/keepers/"+url.PathEscape(id), nil, &out)
	return out, err
}

// ShareKeeper lets the whole team read a keeper.
func (c *Client) ShareKeeper(ctx context.Context, id string) (api.Keeper, error) {
	var out api.Keeper
	err := c.send(ctx, http.MethodPost, "/v1/keepers/"+url.PathEscape(id)+"/share", nil, &out)
	return out, err
}

// PruneKeepers removes the keepers in which nothing was found for some time. A
// dry run only lists them.
func (c *Client) PruneKeepers(ctx context.Context, unused time.Duration, dry bool) (api.KeeperList, error) {
	var out api.KeeperList
	err := c.send(ctx, http.MethodPost, "/v1/keepers/prune", api.PruneRequest{Seconds: int64(unused / time.Second), DryRun: dry}, &out)
	return out, err
}
