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

// keepLimit puts the collector's limit back, which is one for the whole process.
func keepLimit(t *testing.T) {
	t.Helper()
	before := debug.SetMemoryLimit(-1)
	t.Cleanup(func() { debug.SetMemoryLimit(before) })
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
