package view_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/api"
	"parley/internal/cli/view"
)

var update = flag.Bool("update", false, "write the golden files")

// golden compares a text with testdata/NAME.golden.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.MkdirAll("testdata", 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v; run the test with -update to write it", err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got); -update takes the new text:\n%s", file, diff)
	}
}

// fits fails if a line is wider than the screen.
func fits(t *testing.T, s view.Screen, text string) {
	t.Helper()
	for line := range strings.Lines(text) {
		if n := view.Columns(strings.TrimSuffix(line, "\n")); n > s.Width {
			t.Errorf("%d columns on a screen of %d: %s", n, s.Width, line)
		}
	}
}

var noon = time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)

func at(seconds float64) time.Time { return noon.Add(time.Duration(seconds * float64(time.Second))) }

func ptr(t time.Time) *time.Time { return &t }

// screens are the terminals that everything must be readable on.
func screens() map[string]view.Screen {
	return map[string]view.Screen{
		"file":   {Now: at(60)},
		"wide":   {Now: at(60), Width: 132},
		"usual":  {Now: at(60), Width: 80},
		"narrow": {Now: at(60), Width: 40},
		"ascii":  {Now: at(60), Width: 80, ASCII: true},
		"color":  {Now: at(60), Width: 80, Color: true},
	}
}

func task(id, requester, agent, pattern, title, state string, from, to float64) api.Task {
	t := api.Task{ID: id, Requester: requester, Agent: agent, Pattern: pattern, Title: title, State: state,
		Priority: "normal", Created: at(from), Root: "task-101", Thread: "thread-1", Request: "msg-1", Turns: 1}
	if to > 0 {
		t.Ended = ptr(at(to))
	}
	return t
}

func tree(t api.Task, children ...api.TaskTree) api.TaskTree {
	for i := range children {
		children[i].Parent = t.ID
	}
	return api.TaskTree{Task: t, Children: children}
}
