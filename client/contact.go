package client

import (
	"context"
	"net/http"
	"time"

	"parley/api"
)

// Hub describes the hub and who the token belongs to.
func (c *Client) Hub(ctx context.Context) (api.Hub, error) {
	var out api.Hub
	err := c.get(ctx, "/v1/hub", nil, &out)
	return out, err
}

// Contact asks, delegates or notifies. It returns as soon as the contact is
// stored, or for an ask with Wait when its task has ended or that time is over. As long
// as the task has not ended, call WaitTask until its WaitUntil. If the contact
// needs approval, it comes back with the approval and without a task.
func (c *Client) Contact(ctx context.Context, r api.ContactRequest) (api.Contact, error) {
	var out api.Contact
	wait := time.Duration(r.Wait * float64(time.Second))
	err := c.sendWithin(ctx, wait+callTimeout, wait+c.Patience, http.MethodPost, "/v1/contacts", r, &out)
	return out, err
}
