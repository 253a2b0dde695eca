// Package bench measures the hub beside the limits of the machine it runs on.
//
// A rate alone says more about the disk than about the program. So the limit
// is measured in the same run: three inserts a transaction through the same
// driver, with nothing else around them. What the hub does is given as a share
// of that, and the two take turns in short slices, since a machine is rarely
// as fast in one minute as in the next.
//
// The hub is the real one, put together by package app, with every row
// written; only the model is one that answers "ok" at once. What has to be
// another process, because it is killed or because its memory is measured, is
// this program started again: see Child.
//
// What only tests need otherwise, such as servers that stand in for a provider or
// for PostgreSQL, and the labelled messages, is in the program only if it is built
// with the tag bench: full.go. Without it the lines that need them are named and
// left out: lean.go.
package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"parley"
)

// Options say what to measure and where to write it.
type Options struct {
	// JSON writes one object a line instead of a table.
	JSON bool
	// Store is "sqlite", "postgres" or "all", which is the default.
	Store string
	// Only picks lines by name: a list of regular expressions, separated by
	// commas, each found anywhere in a name. What a line is compared with is
	// measured too.
	Only string
	// Quick takes under a minute, with smaller sizes.
	Quick bool
	Out   io.Writer
	// Progress receives what is going on, a line at a time; nil for nobody.
	Progress io.Writer
	// Dir is where the databases are made and removed again; the system's
	// temporary folder by default. It decides which disk is measured.
	Dir string
	// Postgres is the address of a database in which schemas may be made; they
	// are dropped again. A temporary server is started by default.
	Postgres string
	// Profile is a folder for the profiles of each line and the statements of each
	// contact; empty writes none.
	Profile string
	// Recall is a file of documents and queries. Then only how much of it is found is
	// measured.
	Recall string
}

// getFull says how to get what this program leaves out.
const getFull = "Test servers and labelled data are only in the program that 'make bench' builds, in parley's source."

// Run measures and reports. A target that is missed is part of the report and
// no error.
func Run(ctx context.Context, o Options) error {
	p := fullPlan()
	if o.Quick {
		p = quickPlan()
	}
	return run(ctx, o, p)
}

func run(ctx context.Context, o Options, p plan) (err error) {
	wanted, err := parseFilter(o.Only)
	if err != nil {
		return err
	}
	engines, err := chooseEngines(o.Store)
	if err != nil {
		return err
	}
	missing := wanted.of(leftOut(engines))
	if o.Recall == "" && !wanted.any(p.names(engines)) {
		if len(missing) > 0 {
			return parley.Errorf(parley.Invalid, "This program does not measure %s.", strings.Join(missing, ", ")).WithHint("%s", getFull)
		}
		return parley.Errorf(parley.Invalid, "No measurement is named like %q.", o.Only).
			WithHint("The names are %s and the like.", nameExamples(p, engines))
	}
	dir, err := os.MkdirTemp(o.Dir, "parley-bench-")
	if err != nil {
		return parley.Errorf(parley.Internal, "There is no place for the databases: %v.", err).WithCause(err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	profile, err := newProfiler(o.Profile)
	if err != nil {
		return parley.Errorf(parley.Invalid, "There is no place for the profiles: %v.", err).WithCause(err)
	}
	defer profile.end()
	b := &bench{plan: p, wanted: wanted, dir: dir, options: o, report: newReport(o), profile: profile}
	b.say("%d processors, %s %s/%s, databases in %s", runtime.NumCPU(), runtime.Version(), runtime.GOOS, runtime.GOARCH, filepath.Dir(dir))
	if o.Recall != "" {
		return errors.Join(b.recall(ctx, o.Recall), b.report.end())
	}
	if len(missing) > 0 {
		b.say("left out: %s. %s", strings.Join(missing, ", "), getFull)
	}
	for _, name := range engines {
		if err := b.engine(ctx, name); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	if err := b.memory(ctx); err != nil {
		return fmt.Errorf("memory: %w", err)
	}
	if err := b.asks(ctx); err != nil {
		return fmt.Errorf("asks: %w", err)
	}
	if err := b.largeTeam(ctx); err != nil {
		return fmt.Errorf("team: %w", err)
	}
	if err := b.ways(ctx); err != nil {
		return fmt.Errorf("doors: %w", err)
	}
	if err := b.nested(ctx); err != nil {
		return fmt.Errorf("nested: %w", err)
	}
	if err := b.polls(ctx); err != nil {
		return fmt.Errorf("poll: %w", err)
	}
	if err := b.streams(ctx); err != nil {
		return fmt.Errorf("streams: %w", err)
	}
	if err := b.waiting(ctx); err != nil {
		return fmt.Errorf("waiting: %w", err)
	}
	if err := b.limited(ctx); err != nil {
		return fmt.Errorf("limited: %w", err)
	}
	if err := b.retrieval(ctx); err != nil {
		return fmt.Errorf("retrieval: %w", err)
	}
	return b.report.end()
}

// bench is one run.
type bench struct {
	plan    plan
	wanted  filter
	dir     string
	options Options
	report  *report
	profile *profiler
}

func (b *bench) say(format string, args ...any) {
	if b.options.Progress != nil {
		// Nobody is helped by a measurement that ends because its progress cannot
		// be shown.
		_, _ = fmt.Fprintf(b.options.Progress, format+"\n", args...)
	}
}

// engine measures everything on one of the databases.
func (b *bench) engine(ctx context.Context, name string) error {
	if !b.wanted.any(b.plan.engineNames(name)) {
		return nil
	}
	e, err := b.openEngine(ctx, name)
	if errors.Is(err, errNoServer) {
		b.say("%s: left out. %v", name, err)
		return nil
	}
	if err != nil {
		return err
	}
	s := newSeries(b, e)
	err = s.run(ctx)
	if err == nil {
		err = s.ruled(ctx)
	}
	if err == nil {
		err = s.large(ctx)
	}
	if err == nil {
		err = s.search(ctx)
	}
	if err == nil {
		err = s.turn(ctx)
	}
	if err == nil {
		err = s.restart(ctx)
	}
	if err == nil {
		err = s.frozen(ctx)
	}
	return errors.Join(err, s.drop(ctx), e.close())
}
