package httpapi

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"time"
)

const (
	headerTime = 10 * time.Second
	bodyTime   = 30 * time.Second
	// writeTime is longer than the longest poll. An event stream sets its own
	// deadline with each write.
	writeTime   = longestWait + 30*time.Second
	idleTime    = 2 * time.Minute
	headerBytes = 64 << 10
	// stopTime is how long running requests may take when the hub stops.
	stopTime = 5 * time.Second
)

// Run serves the listener until the context is done, then stops in order.
func (s *Server) Run(ctx context.Context, listener net.Listener) error {
	server := &http.Server{
		Handler: s.handler,
		// No ReadTimeout: it would end long polls. Bodies have their own limit.
		ReadHeaderTimeout: headerTime,
		WriteTimeout:      writeTime,
		IdleTimeout:       idleTime,
		MaxHeaderBytes:    cmp.Or(s.cfg.HeaderBytes, headerBytes),
		ErrorLog:          slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	guarding, stopGate := context.WithCancel(context.WithoutCancel(ctx))
	guarded := make(chan struct{})
	go func() {
		defer close(guarded)
		s.gate.Run(guarding)
	}()
	defer func() {
		stopGate()
		<-guarded
	}()
	select {
	case err := <-served:
		s.stop(errStopping)
		return err
	case <-ctx.Done():
	}
	s.stop(errStopping)
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTime)
	defer cancel()
	if err := server.Shutdown(end); err != nil {
		s.log.Warn("some requests were cut off", "error", err)
		_ = server.Close()
	}
	if err := <-served; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
