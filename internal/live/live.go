// Package live shows what agents are saying at this moment.
//
// It is for display only: in memory, on the hub that runs the turn, and lossy. Whoever
// begins to watch is told what the reply says so far; a watcher that is too slow misses
// pieces and is told so. Only the stored reply counts.
package live

import (
	"slices"
	"sync"

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
	mu    sync.Mutex
	tasks map[parley.TaskID]*talk
}

// talk is a task of which something was said, or which somebody watches.
type talk struct {
	said     []byte // of the reply that is under way
	watchers []*watcher
}

type watcher struct {
	pieces chan Piece
	missed bool
}

// Watch returns what happens in a task's turns from now on, after what its reply says so
// far, and a function that ends the watch. The channel is never closed.
func (f *Fan) Watch(task parley.TaskID) (<-chan Piece, func()) {
	l := &watcher{pieces: make(chan Piece, buffer)}
	f.mu.Lock()
	defer f.mu.Unlock()
	t := f.talk(task)
	if len(t.said) > 0 {
		l.take(Piece{Kind: Text, Text: string(t.said)})
	}
	t.watchers = append(t.watchers, l)
	return l.pieces, sync.OnceFunc(func() { f.forget(task, l) })
}

func (f *Fan) talk(task parley.TaskID) *talk {
	t := f.tasks[task]
	if t == nil {
		if f.tasks == nil {
			f.tasks = map[parley.TaskID]*talk{}
		}
		t = &talk{}
		f.tasks[task] = t
	}
	return t
}

func (f *Fan) forget(task parley.TaskID, l *watcher) {
	f.mu.Lock()
	defer f.mu.Unlock()
	t := f.tasks[task]
	t.watchers = slices.DeleteFunc(t.watchers, func(other *watcher) bool { return other == l })
	f.tidy(task, t)
}

// tidy drops a task that nothing is known of any more.
func (f *Fan) tidy(task parley.TaskID, t *talk) {
	if len(t.said) == 0 && len(t.watchers) == 0 {
		delete(f.tasks, task)
	}
}

// Publish passes a piece to all watchers of the task that have room for it. It never
// waits.
func (f *Fan) Publish(task parley.TaskID, p Piece) {
	f.mu.Lock()
	defer f.mu.Unlock()
	t := f.tasks[task]
	if p.Kind == Text {
		t = f.talk(task)
		t.said = append(t.said, p.Text...)
	}
	if t == nil {
		return
	}
	if p.Kind == Step || p.Kind == Restart {
		t.said = t.said[:0]
	}
	for _, l := range t.watchers {
		l.take(p)
	}
}

// Silent forgets what a task's turns have said: they are over, and what counts is stored.
func (f *Fan) Silent(task parley.TaskID) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if t := f.tasks[task]; t != nil {
		t.said = nil
		f.tidy(task, t)
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
