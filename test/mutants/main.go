// Command mutants plants faults in the program, one at a time, and looks whether
// a test notices. A fault that no test notices says where the next real one could
// hide.
//
//	go run ./test/mutants                   all of them
//	go run ./test/mutants contact turn      those in contact.txt and turn.txt
//	go run ./test/mutants -match token      those with this word in their title
//	go run ./test/mutants -day 20772        those that the tests tried on that day
//	go run ./test/mutants -check            only whether each of them can be planted
//	go run ./test/mutants -build            only whether each of them compiles
//
// The lists are the .txt files beside this one; list.go says how they are
// written. Nothing in the tree is changed: the compiler is shown a copy in place
// of the file with the fault (go help build, -overlay). Run it beside a
// PostgreSQL server, as make mutate does.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

func main() {
	var o options
	flag.StringVar(&o.match, "match", "", "only faults with this in their title or file")
	flag.BoolVar(&o.check, "check", false, "only look whether each fault can be planted")
	flag.BoolVar(&o.build, "build", false, "only look whether each fault compiles")
	flag.BoolVar(&o.note, "note", false, "write down which test found each fault")
	flag.IntVar(&o.day, "day", 0, "only the six that the tests try on this day, counted from 1970")
	flag.IntVar(&o.jobs, "j", 2, "how many to try at once")
	flag.BoolVar(&o.verbose, "v", false, "show what the tests said of each fault")
	flag.Parse()
	o.lists = flag.Args()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	ok, err := run(ctx, o)
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
	}
	if err != nil || !ok {
		os.Exit(1)
	}
}

type options struct {
	match                       string
	check, build, note, verbose bool
	day, jobs                   int
	lists                       []string
}

func run(ctx context.Context, o options) (ok bool, err error) {
	root, err := findRoot()
	if err != nil {
		return false, err
	}
	faults, err := readLists(filepath.Join(root, "test", "mutants"), o.lists...)
	if err != nil {
		return false, err
	}
	if err := checkAll(root, faults); err != nil {
		return false, err
	}
	if o.day > 0 {
		faults = ofDay(faults, o.day, aDay)
	}
	var chosen []*fault
	for _, f := range faults {
		if strings.Contains(f.title, o.match) || strings.Contains(f.file, o.match) {
			chosen = append(chosen, f)
		}
	}
	if o.check {
		fmt.Printf("%d faults can be planted\n", len(chosen))
		return true, nil
	}
	if o.build {
		return buildAll(ctx, root, chosen)
	}
	t := &tally{verbose: o.verbose}
	began := time.Now()
	tryAll(ctx, root, chosen, o.jobs, t)
	if o.note {
		if err := writeNotes(filepath.Join(root, "test", "mutants"), chosen); err != nil {
			return false, err
		}
	}
	return t.sum(time.Since(began)), ctx.Err()
}

// buildAll prints which faults do not compile.
func buildAll(ctx context.Context, root string, faults []*fault) (ok bool, err error) {
	ok = true
	for _, f := range faults {
		if err := build(ctx, root, f); err != nil {
			ok = false
			fmt.Printf("%s.txt: %s: %v\n", f.list, f, err)
		}
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
	}
	fmt.Printf("%d faults were compiled\n", len(faults))
	return ok, nil
}

// aDay is how many faults every run of the tests tries.
const aDay = 6

// today is the number of a day.
func today(now time.Time) int { return int(now.Unix() / (24 * 60 * 60)) }

// ofDay are n of the faults, the next n on the next day, and so on around.
func ofDay(faults []*fault, day, n int) (chosen []*fault) {
	for i := range min(n, len(faults)) {
		chosen = append(chosen, faults[(day*n+i)%len(faults)])
	}
	return chosen
}

// tryAll tries the faults, so many at a time.
func tryAll(ctx context.Context, root string, faults []*fault, jobs int, t *tally) {
	next := make(chan *fault)
	var workers sync.WaitGroup
	for range max(1, jobs) {
		workers.Go(func() {
			for f := range next {
				t.add(f, try(ctx, root, f, patience))
			}
		})
	}
	for _, f := range faults {
		if ctx.Err() != nil {
			break
		}
		next <- f
	}
	close(next)
	workers.Wait()
}

// tally counts, and reports each fault as it is tried.
type tally struct {
	verbose bool

	mu    sync.Mutex
	tried map[outcome][]*fault
}

func (t *tally) add(f *fault, v verdict) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.tried == nil {
		t.tried = map[outcome][]*fault{}
	}
	o, why := f.judge(v)
	t.tried[o] = append(t.tried[o], f)
	fmt.Printf("%-9s %s: %s (%s)\n", o, f, why, v.took.Round(time.Second/10))
	if t.verbose {
		fmt.Println(v.output)
	}
}

// sum prints the result, and reports whether nothing survived that should have been
// found.
func (t *tally) sum(took time.Duration) bool {
	n := 0
	for _, list := range t.tried {
		n += len(list)
	}
	fmt.Printf("\n%d faults in %s: %d found, %d harmless, %d survived, %d in error\n", n, took.Round(time.Second),
		len(t.tried[found]), len(t.tried[harmless]), len(t.tried[survived]), len(t.tried[wrong]))
	for _, o := range []outcome{survived, wrong} {
		for _, f := range t.tried[o] {
			fmt.Println(o+":", f)
		}
	}
	return len(t.tried[survived]) == 0 && len(t.tried[wrong]) == 0
}

// findRoot is the folder of the module.
func findRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("no go.mod here or above: run it within the project")
		}
		dir = filepath.Dir(dir)
	}
}
