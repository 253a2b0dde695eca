// Package bubbletest runs tests in bubbles of testing/synctest, also under the race
// detector.
package bubbletest

import (
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
)

// Test is synctest.Test. Under the race detector the whole process has one processor as
// long as any bubble is there: in a bubble a timer that is due already runs at once, on
// whichever thread sets or looks at it, and all timers of a bubble are one goroutine to the race
// detector. Two at the same moment destroy what it knows of it, and the process ends with
// SIGSEGV or "ThreadSanitizer: CHECK failed" (golang/go#78156). Races are found as before: what
// counts is whether anything orders two accesses, not whether they happen side by side.
func Test(t *testing.T, f func(*testing.T)) {
	t.Helper()
	if racing {
		bubbles.enter()
		defer bubbles.leave()
	}
	synctest.Test(t, f)
}

var bubbles bubbleCount

// bubbleCount is how many bubbles there are, and how many processors there were before.
type bubbleCount struct {
	mu         sync.Mutex
	n          int
	processors int
}

func (b *bubbleCount) enter() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.n++; b.n == 1 {
		b.processors = runtime.GOMAXPROCS(1)
	}
}

func (b *bubbleCount) leave() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.n--; b.n == 0 {
		runtime.GOMAXPROCS(b.processors)
	}
}
