// Package wire is what the chat programs have in common: how they are called over HTTP, how
// a connection for events is made, and what is remembered to save calls.
package wire

import "sync"

// Memory keeps what was found out. Its zero value is empty, and it is safe for concurrent
// use.
type Memory[V any] struct {
	mu          sync.Mutex
	known, last map[string]V
}

// mostKept bounds a Memory: twice as much is kept at most, and the older half is forgotten.
const mostKept = 5000

func (m *Memory[V]) Get(key string) (V, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	v, ok := m.known[key]
	if !ok {
		v, ok = m.last[key]
	}
	return v, ok
}

func (m *Memory[V]) Put(key string, value V) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.known == nil || len(m.known) >= mostKept {
		m.known, m.last = map[string]V{}, m.known
	}
	m.known[key] = value
}

func (m *Memory[V]) Forget() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.known, m.last = nil, nil
}
