package client

import (
	"context"
	"net/http"
	"net/url"

	"parley/api"
)

// CreateToken makes a token for a client agent or a person. The answer is the only
// place where the token is ever shown.
func (c *Client) CreateToken(ctx context.Context, r api.TokenRequest) (api.NewToken, error) {
	var out api.NewToken
	return out, c.send(ctx, http.MethodPost, "/v1/tokens", r, &out)
}

// Tokens lists the tokens of the team: those that can be used, or all.
func (c *Client) Tokens(ctx context.Context, all bool) ([]api.Token, error) {
	query := url.Values{}
	if all {
		query.Set("all", "true")
	}
	var out api.TokenList
	err := c.get(ctx, "/v1/tokens", query, &out)
	return out.Tokens, err
}

// RevokeToken ends a token, by its id.
func (c *Client) RevokeToken(ctx context.Context, id string) (api.Token, error) {
	var out api.Token
	return out, c.send(ctx, http.MethodDelete, "/v1/tokens/"+url.PathEscape(id), nil, &out)
}

// AddPerson adds a person to the team and makes a token for them.
func (c *Client) AddPerson(ctx context.Context, name string) (api.NewToken, error) {
	var out api.NewToken
	return out, c.send(ctx, http.MethodPost, "/v1/people", api.PersonRequest{Name: name}, &out)
}
