// Package live shows what agents are saying at this moment.
//
// It is for display only: in memory, on the hub that runs the turn, and lossy. A
// piece that nobody takes is dropped, and a watcher that is too slow misses some and
// is told so. Only the stored reply counts. While nobody watches anything, a piece
// costs one atomic read.
package live

import (
	"slices"
	"sync"
	"sync/atomic"

	"parley"
)

// Kind says what a Piece is.
type Kind string

const (
	Step    Kind = "step"    // the model is asked; what it says next is a new reply
	Text    Kind = "text"    // more of the reply
	Restart Kind = "restart" // the reply so far is void: the model is asked again
	Tool    Kind = "tool"    // a tool of the reply is called
	Waiting Kind = "waiting" // the task waits for its provider, and this turn is over
)

// Piece is something that happens in a turn.
type Piece struct {
	Kind Kind
	// Text is the piece of text, the tool's name, or what the task waits for.
	Text string
	// Missed says that pieces before this one were dropped.
	Missed bool
}

// buffer is how many pieces may wait for one watcher.
const buffer = 256

// Fan passes pieces to those who watch a task. The zero value is ready for use, and
// its methods may be called from any goroutine.
type Fan struct {
	count atomic.Int64 // of watchers

	mu    sync.Mutex
	tasks map[parley.TaskID][]*watcher
}

type watcher struct {
	pieces chan Piece
	missed bool
}

// Watch returns what happens in a task's turns from now on, and a function that
// ends the watch. The channel is never closed.
func (f *Fan) Watch(task parley.TaskID) (<-chan Piece, func()) {
	l := &watcher{pieces: make(chan Piece, buffer)}
	f.mu.Lock()
	if f.tasks == nil {
		f.tasks = map[parley.TaskID][]*watcher{}
	}
	f.tasks[task] = append(f.tasks[task], l)
	f.mu.Unlock()
	f.count.Add(1)
	return l.pieces, sync.OnceFunc(func() { f.forget(task, l) })
}

func (f *Fan) forget(task parley.TaskID, l *watcher) {
	f.count.Add(-1)
	f.mu.Lock()
	defer f.mu.Unlock()
	left := slices.DeleteFunc(f.tasks[task], func(other *watcher) bool { return other == l })
	if len(left) == 0 {
		delete(f.tasks, task)
		return
	}
	f.tasks[task] = left
}

// Publish passes a piece to all watchers of the task that have room for it. It never
// waits.
func (f *Fan) Publish(task parley.TaskID, p Piece) {
	if f.count.Load() == 0 {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, l := range f.tasks[task] {
		l.take(p)
	}
}

func (l *watcher) take(p Piece) {
	p.Missed = l.missed
	select {
	case l.pieces <- p:
		l.missed = false
	default:
		l.missed = true
	}
}
