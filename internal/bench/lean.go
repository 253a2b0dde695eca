//go:build !bench

package bench

import (
	"context"
	"errors"
	"fmt"
)

// Full says that this program leaves out the lines of leftOut.
const Full = false

var errLean = errors.New(getFull)

func startServer(func(string, ...any)) (server, error) {
	return nil, fmt.Errorf("%w. Give the address of one with --postgres. %w", errNoServer, errLean)
}

func (s *series) turn(context.Context) error { return nil }

func (b *bench) waiting(context.Context) error { return nil }

func (e errand) wait(context.Context) error { return errLean }

func (b *bench) retrieval(context.Context) error { return nil }
