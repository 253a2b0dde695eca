package client

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"parley/api"
)

// Fetch is what Receive asks for.
type Fetch struct {
	Cursor string        // that of the last batch: it has arrived
	Limit  int           // the hub's default if 0
	Wait   time.Duration // for how long to wait if there is nothing; at most 10 minutes
	Resume bool          // only what you work on already, at once: for a program that was started anew
}

// Receive returns what you have not seen, the most urgent first, and waits for it if
// there is nothing. What is handed out comes again until you say that you have it:
// with the cursor in the next Receive, with Ack, with ReplyTo, or with the end of its
// task.
func (c *Client) Receive(ctx context.Context, f Fetch) (api.Batch, error) {
	ctx, cancel := context.WithTimeout(ctx, f.Wait+callTimeout)
	defer cancel()
	query := url.Values{"wait": {f.Wait.String()}}
	if f.Cursor != "" {
		query.Set("cursor", f.Cursor)
	}
	if f.Resume {
		query.Set("resume", "true")
	}
	setLimit(query, f.Limit)
	var out api.Batch
	err := c.call(ctx, http.MethodGet, "/v1/inbox/wait", query, nil, nil, &out)
	return out, err
}

// Ack tells the hub that messages have arrived. The hub ignores messages for others.
func (c *Client) Ack(ctx context.Context, messages ...string) error {
	if len(messages) == 0 {
		return nil
	}
	return c.send(ctx, http.MethodPost, "/v1/inbox/ack", api.AckRequest{Messages: messages}, nil)
}

// AckCursor tells the hub that the messages of a batch have arrived.
func (c *Client) AckCursor(ctx context.Context, cursor string) error {
	if cursor == "" {
		return nil
	}
	return c.send(ctx, http.MethodPost, "/v1/inbox/ack", api.AckRequest{Cursor: cursor}, nil)
}

// MyTasks lists your open tasks without their results, the most urgent first.
func (c *Client) MyTasks(ctx context.Context) ([]api.Task, error) {
	var out api.TaskList
	err := c.get(ctx, "/v1/inbox/tasks", nil, &out)
	return out.Tasks, err
}

// Take makes a task that waits for you your own.
func (c *Client) Take(ctx context.Context, id string) (api.Task, error) {
	return c.change(ctx, id, "/take", nil)
}

// Update says how far a task of yours is, for whoever looks on.
func (c *Client) Update(ctx context.Context, id, note string) (api.Task, error) {
	return c.change(ctx, id, "/update", api.UpdateRequest{Note: note})
}

// Complete ends a task that somebody gave you with its result. The first end counts.
func (c *Client) Complete(ctx context.Context, id, result string) (api.Task, error) {
	return c.change(ctx, id, "/complete", api.CompleteRequest{Result: result})
}

// Fail gives a task up that somebody gave you. Whoever asked reads the reason.
func (c *Client) Fail(ctx context.Context, id, reason string) (api.Task, error) {
	return c.change(ctx, id, "/fail", api.FailRequest{Reason: reason})
}

// ReplyTo answers a message: it completes the task that the message asks of you, or is
// a notification in the same conversation. It returns what came of it, in words.
func (c *Client) ReplyTo(ctx context.Context, message, text string) (string, error) {
	var out api.AnsweredMessage
	err := c.send(ctx, http.MethodPost, "/v1/messages/"+url.PathEscape(message)+"/reply", api.AnswerMessageRequest{Text: text}, &out)
	return out.Text, err
}
