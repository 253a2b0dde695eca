//go:build !bench

package bench

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"parley"
)

// The lean program says what it leaves out, and how to get it.
func TestWhatIsLeftOutIsNamed(t *testing.T) {
	var out, progress bytes.Buffer
	o := Options{JSON: true, Store: engineSQLite, Only: "memory", Out: &out, Progress: &progress, Dir: t.TempDir()}
	if err := run(t.Context(), o, tinyPlan()); err != nil {
		t.Fatal(err)
	}
	if lines := parseLines(t, out.String()); len(lines) != 2 || lines[0].Name != memoryName || lines[1].Name != "memory.asks" {
		t.Errorf("measured: %+v", lines)
	}
	if want := "left out: memory.waiting, memory.limited. " + getFull; !strings.Contains(progress.String(), want) {
		t.Errorf("not said: %s\n%s", want, progress.String())
	}

	err := run(t.Context(), Options{Only: "sqlite.turn,retrieval", Out: &out}, tinyPlan())
	want := "This program does not measure sqlite.turn, sqlite.turn.watched, retrieval, retrieval.exact, retrieval.forms, retrieval.reworded. " + getFull
	if parley.KindOf(err) != parley.Invalid || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}

	progress.Reset()
	if err := run(t.Context(), Options{Store: enginePostgres, Only: "postgres.raw", Out: &out, Progress: &progress, Dir: t.TempDir()}, tinyPlan()); err != nil {
		t.Fatal(err)
	}
	if want := "postgres: left out. there is no server; give the address of one with --postgres, or use the program that 'make bench' builds"; !strings.Contains(progress.String(), want) {
		t.Errorf("not said: %s\n%s", want, progress.String())
	}
}

// The full program is another build: its tests are those of this package with the
// tag, and a script of the command line, in runs of their own.
func TestTheFullProgram(t *testing.T) {
	// The go command is to know that this result rests on files that this build
	// leaves out.
	for _, pattern := range []string{"*.go", "retrieval/*", "../model/wiretest/*.go", "../pgtest/*.go"} {
		names, err := filepath.Glob(pattern)
		if err != nil || len(names) == 0 {
			t.Fatalf("%s: %v", pattern, err)
		}
		for _, name := range names {
			if _, err := os.Stat(name); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, args := range [][]string{{"."}, {"../cli", "-run", "TestScripts/help"}} {
		text, err := exec.CommandContext(t.Context(), "go", append([]string{"test", "-tags", "bench", "-timeout", "5m"}, args...)...).CombinedOutput()
		if err != nil {
			t.Errorf("%v: %v\n%s", args, err, text)
		}
	}
}

// What only tests and the full program need is not in what people install.
func TestTheProgramIsLean(t *testing.T) {
	list, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "parley/cmd/parley").Output()
	if err != nil {
		t.Fatal(err)
	}
	for name := range strings.FieldsSeq(string(list)) {
		if strings.HasPrefix(name, "parley/") && strings.HasSuffix(name, "test") {
			t.Errorf("%s is in the program", name)
		}
	}
}
