package client

import (
	"context"

	"parley"
	"parley/api"
)

// ApproveAlways writes the rule that allows such calls from now on, and approves this one.
// The rule comes first: if it cannot be written, the call still waits for a decision.
func (c *Client) ApproveAlways(ctx context.Context, a api.Approval) error {
	if a.Always == nil {
		return parley.Errorf(parley.Invalid, "No one rule decides about such a call: %s", a.NotAlways)
	}
	if _, err := c.AddRule(ctx, a.Agent, a.Always.Key, []string{a.Always.Value}); err != nil {
		return err
	}
	if _, err := c.Approve(ctx, a.ID, a.Digest); err != nil {
		return parley.Errorf(parley.KindOf(err), "The rule was written (%s %s), but this call was not approved: %s",
			a.Always.Key, a.Always.Value, parley.Public(err)).WithCause(err)
	}
	return nil
}

// AnswerItem answers what a message of the inbox asks: a question that was routed here, or
// a task.
func (c *Client) AnswerItem(ctx context.Context, item api.InboxItem, text string) error {
	if item.Question != "" {
		_, err := c.AnswerQuestion(ctx, item.Question, api.AnswerRequest{Answer: text})
		return err
	}
	_, err := c.Complete(ctx, item.Task, text)
	return err
}
