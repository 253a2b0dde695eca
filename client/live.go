package client

import (
	"context"
	"encoding/json"
	"iter"
	"net/http"
	"time"

	"parley"
	"parley/api"
)

// Live shows what a task's agent is saying, from now until the task ends. It is
// only for display: pieces may be missing, and a reader at another hub or one
// that comes too late sees none. If it yields an error, it ends.
func (c *Client) Live(ctx context.Context, task string) iter.Seq2[api.Live, error] {
	return func(yield func(api.Live, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		watchdog := time.AfterFunc(maxSilence, cancel)
		defer watchdog.Stop()
		resp, err := c.open(ctx, http.MethodGet, taskPath(task, "/live"), nil, nil, http.Header{"Accept": {"text/event-stream"}})
		if err != nil {
			yield(api.Live{}, err)
			return
		}
		defer resp.Body.Close()
		more := true
		err = readStream(resp.Body, func() { watchdog.Reset(maxSilence) }, func(name, data, _ string) error {
			if name == "" {
				return nil // a heartbeat
			}
			l, err := liveOf(name, data)
			if err == nil && !yield(l, nil) {
				more, err = false, errEnough
			}
			return err
		})
		if err != nil && more {
			yield(api.Live{}, err)
		}
	}
}

func liveOf(name, data string) (l api.Live, err error) {
	if name == "problem" {
		return l, problemOf(data)
	}
	if err := json.Unmarshal([]byte(data), &l); err != nil {
		return l, parley.Errorf(parley.Internal, "The hub sent something that is not an event.").WithCause(err)
	}
	return l, nil
}
