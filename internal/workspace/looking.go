package workspace

import (
	"sync"

	"parley"
)

// looking knows which commands run, so that what each of them changed can be told from
// what our own tools and other commands did meanwhile.
type looking struct {
	mu      sync.Mutex
	running map[*listing]bool
	held    int64 // bytes of contents that all listings hold
}

// begin adds a command. Two that run at once cannot be told apart.
func (l *looking) begin(one *listing) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.running == nil {
		l.running = map[*listing]bool{}
	}
	for other := range l.running {
		other.shared, one.shared = true, true
	}
	l.running[one] = true
}

func (l *looking) end(one *listing) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.running, one)
	l.held -= one.held
}

// hold asks for memory for a content.
func (l *looking) hold(one *listing, size int64) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if one.held+size > maxHeld || l.held+size > maxHeldInAll {
		return false
	}
	one.held += size
	l.held += size
	return true
}

// noteWrite remembers what our own tools write while commands run.
func (w *Workspace) noteWrite(path string, after parley.FileState) {
	w.looking.mu.Lock()
	defer w.looking.mu.Unlock()
	for one := range w.looking.running {
		after.Content = nil
		one.written = append(one.written, parley.Change{Path: path, After: after})
	}
}

// writtenMeanwhile returns what our tools wrote while a command ran.
func (l *looking) writtenMeanwhile(one *listing) ([]parley.Change, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return one.written, one.shared
}
