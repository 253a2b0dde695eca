package client

import (
	"context"
	"net/url"
	"strconv"
	"time"

	"parley/api"
)

// CostQuery says what spending is added up by.
type CostQuery struct {
	By    string    // agent, model, task or day; empty is agent
	Since time.Time // zero: all
	Zone  string    // for days, such as Europe/Berlin or +01:00; empty is UTC
	Limit int       // how many headings at most; 0 is 50
}

// Estimate is what the first step of an agent on a message of a size in bytes may cost;
// nil if its model has no price.
func (c *Client) Estimate(ctx context.Context, agent string, size int) (*api.Estimate, error) {
	var out api.StepEstimate
	err := c.get(ctx, "/v1/agents/"+url.PathEscape(agent)+"/estimate", url.Values{"size": {strconv.Itoa(size)}}, &out)
	return out.Estimate, err
}

// Cost adds up what the team has spent. An agent sees what its own turns have spent.
func (c *Client) Cost(ctx context.Context, q CostQuery) (api.Cost, error) {
	params := url.Values{}
	for name, value := range map[string]string{"by": q.By, "zone": q.Zone} {
		if value != "" {
			params.Set(name, value)
		}
	}
	if !q.Since.IsZero() {
		params.Set("since", q.Since.Format(time.RFC3339Nano))
	}
	if q.Limit > 0 {
		params.Set("limit", strconv.Itoa(q.Limit))
	}
	var out api.Cost
	err := c.get(ctx, "/v1/cost", params, &out)
	return out, err
}
