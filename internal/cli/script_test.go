package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"parley/client"
	"parley/internal/bench"
	"parley/internal/hubfile"
	"parley/internal/workspace/sandbox"
)

// The scripts run the real program, as processes of this test binary, with
// real hubs on free ports.
func TestMain(m *testing.M) {
	if code, child := sandbox.Child(os.Args[1:]); child {
		os.Exit(code) // a helper that a script's hub starts for a command
	}
	testscript.Main(m, map[string]func(){
		"parley": func() {
			hours, _ := strconv.Atoi(os.Getenv("TEST_ZONE_HOURS"))
			time.Local = time.FixedZone("noon", hours*60*60)
			os.Exit(Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
		},
		"mcp-test-server": serveMCP,
	})
}

func TestScripts(t *testing.T) { testscript.Run(t, scripts(t, "testdata/script")) }

// Joining from outside, and the hooks of clients.
func TestJoining(t *testing.T) { testscript.Run(t, scripts(t, "testdata/joining")) }

func scripts(t *testing.T, dir string) testscript.Params {
	t.Helper()
	testdata, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	return testscript.Params{
		Dir:                 dir,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("TESTDATA", testdata)
			e.Setenv("LANG", "C.UTF-8")
			// It is noon wherever the scripts run: a day that ends under way
			// would put dates before the times that they expect.
			e.Setenv("TEST_ZONE_HOURS", strconv.Itoa(12-time.Now().UTC().Hour()))
			e.Setenv("GORACE", "atexit_sleep_ms=0") // otherwise the race detector delays each command by a second
			e.Setenv("TMPDIR", e.WorkDir+"/tmp")
			e.Defer(func() { stopHubs(t, e.WorkDir) })
			return os.Mkdir(e.WorkDir+"/tmp", 0o777)
		},
		Condition: func(name string) (bool, error) {
			if name == "full" {
				return bench.Full, nil
			}
			return false, fmt.Errorf("there is no condition %q", name)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"team":        cmdTeam,
			"serving":     cmdServing,
			"closed":      cmdClosed,
			"exits":       cmdExits,
			"eventually":  cmdEventually,
			"json":        cmdJSON,
			"term":        cmdTerm,
			"provider":    cmdProvider,
			"replace":     cmdReplace,
			"certificate": cmdCertificate,
			"signin":      cmdSignin,
			"appears":     cmdAppears,
			"telegram":    cmdTelegram(t),
		},
	}
}

// stopHubs ends the hubs in the background that a script has left there.
func stopHubs(t *testing.T, dir string) {
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.Name() != "hub.json" {
			return nil // what a script has made unreadable is no hub of ours
		}
		if hub, err := hubfile.Find(filepath.Dir(path)); err == nil {
			_ = syscall.Kill(hub.Process, syscall.SIGKILL)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// team DIR writes a small team of scripted agents and two people.
func cmdTeam(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg, len(args) == 1, "team DIR")
	ts.Check(os.CopyFS(ts.MkAbs(args[0]), os.DirFS(filepath.Join(ts.Getenv("TESTDATA"), "team"))))
}

// serving DIR waits until the hub of the team in DIR answers.
func cmdServing(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg, len(args) == 1, "serving DIR")
	data := filepath.Join(ts.MkAbs(args[0]), ".parley")
	poll(ts, func() error {
		hub, err := client.Discover(data)
		if err == nil {
			hub.Close()
		}
		return err
	})
}

// closed DIR waits until the hub of the team in DIR takes no more requests.
func cmdClosed(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg, len(args) == 1, "closed DIR")
	data := filepath.Join(ts.MkAbs(args[0]), ".parley")
	poll(ts, func() error {
		hub, err := client.Discover(data)
		if err != nil {
			return nil
		}
		defer hub.Close()
		if _, err := hub.Hub(context.Background()); err == nil {
			return errors.New("it still answers")
		}
		return nil
	})
}

// exits CODE COMMAND... runs a command that must end with this exit code.
func cmdExits(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg, len(args) >= 2, "exits CODE COMMAND...")
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	var exit *exec.ExitError
	if err := ts.Exec(args[1], args[2:]...); errors.As(err, &exit) {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// eventually PATTERN COMMAND... runs a command until its output matches.
func cmdEventually(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg, len(args) >= 2, "eventually PATTERN COMMAND...")
	pattern, err := regexp.Compile("(?m)" + args[0])
	ts.Check(err)
	poll(ts, func() error {
		if err := ts.Exec(args[1], args[2:]...); err != nil {
			return err
		}
		if out := ts.ReadFile("stdout"); !pattern.MatchString(out) {
			return fmt.Errorf("no match for %s in %s", args[0], out)
		}
		return nil
	})
}

// json FILE PATH PATTERN finds a value, such as tasks.0.state, in a JSON
// document and compares it; json FILE PATH => NAME puts it into a variable.
// The file "lines" is the last line of stdout.
func cmdJSON(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg, len(args) == 3 || len(args) == 4 && args[2] == "=>", "json FILE PATH PATTERN|=> NAME")
	text := ""
	if args[0] == "lines" {
		lines := strings.Split(strings.TrimSpace(ts.ReadFile("stdout")), "\n")
		text = lines[len(lines)-1]
	} else {
		text = ts.ReadFile(args[0])
	}
	var doc any
	ts.Check(json.Unmarshal([]byte(text), &doc))
	value := fmt.Sprint(lookUp(ts, doc, args[1]))
	if len(args) == 4 {
		ts.Setenv(args[3], value)
		return
	}
	if !regexp.MustCompile("(?s)^(?:" + args[2] + ")$").MatchString(value) {
		ts.Fatalf("%s is %q, want %s", args[1], value, args[2])
	}
}

func lookUp(ts *testscript.TestScript, doc any, path string) any {
	for key := range strings.SplitSeq(path, ".") {
		switch node := doc.(type) {
		case map[string]any:
			doc = node[key]
		case []any:
			if key == "length" {
				return len(node)
			}
			i, err := strconv.Atoi(key)
			ts.Check(err)
			if i >= len(node) {
				ts.Fatalf("%s: there are %d", path, len(node))
			}
			doc = node[i]
		default:
			ts.Fatalf("%s: nothing is at %q", path, key)
		}
	}
	return doc
}

// term sends SIGTERM to every command in the background.
func cmdTerm(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg, len(args) == 0, "term")
	for _, cmd := range ts.BackgroundCmds() {
		ts.Check(cmd.Process.Signal(syscall.SIGTERM))
	}
}

func usage(ts *testscript.TestScript, neg, ok bool, text string) {
	if neg || !ok {
		ts.Fatalf("usage: %s", text)
	}
}

// poll tries until it works.
func poll(ts *testscript.TestScript, try func() error) {
	deadline := time.After(30 * time.Second)
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		err := try()
		if err == nil {
			return
		}
		select {
		case <-deadline:
			ts.Fatalf("it never came to that: %v", err)
		case <-tick.C:
		}
	}
}
