package client

import (
	"context"
	"strconv"
	"time"

	"parley/api"
)

// SearchFilter narrows a search. A zero field matches everything.
type SearchFilter struct {
	Agent, Channel string
	Since, Until   time.Time
	// Newest asks for the newest messages that have all the words, instead of the
	// best matches.
	Newest bool
	// Kind is messages, keepers or tasks.
	Kind  string
	Limit int
}

// Search finds messages by words, and by phrases in quotes.
func (c *Client) Search(ctx context.Context, text string, f SearchFilter) (api.SearchResult, error) {
	query := EventFilter{Agent: f.Agent, Kind: f.Kind, Since: f.Since, Until: f.Until}.query()
	query.Set("q", text)
	if f.Channel != "" {
		query.Set("channel", f.Channel)
	}
	if f.Newest {
		query.Set("newest", strconv.FormatBool(f.Newest))
	}
	setLimit(query, f.Limit)
	var out api.SearchResult
	err := c.get(ctx, "/v1/search", query, &out)
	return out, err
}
