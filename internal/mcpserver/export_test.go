package mcpserver

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

// Busy reports whether a request is being answered.
func (d *Door) Busy() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.answering.Load() > 0 || len(d.serving) > 0
}
