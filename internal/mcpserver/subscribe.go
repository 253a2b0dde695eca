package mcpserver

import (
	"context"
	"crypto/sha256"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"parley"
	"parley/internal/wake"
)

const (
	// calm is how long a subscriber is left alone after something has happened, so that
	// a burst is told once.
	calm = 200 * time.Millisecond
	// lookEvery is for signals that were lost, and for clients that went away quietly.
	lookEvery = 30 * time.Second
	// mostWatched is how many resources a session may watch.
	mostWatched = 100
)

// watch is a resource that a client wants to hear about.
type watch struct {
	n    int               // how often it was subscribed to
	was  [sha256.Size]byte // its content when it was last looked at
	gone bool              // it could not be read then
}

// subscribe notes that the client wants to hear when a resource changes. Only what the
// caller may read can be watched.
func (s *server) subscribe(ctx context.Context, req *mcp.SubscribeRequest) error {
	uri := req.Params.URI
	if !strings.HasPrefix(uri, scheme) && s.door.cfg.Extend != nil {
		return nil // whoever added it tells of it
	}
	text, err := s.textOf(ctx, uri)
	if err != nil {
		return mcp.ResourceNotFoundError(uri)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.watched) >= mostWatched {
		return parley.Errorf(parley.Limited, "At most %d resources can be watched at once.", mostWatched)
	}
	w := s.watched[uri]
	w.n, w.was, w.gone = w.n+1, sha256.Sum256([]byte(text)), false
	s.watched[uri] = w
	if !s.watching {
		s.watching = true
		s.door.watches.Go(s.watch)
	}
	return nil
}

func (s *server) unsubscribe(_ context.Context, req *mcp.UnsubscribeRequest) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	w := s.watched[req.Params.URI]
	if w.n--; w.n > 0 {
		s.watched[req.Params.URI] = w
		return nil
	}
	delete(s.watched, req.Params.URI)
	return nil
}

// watch tells the client what has changed, until it watches nothing more. It compares what
// the client would read: so it hears of nothing that it may not read.
func (s *server) watch() {
	signal, end := s.door.cfg.Bus.Watch(wake.Signal{Topic: wake.Events, ID: int64(s.caller.Team)})
	defer end()
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		for _, uri := range s.news() {
			_ = s.ResourceUpdated(s.door.stopping, &mcp.ResourceUpdatedNotificationParams{URI: uri}) // or it hears of the next change
		}
		select {
		case <-s.door.stopping.Done():
			return
		case <-tick.C:
		case <-signal:
			if !pause(s.door.stopping, calm) {
				return
			}
		}
		if s.idle() {
			return
		}
	}
}

func pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// idle reports whether nothing is watched, or nobody is there any more.
func (s *server) idle() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for range s.Sessions() {
		s.watching = len(s.watched) > 0
		return !s.watching
	}
	clear(s.watched)
	s.watching = false
	return true
}

// news are the watched resources that are not as they were.
func (s *server) news() (changed []string) {
	s.mu.Lock()
	uris := make([]string, 0, len(s.watched))
	for uri := range s.watched {
		uris = append(uris, uri)
	}
	s.mu.Unlock()
	for _, uri := range uris {
		text, err := s.textOf(s.door.stopping, uri)
		is, gone := sha256.Sum256([]byte(text)), err != nil
		s.mu.Lock()
		if w, ok := s.watched[uri]; ok && (w.was != is || w.gone != gone) {
			w.was, w.gone = is, gone
			s.watched[uri] = w
			changed = append(changed, uri)
		}
		s.mu.Unlock()
	}
	return changed
}
