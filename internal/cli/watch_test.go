package cli

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"parley/api"
	"parley/client"
)

var updateScreens = flag.Bool("update", false, "write the screens of parley watch anew")

// watching is a team with a hub, and parley watch in a terminal of tmux.
type watching struct {
	*testing.T
	team, socket string
	hub          *client.Client
	process      *exec.Cmd
	seen         string // the screen as it was last waited for
	screens      txtar.Archive
}

// The whole of parley watch in a real terminal: a person decides, answers and writes, on
// a narrow and on a wide screen, and while the hub is started anew.
func TestWatchInATerminal(t *testing.T) {
	w := newWatching(t)
	w.start()
	w.delegate("writer", "Run the tests.")
	w.eventually("the approval", func() bool { return len(w.approvals()) == 1 })
	w.delegate("planner", "Paint the door.")
	w.eventually("the question", func() bool { return w.task("task-102").State == "waiting" })

	w.tmux("new-session", "-d", "-x", "80", "-y", "24", w.command())
	w.see("2 wait for you", "Tasks 3", "writer runs true all tests", "writer wants approval", "planner hands work to ada")
	w.keep("80 columns, the feed")
	w.press("Tab")
	w.see("writer    awaiting approval")
	w.keep("80 columns, agents")
	w.press("Tab")
	w.see("└─◌ ada Which colour")
	w.keep("80 columns, tasks")
	w.press("w")
	w.see("A always (allow:tool:shell:true all tests)")
	w.keep("80 columns, what waits")

	w.decide()
	w.answer()
	w.write()

	w.tmux("resize-window", "-x", "140", "-y", "30")
	w.press("Escape") // and the line about what was done goes away
	w.see("│", "writer answers ada: You said: hello there", "→ exit code 0", "✓ writer hello there", "parley orchard · today", " Tab next pane")
	w.keep("140 columns")

	w.restart()
	w.press("?")
	w.see("hand work to somebody", "parley orchard · today")
	w.keep("140 columns, the keys")
	w.press("Escape")
	w.unseen("hand work to somebody")
	w.press("q")
	w.eventually("the end", func() bool { return w.try("has-session") != nil })
	w.compare()
}

// decide approves for ever.
func (w *watching) decide() {
	w.press("s")
	w.see(`"command": "true all tests"`)
	w.keep("80 columns, a whole call")
	w.press("Escape") // alone: with another key it would be that key with Alt
	w.see("a approve", "s show")
	w.press("A")
	w.see("Approved approval-1", "1 waits for you")
	w.eventually("the rule", func() bool {
		file, err := os.ReadFile(filepath.Join(w.team, "agents", "writer.md"))
		return err == nil && strings.Contains(string(file), "tool:shell:true all tests")
	})
	w.eventually("the end of the task", func() bool { return w.task("task-101").State == "completed" })
	if a, err := w.hub.Approval(w.Context(), "approval-1"); err != nil || a.DecidedBy != "ada" || a.State != "approved" {
		w.Errorf("approval-1 is %+v, %v", a, err)
	}
}

// answer chooses by number; the agent reads the choice.
func (w *watching) answer() {
	w.press("w") // the decision before has chosen nothing
	w.see("2 old red")
	w.press("2")
	w.see("Answered task-103 of planner: old red")
	w.eventually("the answer", func() bool { return w.task("task-102").State == "completed" })
	if got, want := w.task("task-102").Result, "Painted. Response from ada: old red"; got != want {
		w.Errorf("the agent made of it: %q, want %q", got, want)
	}
}

// write hands work over, with a completed name.
func (w *watching) write() {
	w.see("parley orchard · today", "Tasks   For you")
	w.press("@", "w", "r", "Tab")
	w.see("@writer")
	w.tmux("send-keys", "-l", "hello there")
	w.see("@writer hello there", "Enter hands this to writer")
	w.keep("80 columns, a line")
	w.press("Enter", "Tab")
	w.see("writer answers ada: You said: hello there")
	w.press("#")
	w.tmux("send-keys", "-l", "standup Good morning.")
	w.press("Enter")
	w.see("ada posts in #standup: Good morning.")
}

// restart ends the hub and starts it again, perhaps at another address. What is asked
// for afterwards is denied.
func (w *watching) restart() {
	w.stop()
	w.see("The connection is lost, trying again")
	w.start()
	w.unseen("The connection is lost")
	w.delegate("writer", "Please remove it.")
	w.see("1 waits for you")
	w.press("w", "d")
	w.see("Why not")
	w.tmux("send-keys", "-l", "Not today.")
	w.press("Enter")
	w.see("Denied approval-2")
	w.eventually("the denial", func() bool {
		a, err := w.hub.Approval(w.Context(), "approval-2")
		return err == nil && a.State == "denied" && a.Reason == "Not today."
	})
	w.see("writer answers ada: Well then", "parley orchard · today") // nobody works any more
}

func newWatching(t *testing.T) *watching {
	for _, need := range []string{"tmux", "parley"} {
		if _, err := exec.LookPath(need); err != nil {
			t.Fatalf("%v; make setup installs what the tests need", err)
		}
	}
	// The path of a socket has to be short.
	dir, err := os.MkdirTemp("", "watch")
	if err != nil {
		t.Fatal(err)
	}
	w := &watching{T: t, team: filepath.Join(dir, "team"), socket: filepath.Join(dir, "tmux")}
	t.Cleanup(func() {
		_ = w.try("kill-server")
		w.stop()
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	if err := os.CopyFS(w.team, os.DirFS("testdata/watch/team")); err != nil {
		t.Fatal(err)
	}
	return w
}

// environment is that of all programs. It is noon, so that no day ends under way.
func (w *watching) environment() []string {
	return append(os.Environ(), "LANG=C.UTF-8", "LC_ALL=C.UTF-8", "TERM=xterm-256color", "NO_COLOR=", "PARLEY_DIR="+w.team, "PARLEY_URL=", "PARLEY_TEAM=",
		"GORACE=atexit_sleep_ms=0", "TEST_ZONE_HOURS="+strconv.Itoa(12-time.Now().UTC().Hour()))
}

func (w *watching) command() string { return "parley watch --dir " + w.team }

func (w *watching) start() {
	w.Helper()
	w.process = exec.Command("parley", "up", w.team)
	w.process.Env = w.environment()
	if err := w.process.Start(); err != nil {
		w.Fatal(err)
	}
	w.eventually("the hub", func() bool {
		hub, err := client.Discover(filepath.Join(w.team, ".parley"))
		if err != nil {
			return false
		}
		w.hub = hub
		_, err = hub.Hub(w.Context())
		return err == nil
	})
}

func (w *watching) stop() {
	if w.process == nil {
		return
	}
	w.hub.Close()
	_ = w.process.Process.Signal(syscall.SIGTERM)
	if err := w.process.Wait(); err != nil {
		w.Errorf("the hub ended with %v", err)
	}
	w.process = nil
}

func (w *watching) delegate(agent, text string) {
	w.Helper()
	if _, err := w.hub.Contact(w.Context(), api.ContactRequest{Action: "delegate", Agent: agent, Message: text}); err != nil {
		w.Fatal(err)
	}
}

func (w *watching) task(id string) api.Task {
	t, _ := w.hub.Task(w.Context(), id) // one that is not there yet has no state
	return t
}

func (w *watching) approvals() []api.Approval {
	list, err := w.hub.Approvals(w.Context(), false, 10)
	if err != nil {
		w.Fatal(err)
	}
	return list
}

func (w *watching) try(args ...string) error {
	_, err := w.output(args...)
	return err
}

func (w *watching) output(args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "tmux", append([]string{"-u", "-f", "/dev/null", "-S", w.socket}, args...)...)
	cmd.Env = w.environment()
	out, err := cmd.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("tmux %v: %w: %s", args, err, out)
	}
	return string(out), err
}

func (w *watching) tmux(args ...string) string {
	w.Helper()
	out, err := w.output(args...)
	if err != nil {
		w.Fatal(err)
	}
	return out
}

func (w *watching) press(keys ...string) {
	w.Helper()
	w.tmux(append([]string{"send-keys"}, keys...)...)
}

func (w *watching) eventually(what string, is func() bool) {
	w.Helper()
	w.until(is, func() string { return what })
}

// see waits until the screen shows all of the texts, and is not being drawn.
func (w *watching) see(texts ...string) {
	w.Helper()
	w.until(func() bool {
		before := w.seen
		w.seen = w.tmux("capture-pane", "-p")
		return w.seen == before && !slices.ContainsFunc(texts, func(text string) bool { return !strings.Contains(w.seen, text) })
	}, func() string { return fmt.Sprintf("%q on the screen:\n%s", texts, w.seen) })
}

func (w *watching) unseen(text string) {
	w.Helper()
	w.eventually("a screen without: "+text, func() bool { return !strings.Contains(w.tmux("capture-pane", "-p"), text) })
}

func (w *watching) until(is func() bool, what func() string) {
	w.Helper()
	deadline := time.After(time.Minute)
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for !is() {
		select {
		case <-deadline:
			w.Fatalf("it never came to %s", what())
		case <-tick.C:
		}
	}
}

var (
	screenClock  = regexp.MustCompile(`(\d{4}-\d\d-\d\d )?\d\d:\d\d:\d\d`)
	screenSpan   = regexp.MustCompile(` (\d+d \d+h|\d+d|\d+h \d+m|\d+h|\d+m \d+s|\d+m|[\d.]+s|\d+ms)( left| task-\d+|\n| │|$)`)
	screenTook   = regexp.MustCompile(`exit code 0 +([\d.]+m?s) `)
	screenAgo    = regexp.MustCompile(`\((in [^)]*|[^)]* ago)\)`)
	screenTokens = regexp.MustCompile(`· \d+ tokens`) // known a moment after the rest
	screenSecret = regexp.MustCompile(`(approval-\d+-)[a-z]{8}`)
)

// keep stores the screen that was seen last, with what differs from run to run made the same.
func (w *watching) keep(name string) {
	w.Helper()
	var b strings.Builder
	for line := range strings.Lines(w.seen) {
		line = screenClock.ReplaceAllString(line, "00:00:00")
		line = screenTokens.ReplaceAllStringFunc(line, func(s string) string { return strings.Repeat(" ", utf8.RuneCountInString(s)) })
		line = screenSecret.ReplaceAllString(line, "${1}abcdefgh")
		line = screenTook.ReplaceAllStringFunc(line, func(s string) string {
			took := screenTook.FindStringSubmatch(s)[1]
			return strings.Replace(s, took, strings.Repeat(" ", len(took)), 1)
		})
		line = screenAgo.ReplaceAllString(line, "(T)")
		line = screenSpan.ReplaceAllStringFunc(line, func(s string) string {
			m := screenSpan.FindStringSubmatch(s)
			return " " + strings.Repeat(" ", max(0, len(m[1])-1)) + "T" + m[2]
		})
		b.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
	w.screens.Files = append(w.screens.Files, txtar.File{Name: name, Data: []byte(b.String())})
}

func (w *watching) compare() {
	w.Helper()
	const file = "testdata/watch/screens.txtar"
	w.screens.Comment = []byte("Screens of parley watch; go test ./internal/cli -run TestWatchInATerminal -update writes them.\n\n")
	got := txtar.Format(&w.screens)
	if *updateScreens {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			w.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		w.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(string(got), "\n")); diff != "" {
		w.Errorf("the screens are not as before; if they are better, run with -update:\n%s", diff)
	}
}
