package postgres

import (
	"context"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"parley/internal/wake"
)

const (
	// maxPayload is a little less than the server takes in one notification.
	maxPayload = 7900
	// maxPending limits how many signals are remembered while the server is down.
	maxPending = 8192
	// closeTimeout limits how long Close waits for the last signals to be sent.
	closeTimeout = 2 * time.Second
)

// notifier tells the other hubs what was committed here. One goroutine sends. Signals
// that arrive meanwhile are collected, each once, and sent together. Sending takes a
// lock on the whole server, so a NOTIFY inside each transaction would make all of
// them wait for each other.
type notifier struct {
	address address
	hub     string
	log     *slog.Logger

	mu      sync.Mutex
	pending map[wake.Signal]struct{}

	kick   chan struct{}
	cancel context.CancelFunc
	done   chan struct{}
}

func newNotifier(a address, hub string, log *slog.Logger) *notifier {
	return &notifier{address: a, hub: hub, log: log, pending: map[wake.Signal]struct{}{},
		kick: make(chan struct{}, 1), done: make(chan struct{})}
}

func (n *notifier) start() {
	ctx, cancel := context.WithCancel(context.Background())
	n.cancel = cancel
	go n.run(ctx)
}

// stop sends what is left, within closeTimeout.
func (n *notifier) stop() {
	n.cancel()
	<-n.done
}

// add queues signals. It never waits. Of steps others are not told: there are many, and
// nobody's work waits for them.
func (n *notifier) add(signals []wake.Signal) {
	if len(signals) == 0 {
		return
	}
	n.mu.Lock()
	for _, s := range signals {
		if s.Topic != wake.Steps || s.ID == 0 {
			n.pending[s] = struct{}{}
		}
	}
	none := len(n.pending) == 0
	if len(n.pending) > maxPending {
		clear(n.pending)
		for _, s := range wake.Everything() {
			n.pending[s] = struct{}{}
		}
	}
	n.mu.Unlock()
	if none {
		return
	}
	select {
	case n.kick <- struct{}{}:
	default: // already woken
	}
}

func (n *notifier) take() []wake.Signal {
	n.mu.Lock()
	defer n.mu.Unlock()
	list := make([]wake.Signal, 0, len(n.pending))
	for s := range n.pending {
		list = append(list, s)
	}
	clear(n.pending)
	return list
}

func (n *notifier) run(ctx context.Context) {
	defer close(n.done)
	var c *pgx.Conn
	pause := firstPause
	for {
		select {
		case <-n.kick:
		case <-ctx.Done():
			n.finish(c)
			return
		}
		signals := n.take()
		if c = n.send(ctx, c, signals); c != nil {
			pause = firstPause
			continue
		}
		backOff(ctx, pause)
		pause = min(2*pause, maxBackoff)
		n.add(signals)
	}
}

// finish sends the last signals and closes the connection.
func (n *notifier) finish(c *pgx.Conn) {
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	if signals := n.take(); len(signals) > 0 {
		c = n.send(ctx, c, signals)
	}
	if c != nil {
		_ = c.Close(ctx)
	}
}

// send returns the connection to continue with, or nil if it failed.
func (n *notifier) send(ctx context.Context, c *pgx.Conn, signals []wake.Signal) *pgx.Conn {
	var err error
	if c == nil {
		if c, err = n.connect(ctx); err != nil {
			n.log.Warn("other hubs are not told what changed here", "error", err)
			return nil
		}
	}
	batch := &pgx.Batch{}
	for _, p := range payloads(n.hub, signals) {
		batch.Queue(`SELECT pg_notify($1, $2)`, n.address.schema, p)
	}
	if err := c.SendBatch(ctx, batch).Close(); err != nil {
		if ctx.Err() == nil {
			n.log.Warn("other hubs are not told what changed here", "error", err)
		}
		_ = c.Close(ctx)
		return nil
	}
	return c
}

// connect opens the sending connection. It need not wait for the server's log: losing
// a signal loses no data.
func (n *notifier) connect(ctx context.Context) (*pgx.Conn, error) {
	c, err := n.address.connect(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := c.Exec(ctx, "SET synchronous_commit = off"); err != nil {
		_ = c.Close(ctx)
		return nil, err
	}
	return c, nil
}

// payloads writes signals as "hub 1.5 2.77", split where a payload would become too
// long.
func payloads(hub string, signals []wake.Signal) []string {
	var list []string
	text := []byte(hub)
	for _, s := range signals {
		item := " " + strconv.Itoa(int(s.Topic)) + "." + strconv.FormatInt(s.ID, 10)
		if len(text)+len(item) > maxPayload {
			list = append(list, string(text))
			text = append(text[:0], hub...)
		}
		text = append(text, item...)
	}
	return append(list, string(text))
}

// parsePayload reads what payloads wrote. It skips what it does not understand, such
// as the signals of a newer hub.
func parsePayload(payload string) (hub string, signals []wake.Signal) {
	words := strings.Fields(payload)
	if len(words) == 0 {
		return "", nil
	}
	for _, w := range words[1:] {
		topic, id, ok := strings.Cut(w, ".")
		t, errTopic := strconv.ParseUint(topic, 10, 8)
		n, errID := strconv.ParseInt(id, 10, 64)
		if ok && errTopic == nil && errID == nil {
			signals = append(signals, wake.Signal{Topic: wake.Topic(t), ID: n})
		}
	}
	return words[0], signals
}
