package mcpbridge

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"strings"
	"time"
)

// firstAlone is the first version whose requests stand alone.
const firstAlone = "2026-07-28"

// errUnsent says that a request did not reach the hub.
var errUnsent = errors.New("the request did not reach the hub")

// errLost says that a request may have reached the hub, and that no answer came.
var errLost = errors.New("the answer was lost")

// ask passes a request on until it is answered, and answers it if the hub does not.
func (b *Bridge) ask(ctx context.Context, m message) {
	sent := m
	if m.tool() != "" {
		sent = m.keyed("bridge-" + rand.Text())
	}
	if m.method == "initialize" {
		b.mu.Lock()
		b.session = session{begun: &m}
		b.mu.Unlock()
	}
	var lostSince time.Time
	for attempt := 1; ; attempt++ {
		if !lostSince.IsZero() { // the hub may still be busy with the last one
			sent = sent.with(map[string]json.RawMessage{"id": text("again-" + rand.Text())})
		}
		begun := time.Now()
		err := b.exchange(ctx, m, sent)
		if lostSince.IsZero() || time.Since(begun) > time.Second { // the hub was there meanwhile
			lostSince, attempt = time.Now(), 1
		}
		switch {
		case err == nil, ctx.Err() != nil:
			return
		case errors.Is(err, errLost) && !b.harmless(m):
			b.write(failure(m.id, codeRefused, "The hub was lost during the call. Whether the call took effect is unknown: look before you try again."))
			return
		case time.Since(lostSince) > b.Patience || !errors.Is(err, errLost) && !errors.Is(err, errUnsent):
			b.write(failure(m.id, codeRefused, err.Error()))
			return
		}
		b.Log.Debug("a request is sent again", "method", m.method, "error", err)
		if !wait(ctx, attempt) {
			return
		}
	}
}

// harmless reports whether a request can be sent again when its outcome is unknown.
func (b *Bridge) harmless(m message) bool {
	tool := m.tool()
	if tool == "" {
		return true // everything else only looks
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.repeats[tool]
}

// wait waits before the next attempt, longer each time.
func wait(ctx context.Context, attempt int) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(min(2*time.Second, 50*time.Millisecond<<min(attempt, 6))):
		return true
	}
}

// exchange sends a request once and gives the client everything that comes back.
func (b *Bridge) exchange(ctx context.Context, m, sent message) error {
	resp, err := b.send(ctx, http.MethodPost, sent)
	if err != nil {
		return err
	}
	defer drain(resp.Body)
	switch {
	case resp.StatusCode == http.StatusNotFound && b.now().id != "" && m.method != "initialize":
		return b.beginAgain(ctx)
	case resp.StatusCode == http.StatusServiceUnavailable || resp.StatusCode == http.StatusBadGateway:
		return fmt.Errorf("%w: %s", errUnsent, resp.Status)
	case resp.StatusCode >= http.StatusMultipleChoices:
		line, why := problem(resp)
		if in, ok := parse(line); ok { // an error of the protocol is passed on as it is
			b.write(in.with(map[string]json.RawMessage{"id": m.id}).raw)
			return nil
		}
		return why
	}
	if m.method == "initialize" {
		b.mu.Lock()
		b.session.id = resp.Header.Get("Mcp-Session-Id")
		b.mu.Unlock()
	}
	answered := false
	err = messages(resp, func(line []byte) {
		in, ok := parse(line)
		if !ok {
			return
		}
		if in.method == "" && bytes.Equal(in.id, sent.id) {
			answered = true
			b.learn(m, in)
			in = in.with(map[string]json.RawMessage{"id": m.id})
		}
		b.write(in.raw)
	})
	if answered {
		return nil
	}
	return fmt.Errorf("%w: %v", errLost, err)
}

// learn takes from an answer what the bridge needs to know.
func (b *Bridge) learn(m, answer message) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch m.method {
	case "initialize":
		var in struct {
			Result struct {
				Version string `json:"protocolVersion"`
			} `json:"result"`
		}
		_ = json.Unmarshal(answer.raw, &in) // then it has none
		b.session.version = in.Result.Version
	case "resources/subscribe", "resources/unsubscribe":
		b.noteWatched(m, answer)
	case "tools/list":
		for name, may := range repeatable(answer.raw) {
			b.repeats[name] = may
		}
	}
}

// tell passes on what is not answered.
func (b *Bridge) tell(ctx context.Context, m message) {
	patience := time.Now().Add(b.Patience)
	for attempt := 1; ; attempt++ {
		resp, err := b.send(ctx, http.MethodPost, m)
		if err == nil {
			drain(resp.Body)
			return
		}
		if !errors.Is(err, errUnsent) || time.Now().After(patience) || !wait(ctx, attempt) {
			b.Log.Warn("a message did not reach the hub", "method", m.method, "error", err)
			return
		}
	}
}

// send makes one HTTP request.
func (b *Bridge) send(ctx context.Context, method string, m message) (*http.Response, error) {
	hub, err := b.Find()
	if err != nil {
		return nil, fmt.Errorf("%w: %v", errUnsent, err)
	}
	r, err := http.NewRequestWithContext(ctx, method, strings.TrimRight(hub.URL, "/")+"/mcp", bytes.NewReader(m.raw))
	if err != nil {
		return nil, err
	}
	at := b.now()
	r.Header.Set("Authorization", "Bearer "+hub.Token)
	r.Header.Set("Accept", "application/json, text/event-stream")
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/json")
	}
	if version := m.version(); version >= firstAlone {
		r.Header.Set("Mcp-Protocol-Version", version)
		r.Header.Set("Mcp-Method", m.method)
		set(r.Header, "Mcp-Name", m.subject())
	} else if m.method != "initialize" {
		set(r.Header, "Mcp-Protocol-Version", at.version)
		set(r.Header, "Mcp-Session-Id", at.id)
	}
	resp, err := b.HTTP.Do(r)
	if err != nil {
		return nil, lost(err)
	}
	return resp, nil
}

func set(h http.Header, name, value string) {
	if value != "" {
		h.Set(name, value)
	}
}

// lost tells a request that was not sent from one of which nobody knows.
func lost(err error) error {
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == "dial" {
		return fmt.Errorf("%w: %v", errUnsent, err)
	}
	return fmt.Errorf("%w: %v", errLost, err)
}

// problem is what a hub says that refuses a request; line is it as an error of JSON-RPC,
// if it is one.
func problem(resp *http.Response) (line []byte, why error) {
	body, err := io.ReadAll(io.LimitReader(resp.Body, 64<<10))
	var in struct {
		Error   json.RawMessage `json:"error"`
		Message string          `json:"message"`
		Hint    string          `json:"hint"`
	}
	if err == nil && json.Unmarshal(body, &in) == nil {
		if len(in.Error) > 0 {
			line = oneLine(trim(body))
		}
		if in.Message != "" {
			return line, errors.New(strings.TrimSpace(in.Message + " " + in.Hint))
		}
	}
	return line, fmt.Errorf("the hub answered %s: %s", resp.Status, trim(body))
}

func drain(body io.ReadCloser) {
	_, _ = io.CopyN(io.Discard, body, 64<<10) // so that the connection can be used again
	_ = body.Close()
}

// messages reads the messages of a response, one or a stream of them.
func messages(resp *http.Response, take func([]byte)) error {
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if kind == "text/event-stream" {
		return events(resp.Body, take)
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, mostBytes))
	if line := trim(body); len(line) > 0 {
		take(oneLine(line))
	}
	return err
}
