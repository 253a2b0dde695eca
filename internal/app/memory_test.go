package app_test

import (
	"bytes"
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
	t.Setenv("GOGC", "")
	const m = store.Memory(4 << 30)
	app.TuneCollector(m, slog.New(slog.DiscardHandler))
	if got := debug.SetMemoryLimit(-1); got != m.Collector() {
		t.Errorf("the limit is %d, not %d", got, m.Collector())
	}
	if got := debug.SetGCPercent(100); got <= 100 {
		t.Errorf("it does not use it: the heap grows by %d %%", got)
	}
	t.Setenv("GOGC", "100")
	app.TuneCollector(m, slog.New(slog.DiscardHandler))
	if got := debug.SetGCPercent(100); got != 100 {
		t.Errorf("with GOGC=100 the heap grows by %d %%", got)
	}
}

// With hardly any room beside what is in use the collector would not stop.
func TestATeamThatNeedsMoreMemoryGetsIt(t *testing.T) {
	keepLimit(t)
	t.Setenv("GOMEMLIMIT", "")
	team := make([]byte, 100<<20)
	runtime.GC()
	var said bytes.Buffer
	app.TuneCollector(128<<20, slog.New(slog.NewTextHandler(&said, nil)))
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
	app.TuneCollector(store.DefaultMemory, slog.New(slog.DiscardHandler))
	if got := debug.SetMemoryLimit(-1); got != 12345<<20 {
		t.Errorf("the limit is %d", got)
	}
}
