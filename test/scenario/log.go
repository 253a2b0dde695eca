package scenario

import (
	"context"
	"log/slog"
	"sync/atomic"
)

// log counts the faults that a hub reports: what a person would have to look
// into.
type log struct {
	slog.Handler
	faults atomic.Int64
}

// Handle counts and passes on.
func (l *log) Handle(ctx context.Context, r slog.Record) error {
	if r.Level >= slog.LevelError {
		l.faults.Add(1)
	}
	return l.Handler.Handle(ctx, r)
}

// CheckLog makes sure that the hub reported no fault.
func (s *Stage) CheckLog() {
	s.Helper()
	if n := s.log.faults.Load(); n > 0 {
		s.Errorf("the hub reported %d faults", n)
	}
}
