package mcpbridge

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
)

// events reads server-sent events. Only their data matters.
func events(body io.Reader, take func([]byte)) error {
	lines := bufio.NewReaderSize(body, 64<<10)
	var data []byte
	for {
		line, err := lines.ReadBytes('\n')
		line = bytes.TrimRight(line, "\r\n")
		switch {
		case bytes.HasPrefix(line, []byte("data:")):
			data = append(append(data, bytes.TrimPrefix(line[len("data:"):], []byte(" "))...), '\n')
		case len(line) == 0 && len(trim(data)) > 0:
			take(oneLine(trim(data)))
			data = nil
		}
		if len(data) > mostBytes {
			return errTooLong
		}
		if err != nil {
			return err
		}
	}
}

// oneLine is a message without line breaks, since they end a message here.
func oneLine(line []byte) []byte {
	if !bytes.ContainsAny(line, "\r\n") {
		return line
	}
	var b bytes.Buffer
	if json.Compact(&b, line) != nil {
		return bytes.ReplaceAll(bytes.ReplaceAll(line, []byte("\r"), nil), []byte("\n"), nil)
	}
	return b.Bytes()
}

// listen passes on what the hub says by itself, for as long as the session lasts.
func (b *Bridge) listen(ctx context.Context) {
	again := false
	for attempt := 1; ctx.Err() == nil; attempt++ {
		at := b.now()
		if at.id == "" {
			return
		}
		resp, err := b.send(ctx, http.MethodGet, message{})
		switch {
		case err != nil:
		case resp.StatusCode == http.StatusNotFound:
			drain(resp.Body)
			if err := b.beginAgain(ctx); !errors.Is(err, errUnsent) {
				return // the hub does not let the client in again, and answers its requests so
			}
		case resp.StatusCode == http.StatusOK:
			attempt = 1
			if again { // the hub may be another one
				b.requests.Go(func() { b.watchAgain(ctx) })
			}
			again = true
			_ = events(resp.Body, b.write) // it ends with the hub, and is opened again
			_ = resp.Body.Close()
		default:
			drain(resp.Body)
			return // the hub has nothing to say
		}
		if !wait(ctx, attempt) {
			return
		}
	}
}

// errAgain makes the caller try again, in the new session.
var errAgain = fmt.Errorf("%w: the session was made anew", errUnsent)

// beginAgain makes a session anew that the hub does not know, as the client began it.
func (b *Bridge) beginAgain(ctx context.Context) error {
	before := b.now()
	b.beginning.Lock()
	defer b.beginning.Unlock()
	if now := b.now(); now.id != before.id { // another request has done it
		return errAgain
	}
	if before.begun == nil {
		return errors.New("the hub does not know this session")
	}
	again := before.begun.with(map[string]json.RawMessage{"id": text("begin-again")})
	resp, err := b.send(ctx, http.MethodPost, again)
	if err != nil {
		return err
	}
	defer drain(resp.Body)
	if resp.StatusCode >= http.StatusMultipleChoices {
		_, why := problem(resp)
		return why
	}
	var answer message
	_ = messages(resp, func(line []byte) {
		if in, ok := parse(line); ok && in.method == "" {
			answer = in
		}
	}) // what is missing shows below
	b.mu.Lock()
	b.session.id = resp.Header.Get("Mcp-Session-Id")
	b.mu.Unlock()
	b.learn(*before.begun, answer)
	ready, _ := parse([]byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`))
	b.tell(ctx, ready)
	return errAgain
}
