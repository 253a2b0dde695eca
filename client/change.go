package client

import (
	"context"
	"net/http"
	"net/url"

	"parley/api"
)

// TaskDiff reads what a task changed in files, with the tasks below it unless only itself
// is wanted.
func (c *Client) TaskDiff(ctx context.Context, id string, only bool) (api.TaskDiff, error) {
	var out api.TaskDiff
	query := url.Values{}
	if only {
		query.Set("only", "true")
	}
	err := c.get(ctx, taskPath(id, "/diff"), query, &out)
	return out, err
}

// UndoTask takes back what a task changed in files.
func (c *Client) UndoTask(ctx context.Context, id string, in api.UndoRequest) (api.Undone, error) {
	var out api.Undone
	err := c.send(ctx, http.MethodPost, taskPath(id, "/undo"), in, &out)
	return out, err
}
