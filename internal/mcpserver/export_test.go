package mcpserver

import (
	"maps"
	"slices"
)

// Watches reports whether some client has subscribed to a resource.
func (d *Door) Watches(uri string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	for s := range d.serving {
		s.mu.Lock()
		_, ok := s.watched[uri]
		s.mu.Unlock()
		if ok {
			return true
		}
	}
	return false
}

// Subscribed reports whether a session, or a request that stands alone, watches a resource.
func (d *Door) Subscribed(uri string) bool {
	d.mu.Lock()
	sessions := slices.Collect(maps.Values(d.open))
	d.mu.Unlock()
	for _, s := range sessions {
		s.server.mu.Lock()
		_, ok := s.server.watched[uri]
		s.server.mu.Unlock()
		if ok {
			return true
		}
	}
	return d.Watches(uri)
}

// Busy reports whether a request is being answered.
func (d *Door) Busy() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.answering.Load() > 0 || len(d.serving) > 0
}
