package demo_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/api"
	"parley/client"
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
		"AnalystBot → #reports  post", "CoordinatorBot → #reports  post", "PublisherBot  waits for your approval", "It wants to write public/Q3.md.",
		"CoordinatorBot → you  answer · task-101", "The answer", "The task tree", "├─ ✗ ", "Who said what to whom", "├──",
	} {
		if !strings.Contains(told, part) {
			t.Errorf("the story does not tell %q", part)
		}
	}
	for _, aside := range []string{"  question ·", "  mention ·", "ArchiveBot → PublisherBot", "waits for approval"} {
		if strings.Contains(told, aside) {
			t.Errorf("the story tells %q, which is for the page", aside)
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
	opened, happened := 0, map[string]int{}
	for line := range strings.Lines(out.String()) {
		var e api.Event
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		happened[e.Kind]++
		if e.Kind == string(parley.EventTask) && (e.Detail == string(parley.Ask) || e.Detail == string(parley.Delegate)) {
			opened++
		}
	}
	if opened != 7 {
		t.Errorf("%d tasks were opened, want 7", opened)
	}
	for kind, want := range map[parley.EventKind]int{
		parley.EventKept: 1, parley.EventQuestionAsked: 1, parley.EventQuestionForwarded: 2, parley.EventQuestionAnswered: 1, parley.EventApprovalRequested: 1,
	} {
		if got := happened[string(kind)]; got != want {
			t.Errorf("%d events %s, want %d", got, kind, want)
		}
	}
}

func TestKeepLeavesTheTeam(t *testing.T) {
	var out bytes.Buffer
	o := options(t, &out)
	o.Keep = filepath.Join(t.TempDir(), "kept")
	if err := demo.Run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"parley.yaml", "script.yaml", "agents/databot/agent.md", ".parley/parley.db"} {
		if _, err := os.Stat(filepath.Join(o.Keep, name)); err != nil {
			t.Error(err)
		}
	}
	nothingLeft(t)
	if err := demo.Run(t.Context(), o); parley.KindOf(err) != parley.Conflict {
		t.Errorf("a folder with something in it: %v", err)
	}
}

// It stays up until the context is done, which is no error. What waits for the reader can be
// decided, and something comes of it.
func TestYourTurn(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	o := options(t, nil)
	o.Keep = filepath.Join(t.TempDir(), "kept")
	var out watched
	out.until("Your turn\nPublisherBot waits for your approval to write public/Q3.md.", func() {
		go func() {
			defer stop()
			if err := approve(ctx, o.Keep); err != nil {
				t.Error(err)
			}
		}()
	})
	o.Out, o.Exit = &out, false
	if err := demo.Run(ctx, o); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(o.Keep, "public", "Q3.md"))
	if err != nil || !strings.Contains(string(page), "# The report for Q3") || !strings.Contains(string(page), "4.3 million") {
		t.Errorf("what was published: %q, %v", page, err)
	}
	for _, part := range []string{"parley approvals approval-1\n", "parley approve approval-1\n", "you  approved"} {
		if told := out.told.String(); !strings.Contains(told, part) {
			t.Errorf("%q is missing at the end of:\n%s", part, told)
		}
	}
	nothingLeft(t)
}

// approve does what the reader is invited to, and waits for what comes of it.
func approve(ctx context.Context, dir string) error {
	hub, err := client.Discover(filepath.Join(dir, ".parley"))
	if err != nil {
		return err
	}
	defer hub.Close()
	waiting, err := hub.Approvals(ctx, false, 0)
	if err != nil || len(waiting) != 1 {
		return fmt.Errorf("what waits: %v, %w", waiting, err)
	}
	if spent, err := hub.Cost(ctx, client.CostQuery{}); err != nil || spent.Total.Money <= 0 {
		return fmt.Errorf("the report cost nothing: %+v, %w", spent.Total, err)
	}
	if _, err := hub.Approve(ctx, waiting[0].ID, waiting[0].Digest); err != nil {
		return err
	}
	if t, err := hub.WaitTask(ctx, waiting[0].Task, time.Minute); err != nil || t.Result != "Published: `public/Q3.md`." {
		return fmt.Errorf("the task that waited says %q, %w", t.Result, err)
	}
	posts, err := hub.ReadChannel(ctx, "reports", 20)
	if err != nil || len(posts) == 0 || !strings.HasPrefix(posts[len(posts)-1].Body, "Published") {
		return fmt.Errorf("the channel reads %v, %w", posts, err)
	}
	return nil
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
