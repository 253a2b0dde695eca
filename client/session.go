package client

import (
	"context"
	"net/http"
	"net/url"

	"parley/api"
)

// CreateLink makes a link by which you sign in to the page with a browser, once. Its
// path belongs to the hub's address.
func (c *Client) CreateLink(ctx context.Context) (api.Link, error) {
	var out api.Link
	return out, c.send(ctx, http.MethodPost, "/v1/links", nil, &out)
}

// Sessions lists the browsers in which people of the team have signed in.
func (c *Client) Sessions(ctx context.Context) ([]api.Session, error) {
	var out api.SessionList
	err := c.get(ctx, "/v1/sessions", nil, &out)
	return out.Sessions, err
}

// EndSession signs a browser out, by the id of its session.
func (c *Client) EndSession(ctx context.Context, id string) (api.Session, error) {
	var out api.Session
	return out, c.send(ctx, http.MethodDelete, "/v1/sessions/"+url.PathEscape(id), nil, &out)
}

// EndSessions signs all your browsers out. It returns their sessions.
func (c *Client) EndSessions(ctx context.Context) ([]api.Session, error) {
	var out api.SessionList
	err := c.send(ctx, http.MethodDelete, "/v1/sessions", nil, &out)
	return out.Sessions, err
}
