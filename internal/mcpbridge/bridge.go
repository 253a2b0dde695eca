// Package mcpbridge connects an MCP client that speaks over standard input and output with
// the hub, which speaks over HTTP. It passes messages on as they are and knows little of
// what they mean.
//
// The client does not notice that the hub was restarted. A request that did not reach the
// hub is sent again. So is one whose outcome is unknown, if that is harmless: if it only
// looks, or calls a tool of which the hub says that the same key finds what was done
// before. Otherwise the client reads that the outcome is unknown. A session that the hub
// does not know is made anew, and so are the client's subscriptions when the stream that
// tells of changes was interrupted.
//
// A Bridge runs once. Requests of the client are passed on at the same time; every message
// is written in one piece.
package mcpbridge

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"time"
)

// Hub is where messages go.
type Hub struct{ URL, Token string }

// Bridge passes messages between a client and the hub.
type Bridge struct {
	// Find says where the hub is now. It may be elsewhere after a restart.
	Find func() (Hub, error)
	HTTP *http.Client
	Log  *slog.Logger
	// Patience is for how long a request waits for a hub that does not answer.
	Patience time.Duration

	out struct {
		sync.Mutex
		io.Writer
	}
	mu      sync.Mutex
	running map[string]context.CancelFunc // requests of the client, by their ids
	session session
	// repeats are the tools whose calls can be repeated with their key.
	repeats map[string]bool
	// watched are the resources that the client has subscribed to in its session.
	watched map[string]bool
	// beginning lets one request at a time make the session anew.
	beginning sync.Mutex
	requests  sync.WaitGroup
}

// session is what has to be sent with every message.
type session struct {
	id, version string
	// begun is how the client began it; nil if it has none.
	begun *message
}

const (
	// lastWords is how long requests may take once the client has closed its output.
	lastWords = 5 * time.Second
	// mostBytes is the longest message.
	mostBytes = 16 << 20
)

// Run passes messages on until the client closes its output, or the context is done.
func (b *Bridge) Run(ctx context.Context, in io.Reader, out io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	b.out.Writer = out
	b.running, b.repeats, b.watched = map[string]context.CancelFunc{}, map[string]bool{}, map[string]bool{}
	ended := make(chan error, 1)
	go func() { ended <- b.read(ctx, in) }() // it may be stuck in a read when the context ends
	var err error
	select {
	case err = <-ended:
	case <-ctx.Done():
	}
	b.finish(ctx, cancel)
	return err
}

func (b *Bridge) read(ctx context.Context, in io.Reader) error {
	lines := bufio.NewReaderSize(in, 64<<10)
	for {
		line, err := readLine(lines)
		if m, ok := parse(line); ok {
			b.take(ctx, m)
		} else if len(line) > 0 {
			b.write(failure(nil, codeParse, "This is not a message of JSON-RPC."))
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case ctx.Err() != nil:
			return context.Cause(ctx)
		}
	}
}

var errTooLong = fmt.Errorf("a message is longer than %d bytes", mostBytes)

func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case len(line) > mostBytes:
			return nil, errTooLong
		case err == nil || !errors.Is(err, bufio.ErrBufferFull):
			return trim(line), err
		}
	}
}

// take passes a message of the client on. What is no request keeps its order; requests do
// not wait for each other.
func (b *Bridge) take(ctx context.Context, m message) {
	switch {
	case m.method == "notifications/cancelled":
		b.cancel(m)
		b.tell(ctx, m)
	case !m.isRequest():
		b.tell(ctx, m)
		if m.method == "notifications/initialized" {
			b.requests.Go(func() { b.listen(ctx) })
		}
	default:
		ctx, cancel := context.WithCancel(ctx)
		b.mu.Lock()
		b.running[string(m.id)] = cancel
		b.mu.Unlock()
		b.requests.Go(func() {
			defer b.forget(m)
			b.ask(ctx, m)
		})
	}
}

func (b *Bridge) forget(m message) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if cancel := b.running[string(m.id)]; cancel != nil {
		cancel()
		delete(b.running, string(m.id))
	}
}

// cancel ends a request that the client no longer wants.
func (b *Bridge) cancel(m message) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if cancel := b.running[string(m.cancels())]; cancel != nil {
		cancel()
	}
}

// finish lets the last requests end, and then the session.
func (b *Bridge) finish(ctx context.Context, cancel context.CancelFunc) {
	deadline := time.AfterFunc(lastWords, cancel)
	defer deadline.Stop()
	for b.busy() && ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-time.After(10 * time.Millisecond):
		}
	}
	cancel()
	b.requests.Wait()
	ending, done := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer done()
	if at := b.now(); at.id != "" {
		if resp, err := b.send(ending, http.MethodDelete, message{}); err == nil {
			_ = resp.Body.Close()
		}
	}
}

func (b *Bridge) busy() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.running) > 0
}

func (b *Bridge) now() session {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.session
}

// write gives the client a message.
func (b *Bridge) write(line []byte) {
	b.out.Lock()
	defer b.out.Unlock()
	if _, err := b.out.Write(append(line, '\n')); err != nil {
		b.Log.Debug("the client does not read", "error", err)
	}
}
