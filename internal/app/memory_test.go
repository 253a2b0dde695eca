package app_test

import (
	"bytes"
	"context"
	"log/slog"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"parley/internal/app"
	"parley/internal/store"
)

// keepLimit puts the settings of the collector back, which are those of the whole process.
func keepLimit(t *testing.T) {
	t.Helper()
	limit, growth := debug.SetMemoryLimit(-1), debug.SetGCPercent(100)
	t.Cleanup(func() { debug.SetMemoryLimit(limit); debug.SetGCPercent(growth) })
}

func TestTheCollectorGetsItsShareOfMemory(t *testing.T) {
	keepLimit(t)
	t.Setenv("GOMEMLIMIT", "")
	const m = store.Memory(4 << 30)
	app.LimitMemory(m, slog.New(slog.DiscardHandler))
	if got := debug.SetMemoryLimit(-1); got != m.Collector() {
		t.Errorf("the limit is %d, not %d", got, m.Collector())
	}
}

// A small heap may hold much garbage, and a large one as much as is in use. GOGC wins.
func TestASmallHeapMayHoldMoreGarbage(t *testing.T) {
	keepLimit(t)
	t.Setenv("GOGC", "")
	over, cancel := context.WithCancel(t.Context())
	cancel()
	growth := func() int {
		runtime.GC()
		app.TendCollector(over)
		return debug.SetGCPercent(100)
	}
	small := growth()
	team := make([]byte, 100<<20)
	large := growth()
	runtime.KeepAlive(team)
	if small <= 100 || small > 400 || large != 100 {
		t.Errorf("%d %% with little in use, %d %% with much", small, large)
	}
	t.Setenv("GOGC", "50")
	if got := growth(); got != 100 {
		t.Errorf("%d %% in spite of GOGC", got)
	}
}

// With hardly any room beside what is in use the collector would not stop.
func TestATeamThatNeedsMoreMemoryGetsIt(t *testing.T) {
	keepLimit(t)
	t.Setenv("GOMEMLIMIT", "")
	team := make([]byte, 100<<20)
	runtime.GC()
	var said bytes.Buffer
	app.LimitMemory(128<<20, slog.New(slog.NewTextHandler(&said, nil)))
	runtime.KeepAlive(team)
	if got := debug.SetMemoryLimit(-1); got < int64(len(team))+64<<20 {
		t.Errorf("the limit is %d", got)
	}
	if !strings.Contains(said.String(), "raise memory") {
		t.Errorf("the log says %q", said.String())
	}
}

func TestGOMEMLIMITWins(t *testing.T) {
	keepLimit(t)
	debug.SetMemoryLimit(12345 << 20)
	t.Setenv("GOMEMLIMIT", "12345MiB")
	app.LimitMemory(store.DefaultMemory, slog.New(slog.DiscardHandler))
	if got := debug.SetMemoryLimit(-1); got != 12345<<20 {
		t.Errorf("the limit is %d", got)
	}
}
