package bubbletest_test

import (
	"runtime"
	"sync"
	"testing"
	"time"

	"parley/internal/bubbletest"
)

// Timers that are due already, set by several goroutines of a bubble, end the process under
// the race detector if these run side by side.
func TestTimersThatAreDueAlready(t *testing.T) {
	before := runtime.GOMAXPROCS(0)
	bubbletest.Test(t, func(*testing.T) {
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				for range 20_000 {
					<-time.After(0)
				}
			})
		}
		all.Wait()
	})
	if after := runtime.GOMAXPROCS(0); after != before {
		t.Errorf("%d processors after it, of %d", after, before)
	}
}
