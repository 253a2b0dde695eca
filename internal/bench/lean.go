//go:build !bench

package bench

import (
	"context"
	"errors"
	"fmt"
)

// Full says that this program leaves out the lines of leftOut.
const Full = false

var errLean = errors.New("the program that 'make bench' builds")

func startServer(func(string, ...any)) (server, error) {
	return nil, fmt.Errorf("%w; give the address of one with --postgres, or use %w", errNoServer, errLean)
}

func (s *series) turn(context.Context) error { return nil }

func (b *bench) waiting(context.Context) error { return nil }

func (b *bench) limited(context.Context) error { return nil }

func (e errand) limit(ctx context.Context) error { return e.wait(ctx) }

func (e errand) wait(context.Context) error {
	return fmt.Errorf("the errand %q is for %w", e.Do, errLean)
}

func (b *bench) retrieval(context.Context) error { return nil }
