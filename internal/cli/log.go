package cli

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"

	"parley/internal/cli/view"
)

// logger writes to standard error, as JSON or for people.
func (c *console) logger(asJSON bool, level slog.Level) *slog.Logger {
	if asJSON {
		return slog.New(slog.NewJSONHandler(c.err, &slog.HandlerOptions{Level: level}))
	}
	return slog.New(&logHandler{out: c.err, screen: c.screen(c.err), level: level, mu: new(sync.Mutex)})
}

// logHandler writes a line for people: the time, "warning" or "error" if it is
// one, the message and its attributes.
type logHandler struct {
	out    io.Writer
	screen view.Screen
	level  slog.Level

	mu    *sync.Mutex
	attrs string
	group string
}

func (h *logHandler) Enabled(_ context.Context, level slog.Level) bool { return level >= h.level }

func (h *logHandler) Handle(_ context.Context, r slog.Record) error {
	var b strings.Builder
	b.WriteString(h.screen.Paint(view.Dim, r.Time.Format("15:04:05")) + " ")
	switch {
	case r.Level >= slog.LevelError:
		b.WriteString(h.screen.Paint(view.Red, "error: "))
	case r.Level >= slog.LevelWarn:
		b.WriteString(h.screen.Paint(view.Yellow, "warning: "))
	}
	b.WriteString(view.Line(r.Message))
	rest := h.attrs
	r.Attrs(func(a slog.Attr) bool { rest += h.attr(a); return true })
	b.WriteString(h.screen.Paint(view.Dim, rest))
	b.WriteByte('\n')
	h.mu.Lock()
	defer h.mu.Unlock()
	_, err := io.WriteString(h.out, b.String())
	return err
}

func (h *logHandler) attr(a slog.Attr) string {
	value := a.Value.Resolve()
	if value.Kind() == slog.KindGroup {
		text := ""
		inner := *h
		if a.Key != "" {
			inner.group += a.Key + "."
		}
		for _, member := range value.Group() {
			text += inner.attr(member)
		}
		return text
	}
	if a.Equal(slog.Attr{}) {
		return ""
	}
	text := view.Clean(value.String())
	if strings.ContainsAny(text, " \n\t\"=") || text == "" {
		text = fmt.Sprintf("%q", text)
	}
	return " " + h.group + a.Key + "=" + text
}

// WithAttrs and WithGroup are for slog.
func (h *logHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	with := *h
	for _, a := range attrs {
		with.attrs += h.attr(a)
	}
	return &with
}

func (h *logHandler) WithGroup(name string) slog.Handler {
	with := *h
	if name != "" {
		with.group += name + "."
	}
	return &with
}
