package client

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"parley"
	"parley/api"
)

// StepPage picks a page of a task's steps.
type StepPage struct {
	After string // the Next of the page before; empty for the beginning
	Limit int    // the hub's default if 0
}

// TaskSteps reads what the turns of a task did, oldest first.
func (c *Client) TaskSteps(ctx context.Context, task string, p StepPage) (api.StepList, error) {
	query := url.Values{}
	if p.After != "" {
		query.Set("after", p.After)
	}
	setLimit(query, p.Limit)
	var out api.StepList
	err := c.get(ctx, taskPath(task, "/steps"), query, &out)
	return out, err
}

// StepQuery picks steps. A zero field matches everything.
type StepQuery struct {
	Task string
	// Tree includes the descendants of Task.
	Tree  bool
	Agent string
	// Before is for Steps: the Before of the page with newer steps.
	Before string
	Limit  int
	// Cursor is for FollowSteps: where to go on from. The empty one is the beginning,
	// "now" is the present.
	Cursor string
}

func (q StepQuery) values() url.Values {
	query := url.Values{}
	if q.Task != "" {
		query.Set("task", q.Task)
	}
	if q.Tree {
		query.Set("tree", "true")
	}
	if q.Agent != "" {
		query.Set("agent", q.Agent)
	}
	return query
}

// Steps reads a page of the newest steps, oldest first.
func (c *Client) Steps(ctx context.Context, q StepQuery) (api.StepList, error) {
	query := q.values()
	if q.Before != "" {
		query.Set("before", q.Before)
	}
	setLimit(query, q.Limit)
	var out api.StepList
	err := c.get(ctx, "/v1/steps", query, &out)
	return out, err
}

// FollowSteps passes the steps after the cursor to take, and then new ones as they are
// stored, until the context is done or take returns an error. After a lost connection it
// goes on behind the last step, so that take gets each exactly once.
func (c *Client) FollowSteps(ctx context.Context, q StepQuery, take func(api.Step) error) error {
	f := stepFollower{c: c, ctx: ctx, query: q.values(), cursor: q.Cursor, take: take, heard: time.Now()}
	backoff := firstBackoff
	for {
		before := f.heard
		err := f.connect()
		if f.refused != nil {
			return f.refused
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil && parley.KindOf(err) != parley.Unavailable {
			return err
		}
		if f.heard != before {
			backoff = firstBackoff
		}
		if time.Since(f.heard) > reconnectFor {
			return ErrNoHub("The hub at " + c.base + " is gone.").WithCause(err)
		}
		if !pause(ctx, backoff) {
			return context.Cause(ctx)
		}
		backoff = min(2*backoff, lastBackoff)
	}
}

// stepFollower follows steps over as many connections as it takes.
type stepFollower struct {
	c       *Client
	ctx     context.Context
	query   url.Values
	cursor  string
	take    func(api.Step) error
	refused error     // what take returned
	heard   time.Time // when the hub last sent anything
}

// connect reads until the stream ends. Every loss of the connection is an error of kind
// Unavailable.
func (f *stepFollower) connect() error {
	ctx, cancel := context.WithCancel(f.ctx)
	defer cancel()
	if f.cursor != "" {
		f.query.Set("cursor", f.cursor)
	}
	watchdog := time.AfterFunc(maxSilence, cancel)
	defer watchdog.Stop()
	resp, err := f.c.open(ctx, http.MethodGet, "/v1/steps/stream", f.query, nil, http.Header{"Accept": {"text/event-stream"}})
	if err != nil {
		if f.ctx.Err() == nil && ctx.Err() != nil {
			return parley.Errorf(parley.Unavailable, "The stream fell silent.")
		}
		return err
	}
	defer resp.Body.Close()
	return f.read(resp.Body, func() {
		watchdog.Reset(maxSilence)
		f.heard = time.Now()
	})
}

// read parses the stream: the fields of one event, then an empty line. It drops an event
// that was cut off. A line may be long, since a step holds whole results.
func (f *stepFollower) read(body io.Reader, heard func()) error {
	lines := bufio.NewReader(body)
	var name, data, id string
	for {
		line, err := lines.ReadString('\n')
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return parley.Errorf(parley.Unavailable, "The stream of steps broke off.").WithCause(err)
		}
		heard()
		line = strings.TrimSuffix(line, "\n")
		field, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case line == "":
			if err := f.event(name, data, id); err != nil {
				return err
			}
			name, data, id = "", "", ""
		case field == "event":
			name = value
		case field == "data":
			data = value
		case field == "id":
			id = value
		}
	}
}

// event takes one event of the stream. One without data only says where the stream is.
func (f *stepFollower) event(name, data, id string) error {
	switch name {
	case "":
	case "problem":
		return problemOf(data)
	default:
		var s api.Step
		if err := json.Unmarshal([]byte(data), &s); err != nil {
			return parley.Errorf(parley.Internal, "The hub sent something that is not a step.").WithCause(err)
		}
		if id == f.cursor {
			return nil
		}
		if f.refused = f.take(s); f.refused != nil {
			return f.refused
		}
	}
	if id != "" {
		f.cursor = id
	}
	return nil
}
