package postgres

import (
	"context"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"

	"parley/internal/wake"
)

// maxBackoff limits the pauses between attempts to reconnect.
const maxBackoff = 5 * time.Second

// listener publishes on this hub's bus what the other hubs committed.
type listener struct {
	address address
	hub     string
	bus     *wake.Bus
	log     *slog.Logger
	cancel  context.CancelFunc
	done    chan struct{}
}

func newListener(a address, hub string, bus *wake.Bus, log *slog.Logger) *listener {
	return &listener{address: a, hub: hub, bus: bus, log: log, done: make(chan struct{})}
}

// start returns once the connection listens, so that nothing stored after Open is
// missed.
func (l *listener) start(ctx context.Context) error {
	c, err := l.connect(ctx)
	if err != nil {
		return err
	}
	ctx, l.cancel = context.WithCancel(context.Background())
	go l.run(ctx, c)
	return nil
}

func (l *listener) stop() {
	l.cancel()
	<-l.done
}

func (l *listener) connect(ctx context.Context) (*pgx.Conn, error) {
	c, err := l.address.connect(ctx)
	if err != nil {
		return nil, err
	}
	// The schema's name needs no quoting. Hubs on other schemas use other channels.
	if _, err := c.Exec(ctx, "LISTEN "+l.address.schema); err != nil {
		_ = c.Close(ctx)
		return nil, err
	}
	return c, nil
}

func (l *listener) run(ctx context.Context, c *pgx.Conn) {
	defer close(l.done)
	for {
		err := l.publishAll(ctx, c)
		closeQuickly(c)
		if ctx.Err() != nil {
			return
		}
		l.log.Warn("no signals from other hubs until the database is back", "error", err)
		if c = l.reconnect(ctx); c == nil {
			return
		}
		// What was sent meanwhile is lost.
		l.bus.Publish(wake.Everything())
		l.log.Info("signals from other hubs are heard again")
	}
}

// publishAll publishes notifications until the connection or the context ends.
func (l *listener) publishAll(ctx context.Context, c *pgx.Conn) error {
	for {
		n, err := c.WaitForNotification(ctx)
		if err != nil {
			return err
		}
		if hub, signals := parsePayload(n.Payload); hub != l.hub {
			l.bus.Publish(signals)
		}
	}
}

// reconnect tries until it succeeds; it returns nil when the context ends.
func (l *listener) reconnect(ctx context.Context) *pgx.Conn {
	pause := firstPause
	for {
		if c, err := l.connect(ctx); err == nil {
			return c
		}
		if !backOff(ctx, pause) {
			return nil
		}
		pause = min(2*pause, maxBackoff)
	}
}

func closeQuickly(c *pgx.Conn) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = c.Close(ctx)
}
