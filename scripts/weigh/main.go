// Command weigh prints what each direct dependency adds to the program and to its
// first build.
//
// What a dependency adds are the packages that would go if nothing of ours imported
// it: itself and what is needed through it alone. What two dependencies need belongs
// to neither, and stands in the line "shared". Sizes are those of the symbols in the
// real program, so what the linker drops does not count; the tables that the linker
// makes of symbols are spread over them. The processor time is that of compiling in
// an empty cache, with the standard library compiled before; here what is shared
// counts for each that needs it.
package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const program = "./cmd/parley"

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "weigh:", err)
		os.Exit(1)
	}
}

func run() error {
	g, err := readGraph(program)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "parley-weigh-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	say("the program")
	sizes, total, err := readSizes(program, dir)
	if err != nil {
		return err
	}
	base := filepath.Join(dir, "std")
	say("the standard library, in an empty cache")
	library, err := compile(base, g.standard())
	if err != nil {
		return err
	}
	var rows []row
	for _, module := range g.direct() {
		alone := g.through(module)
		r := row{name: module, packages: len(alone), size: sum(sizes, alone)}
		say("%s", module)
		if r.compile, err = compileOn(base, filepath.Join(dir, "one"), g.imported(module)); err != nil {
			return err
		}
		rows = append(rows, r)
	}
	say("all of it")
	rest, err := compileOn(base, filepath.Join(dir, "all"), []string{program})
	if err != nil {
		return err
	}
	show(g, rows, sizes, total, library, rest)
	return nil
}

func say(format string, args ...any) { fmt.Fprintf(os.Stderr, "weighing "+format+" …\n", args...) }

// row is a line of the table.
type row struct {
	name     string
	packages int
	size     int64
	compile  time.Duration
}

func show(g *graph, rows []row, sizes map[string]int64, total int64, library, rest time.Duration) {
	slices.SortFunc(rows, func(a, b row) int { return cmp.Compare(b.size, a.size) })
	line := func(name string, packages int, size int64, compile string) {
		fmt.Printf("%-44s %9d %9.1f %9s\n", name, packages, float64(size)/1e6, compile)
	}
	seconds := func(d time.Duration) string { return fmt.Sprintf("%.1f", d.Seconds()) }
	fmt.Printf("%-44s %9s %9s %9s\n", "", "packages", "MB", "CPU s")
	left := total
	packages := len(g.packages)
	for _, r := range rows {
		line(r.name, r.packages, r.size, seconds(r.compile))
		left, packages = left-r.size, packages-r.packages
	}
	own := g.own()
	shared := g.shared()
	line("shared by several", len(shared), sum(sizes, shared), "")
	line("our own", len(own), sum(sizes, own), "")
	left, packages = left-sum(sizes, shared)-sum(sizes, own), packages-len(shared)-len(own)
	line("the standard library", packages, left, seconds(library))
	line("the whole, stripped, with the linker", len(g.packages), total, seconds(library+rest))
	fmt.Printf("\nshared: %s\n", strings.Join(shared, ", "))
}

func sum(sizes map[string]int64, names []string) (n int64) {
	for _, name := range names {
		n += sizes[name]
	}
	return n
}
