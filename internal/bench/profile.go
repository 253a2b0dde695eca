package bench

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"time"
)

// profiler writes where the time and the memory of each line go; nil does nothing. The
// last round of a line replaces those before it.
type profiler struct{ dir string }

// newProfiler makes the folder; without one there is nothing to write.
func newProfiler(dir string) (*profiler, error) {
	if dir == "" {
		return nil, nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	runtime.SetBlockProfileRate(blockRate)
	return &profiler{dir: dir}, nil
}

// blockRate is the time in nanoseconds of which one wait is written down.
const blockRate = 10_000

// end leaves the program as it was.
func (p *profiler) end() {
	if p != nil {
		runtime.SetBlockProfileRate(0)
	}
}

// measure is measure with the profiles of a line.
func (p *profiler) measure(ctx context.Context, name string, callers int, d time.Duration, op operation) (m sample, err error) {
	err = p.during(name, func() (err error) {
		m, err = measure(ctx, callers, d, op)
		return err
	})
	return m, err
}

// during profiles what a line measures. Waits and allocations are counted from the start of
// the program, so what was there before is written too, for 'go tool pprof -base'.
func (p *profiler) during(name string, measured func() error) (err error) {
	if p == nil {
		return measured()
	}
	if err := p.cumulative(name, ".before"); err != nil {
		return err
	}
	f, err := os.Create(p.path(name + ".cpu.pprof"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if err := pprof.StartCPUProfile(f); err != nil {
		return err
	}
	err = measured()
	pprof.StopCPUProfile()
	return errors.Join(err, p.cumulative(name, ""))
}

func (p *profiler) cumulative(name, when string) error {
	for _, kind := range []string{"block", "allocs"} {
		f, err := os.Create(p.path(name + "." + kind + when + ".pprof"))
		if err != nil {
			return err
		}
		if err := errors.Join(pprof.Lookup(kind).WriteTo(f, 0), f.Close()); err != nil {
			return err
		}
	}
	return nil
}

func (p *profiler) path(name string) string { return filepath.Join(p.dir, name) }
