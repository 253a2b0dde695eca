package client

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"net/url"
	"strconv"
	"time"

	"parley/api"
)

// Events reads the record of what happened after a cursor, oldest first. The
// empty cursor is the beginning, "now" is the present. Without follow it ends
// with the last event in the record. With follow it goes on with new events
// until the context is done. After a lost connection it continues behind the
// last event, so that the caller sees each event exactly once.
//
// If it yields an error, it ends.
func (c *Client) Events(ctx context.Context, cursor string, follow bool) iter.Seq2[api.Event, error] {
	return c.Record(ctx, EventFilter{}, cursor, follow)
}

// EventFilter picks events. A zero field matches everything.
type EventFilter struct {
	// Agent is the actor or the target.
	Agent string
	Task  string
	// Tree includes the descendants of Task.
	Tree bool
	// Kind is a kind of event, or a pattern with a star: contact.*
	Kind         string
	Since, Until time.Time
	// Last begins with that many of the newest events, if no cursor is given.
	Last int
}

func (f EventFilter) query() url.Values {
	query := url.Values{}
	set := func(name, value string, given bool) {
		if given {
			query.Set(name, value)
		}
	}
	set("agent", f.Agent, f.Agent != "")
	set("task", f.Task, f.Task != "")
	set("tree", "true", f.Tree)
	set("kind", f.Kind, f.Kind != "")
	set("since", f.Since.UTC().Format(time.RFC3339Nano), !f.Since.IsZero())
	set("until", f.Until.UTC().Format(time.RFC3339Nano), !f.Until.IsZero())
	set("last", strconv.Itoa(f.Last), f.Last > 0)
	return query
}

// Record is Events with a filter.
func (c *Client) Record(ctx context.Context, f EventFilter, cursor string, follow bool) iter.Seq2[api.Event, error] {
	return func(yield func(api.Event, error) bool) {
		query := f.query()
		query.Set("follow", strconv.FormatBool(follow))
		s := stream{c: c, ctx: ctx, path: "/v1/events", query: query, from: "after", cursor: cursor, once: !follow}
		s.take = func(data string) error {
			var e api.Event
			if err := json.Unmarshal([]byte(data), &e); err != nil {
				return err
			}
			if !yield(e, nil) {
				return errEnough
			}
			return nil
		}
		if err := s.run(); err != nil && !errors.Is(err, errEnough) {
			yield(api.Event{}, err)
		}
	}
}

// errEnough says that the caller of an iterator wants no more.
var errEnough = errors.New("enough")
