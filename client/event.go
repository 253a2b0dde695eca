package client

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"parley"
	"parley/api"
)

const (
	// maxSilence is how long a stream may be quiet. The hub's heartbeats come more
	// often.
	maxSilence = 45 * time.Second
	// reconnectFor is how long to try to reconnect a lost stream.
	reconnectFor = 15 * time.Second
	firstBackoff = 100 * time.Millisecond
	lastBackoff  = 2 * time.Second
	longestEvent = 1 << 20
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
		s := stream{c: c, ctx: ctx, filter: f, cursor: cursor, follow: follow, yield: yield}
		if err := s.run(); err != nil && !errors.Is(err, errEnough) {
			yield(api.Event{}, err)
		}
	}
}

// errEnough says that the caller of an iterator wants no more.
var errEnough = errors.New("enough")

// stream is one reading of the record, over as many connections as it takes.
type stream struct {
	c      *Client
	ctx    context.Context
	filter EventFilter
	cursor string
	follow bool
	yield  func(api.Event, error) bool
	heard  time.Time // when the hub last sent anything
}

func (s *stream) run() error {
	s.heard = time.Now()
	backoff := firstBackoff
	for {
		before := s.heard
		err := s.connect()
		if errors.Is(err, errEnough) {
			return err
		}
		if s.ctx.Err() != nil {
			return context.Cause(s.ctx)
		}
		if err == nil && !s.follow {
			return nil
		}
		if err != nil && parley.KindOf(err) != parley.Unavailable {
			return err
		}
		if s.heard != before {
			backoff = firstBackoff
		}
		if time.Since(s.heard) > reconnectFor {
			return ErrNoHub("The hub at " + s.c.base + " is gone.").WithCause(err)
		}
		if !pause(s.ctx, backoff) {
			return context.Cause(s.ctx)
		}
		backoff = min(2*backoff, lastBackoff)
	}
}

// connect reads until the stream ends. Every loss of the connection is an error
// of kind Unavailable.
func (s *stream) connect() error {
	ctx, cancel := context.WithCancel(s.ctx)
	defer cancel()
	query := s.filter.query()
	query.Set("follow", strconv.FormatBool(s.follow))
	if s.cursor != "" {
		query.Set("after", s.cursor)
	}
	watchdog := time.AfterFunc(maxSilence, cancel)
	defer watchdog.Stop()
	resp, err := s.c.open(ctx, http.MethodGet, "/v1/events", query, nil, http.Header{"Accept": {"text/event-stream"}})
	if err != nil {
		if s.ctx.Err() == nil && ctx.Err() != nil {
			return parley.Errorf(parley.Unavailable, "The stream fell silent.")
		}
		return err
	}
	defer resp.Body.Close()
	return readStream(resp.Body, func() {
		watchdog.Reset(maxSilence)
		s.heard = time.Now()
	}, s.take)
}

// readStream parses a stream of server-sent events: the fields of one event,
// then an empty line. It drops an event that was cut off.
func readStream(body io.Reader, heard func(), take func(name, data string) error) error {
	lines := bufio.NewScanner(body)
	lines.Buffer(nil, longestEvent)
	var name, data string
	for lines.Scan() {
		heard()
		field, value, _ := strings.Cut(lines.Text(), ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case lines.Text() == "":
			if err := take(name, data); err != nil {
				return err
			}
			name, data = "", ""
		case field == "event":
			name = value
		case field == "data":
			data = value
		}
	}
	if err := lines.Err(); err != nil {
		return parley.Errorf(parley.Unavailable, "The stream of events broke off.").WithCause(err)
	}
	return nil
}

func (s *stream) take(name, data string) error {
	switch name {
	case "":
		return nil // a heartbeat
	case "problem":
		return problemOf(data)
	}
	var e api.Event
	if err := json.Unmarshal([]byte(data), &e); err != nil {
		return err
	}
	if e.Cursor == s.cursor {
		return nil
	}
	s.cursor = e.Cursor
	if !s.yield(e, nil) {
		return errEnough
	}
	return nil
}

// problemOf makes an error out of the event that says why a stream ends.
func problemOf(data string) error {
	var p api.Problem
	if err := json.Unmarshal([]byte(data), &p); err != nil {
		return err
	}
	return &parley.Error{Kind: parley.Kind(p.Kind), Message: p.Message, Hint: p.Hint}
}

// pause waits; it reports false when the context is done first.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
