package demo_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/api"
	"parley/internal/cli/view"
	"parley/internal/demo"
)

func options(t *testing.T, out *bytes.Buffer) demo.Options {
	t.Setenv("TMPDIR", t.TempDir())
	return demo.Options{
		Out: out, Screen: view.Screen{Width: 80, Now: time.Now()}, Fast: true, Exit: true,
		Program: "parley",
		Log:     slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn})),
	}
}

func TestStory(t *testing.T) {
	var out bytes.Buffer
	if err := demo.Run(t.Context(), options(t, &out)); err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	told := out.String()
	for _, part := range []string{
		"you → CoordinatorBot  ask · task-101", "CoordinatorBot → DataBot  ask", "AnalystBot → DataBot  ask", "CoordinatorBot → ChartBot  delegate",
		"ChartBot → CoordinatorBot  failed", "Rate limit exceeded.", "CoordinatorBot → SketchBot  delegate", "CoordinatorBot → ArchiveBot  notify",
		"CoordinatorBot → you  answer · task-101", "The answer", "The task tree", "├─ ✗ ", "Who said what to whom", "├──",
	} {
		if !strings.Contains(told, part) {
			t.Errorf("the story does not tell %q", part)
		}
	}
	nothingLeft(t)
}

func nothingLeft(t *testing.T) {
	t.Helper()
	entries, err := os.ReadDir(os.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		t.Errorf("%s was left behind", e.Name())
	}
}

func TestJSONTellsEveryEvent(t *testing.T) {
	var out bytes.Buffer
	o := options(t, &out)
	o.JSON = true
	if err := demo.Run(t.Context(), o); err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	opened := 0
	for line := range strings.Lines(out.String()) {
		var e api.Event
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		if e.Kind == string(parley.EventTask) {
			opened++
		}
	}
	if opened != 7 {
		t.Errorf("%d tasks were opened, want 7", opened)
	}
}

func TestKeepLeavesTheTeam(t *testing.T) {
	var out bytes.Buffer
	o := options(t, &out)
	o.Keep = filepath.Join(t.TempDir(), "kept")
	if err := demo.Run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"parley.yaml", "script.yaml", "agents/databot.md", ".parley/parley.db"} {
		if _, err := os.Stat(filepath.Join(o.Keep, name)); err != nil {
			t.Error(err)
		}
	}
	nothingLeft(t)
	if err := demo.Run(t.Context(), o); parley.KindOf(err) != parley.Conflict {
		t.Errorf("a folder with something in it: %v", err)
	}
}

// It stays up until the context is done, which is no error.
func TestStaysUpUntilStopped(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	var out watched
	out.until("Talk to it from another terminal", stop)
	o := options(t, nil)
	o.Out, o.Exit = &out, false
	if err := demo.Run(ctx, o); err != nil {
		t.Fatal(err)
	}
	nothingLeft(t)
}

func TestStoppedInTheMiddle(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	var out watched
	out.until("CoordinatorBot → DataBot", stop)
	o := options(t, nil)
	o.Out, o.Fast = &out, false
	if err := demo.Run(ctx, o); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	nothingLeft(t)
}

// watched calls a function when a text has been written.
type watched struct {
	told bytes.Buffer
	text string
	do   func()
}

func (w *watched) until(text string, do func()) { w.text, w.do = text, do }

func (w *watched) Write(p []byte) (int, error) {
	n, err := w.told.Write(p)
	if w.do != nil && strings.Contains(w.told.String(), w.text) {
		w.do()
		w.do = nil
	}
	return n, err
}
