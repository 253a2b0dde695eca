package bridge

import (
	"sync"
	"time"
)

// lease is until when this hub has the connection, by its own clock. That clock goes on while
// the process is stopped, so a hub that wakes up after its lease does not call the program
// any more. The zero lease has no end.
type lease struct {
	mu    sync.Mutex
	until time.Time
}

func (l *lease) set(until time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.until = until
}

// left is how long it lasts.
func (l *lease) left() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.until.IsZero() {
		return time.Hour
	}
	return time.Until(l.until)
}

// whenLost calls a function when the lease has run out without being renewed. The returned
// function ends the watch.
func (l *lease) whenLost(do func()) (stop func()) {
	var mu sync.Mutex
	var timer *time.Timer
	ended := false
	mu.Lock()
	defer mu.Unlock()
	timer = time.AfterFunc(l.left(), func() {
		mu.Lock()
		defer mu.Unlock()
		left := l.left()
		switch {
		case ended:
		case left > 0:
			timer.Reset(left)
		default:
			do()
		}
	})
	return func() {
		mu.Lock()
		defer mu.Unlock()
		ended = true
		timer.Stop()
	}
}
