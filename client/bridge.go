package client

import (
	"context"
	"net/http"
	"net/url"

	"parley/api"
)

// LinkAccount makes a code that links an account of a chat program to a person.
func (c *Client) LinkAccount(ctx context.Context, name string) (api.ChatCode, error) {
	var out api.ChatCode
	return out, c.send(ctx, http.MethodPost, "/v1/people/"+url.PathEscape(name)+"/link", nil, &out)
}

// Accounts lists the accounts of chat programs that belong to people of the team.
func (c *Client) Accounts(ctx context.Context) ([]api.ChatAccount, error) {
	var out api.ChatAccountList
	err := c.get(ctx, "/v1/chat/accounts", nil, &out)
	return out.Accounts, err
}

// UnlinkAccounts unlinks the accounts of a person, or only those of one program. It
// returns them.
func (c *Client) UnlinkAccounts(ctx context.Context, name, program string) ([]api.ChatAccount, error) {
	path := "/v1/people/" + url.PathEscape(name) + "/accounts"
	if program != "" {
		path += "?" + url.Values{"program": {program}}.Encode()
	}
	var out api.ChatAccountList
	err := c.send(ctx, http.MethodDelete, path, nil, &out)
	return out.Accounts, err
}
