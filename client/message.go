package client

import (
	"context"
	"net/http"
	"net/url"

	"parley/api"
)

// Message reads one message with its deliveries.
func (c *Client) Message(ctx context.Context, id string) (api.MessageRecord, error) {
	var out api.MessageRecord
	err := c.get(ctx, "/v1/messages/"+url.PathEscape(id), nil, &out)
	return out, err
}

// Redact removes the text of a message. It may take a while, since the hub looks
// for copies in the whole record.
func (c *Client) Redact(ctx context.Context, id, reason string) (api.Redaction, error) {
	var out api.Redaction
	err := c.sendWithin(ctx, 0, c.Patience, http.MethodPost, "/v1/messages/"+url.PathEscape(id)+"/redact", api.RedactRequest{Reason: reason}, &out)
	return out, err
}

// Read reads the last messages of the dm of two participants, oldest first.
// An empty name means you.
func (c *Client) Read(ctx context.Context, a, b string, limit int) ([]api.Message, error) {
	return c.messages(ctx, pair(a, b), limit)
}

// ReadThread reads the last messages of one thread, oldest first.
func (c *Client) ReadThread(ctx context.Context, thread string, limit int) ([]api.Message, error) {
	return c.messages(ctx, url.Values{"thread": {thread}}, limit)
}

// Threads lists the threads of the dm of two participants, the main one first.
func (c *Client) Threads(ctx context.Context, a, b string) ([]api.Thread, error) {
	var out api.ThreadList
	err := c.get(ctx, "/v1/threads", pair(a, b), &out)
	return out.Threads, err
}

func (c *Client) messages(ctx context.Context, query url.Values, limit int) ([]api.Message, error) {
	setLimit(query, limit)
	var out api.MessageList
	err := c.get(ctx, "/v1/messages", query, &out)
	return out.Messages, err
}

func pair(a, b string) url.Values {
	query := url.Values{}
	if a != "" {
		query.Set("of", a)
	}
	if b != "" {
		query.Set("with", b)
	}
	return query
}

// Inbox lists the messages for you that you have not seen, oldest first, and the
// approvals that wait for your decision. A message stays until MarkSeen says
// that it was displayed; one that asks a person for something stays until it is
// answered.
func (c *Client) Inbox(ctx context.Context, limit int) (api.Inbox, error) {
	query := url.Values{}
	setLimit(query, limit)
	var out api.Inbox
	err := c.get(ctx, "/v1/inbox", query, &out)
	return out, err
}

// MarkSeen tells the hub that messages for you were displayed. The hub ignores
// messages for others.
func (c *Client) MarkSeen(ctx context.Context, ids ...string) error {
	if len(ids) == 0 {
		return nil
	}
	return c.send(ctx, http.MethodPost, "/v1/messages/seen", api.SeenRequest{IDs: ids}, nil)
}
