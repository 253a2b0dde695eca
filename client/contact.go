package client

import (
	"context"
	"net/http"

	"parley/api"
)

// Hub describes the hub and who the token belongs to.
func (c *Client) Hub(ctx context.Context) (api.Hub, error) {
	var out api.Hub
	err := c.get(ctx, "/v1/hub", nil, &out)
	return out, err
}

// Contact asks, delegates or notifies. It returns as soon as the contact is
// stored. After an ask, call WaitTask until the task's WaitUntil. If the contact
// needs approval, it comes back with the approval and without a task.
func (c *Client) Contact(ctx context.Context, r api.ContactRequest) (api.Contact, error) {
	var out api.Contact
	err := c.send(ctx, http.MethodPost, "/v1/contacts", r, &out)
	return out, err
}
