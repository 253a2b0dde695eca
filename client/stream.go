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

const (
	// maxSilence is how long a stream may be quiet. The hub's heartbeats come more
	// often.
	maxSilence = 45 * time.Second
	// reconnectFor is how long to try to reconnect a lost stream.
	reconnectFor = 15 * time.Second
	firstBackoff = 100 * time.Millisecond
	lastBackoff  = 2 * time.Second
)

// stream is one reading of what the hub streams, over as many connections as it takes. It
// goes on behind the last item, so that each is taken exactly once.
type stream struct {
	c      *Client
	ctx    context.Context
	path   string
	query  url.Values
	from   string // the parameter that takes the cursor
	cursor string
	once   bool // end with the first connection that ends in order
	take   func(data string) error

	refused error     // what take returned: it ends the stream as it is
	heard   time.Time // when the hub last sent anything
}

func (s *stream) run() error {
	s.heard = time.Now()
	backoff := firstBackoff
	for {
		before := s.heard
		err := s.connect()
		if s.refused != nil {
			return s.refused
		}
		if s.ctx.Err() != nil {
			return context.Cause(s.ctx)
		}
		if err == nil && s.once {
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
		s.c = s.c.again()
	}
}

// connect reads until the stream ends. Every loss of the connection is an error
// of kind Unavailable.
func (s *stream) connect() error {
	ctx, cancel := context.WithCancel(s.ctx)
	defer cancel()
	if s.cursor != "" {
		s.query.Set(s.from, s.cursor)
	}
	watchdog := time.AfterFunc(maxSilence, cancel)
	defer watchdog.Stop()
	resp, err := s.c.open(ctx, http.MethodGet, s.path, s.query, nil, http.Header{"Accept": {"text/event-stream"}})
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
	}, s.item)
}

// item takes one item. One without a name has no data: it only says where the stream is,
// if anything.
func (s *stream) item(name, data, id string) error {
	switch {
	case name == "problem":
		return problemOf(data)
	case name != "" && id != "" && id == s.cursor:
		return nil
	case name != "":
		if s.refused = s.take(data); s.refused != nil {
			return s.refused
		}
	}
	if id != "" {
		s.cursor = id
	}
	return nil
}

// readStream parses a stream of server-sent events: the fields of one event, then an empty
// line. It drops an event that was cut off. A line may be long, since a step holds whole
// results.
func readStream(body io.Reader, heard func(), take func(name, data, id string) error) error {
	lines := bufio.NewReader(body)
	var name, data, id string
	for {
		line, err := lines.ReadString('\n')
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return parley.Errorf(parley.Unavailable, "The stream broke off.").WithCause(err)
		}
		heard()
		line = strings.TrimRight(line, "\r\n")
		field, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case line == "":
			if err := take(name, data, id); err != nil {
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
