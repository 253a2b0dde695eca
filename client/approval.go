package client

import (
	"context"
	"net/http"
	"net/url"

	"parley/api"
)

// Approvals lists the pending approvals, oldest first. With all it lists the
// decided ones too, newest first. A limit of 0 is the hub's default.
func (c *Client) Approvals(ctx context.Context, all bool, limit int) ([]api.Approval, error) {
	query := url.Values{}
	if all {
		query.Set("all", "true")
	}
	setLimit(query, limit)
	var out api.ApprovalList
	err := c.get(ctx, "/v1/approvals", query, &out)
	return out.Approvals, err
}

// TaskApprovals lists the approvals that a task waits for.
func (c *Client) TaskApprovals(ctx context.Context, task string) ([]api.Approval, error) {
	var out api.ApprovalList
	err := c.get(ctx, "/v1/approvals", url.Values{"task": {task}}, &out)
	return out.Approvals, err
}

// Approval reads one approval.
func (c *Client) Approval(ctx context.Context, id string) (api.Approval, error) {
	var out api.Approval
	err := c.get(ctx, approvalPath(id, ""), nil, &out)
	return out, err
}

// Approve lets a call that waits for a decision run. The digest is that of the call,
// or its first 12 digits; people may leave it empty.
func (c *Client) Approve(ctx context.Context, id, digest string) (api.Approval, error) {
	var out api.Approval
	err := c.send(ctx, http.MethodPost, approvalPath(id, "/approve"), api.ApproveRequest{Digest: digest}, &out)
	return out, err
}

// Deny refuses a call that waits for a decision. The digest is as for Approve. The
// agent reads the reason, which may be empty.
func (c *Client) Deny(ctx context.Context, id, digest, reason string) (api.Approval, error) {
	var out api.Approval
	err := c.send(ctx, http.MethodPost, approvalPath(id, "/deny"), api.DenyRequest{Reason: reason, Digest: digest}, &out)
	return out, err
}

// Withdraw takes back your own contact that waits for approval.
func (c *Client) Withdraw(ctx context.Context, id string) (api.Approval, error) {
	var out api.Approval
	err := c.send(ctx, http.MethodPost, approvalPath(id, "/withdraw"), nil, &out)
	return out, err
}

func approvalPath(id, rest string) string { return "/v1/approvals/" + url.PathEscape(id) + rest }
