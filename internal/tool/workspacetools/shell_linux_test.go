package workspacetools

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley/internal/tool"
	"parley/internal/workspace"
	"parley/internal/workspace/sandbox"
)

// inEachSandbox runs a test in every sandbox that this machine has; one it must
// have.
func inEachSandbox(t *testing.T, test func(w *world)) {
	t.Helper()
	found := 0
	for _, kind := range []sandbox.Kind{sandbox.Bubblewrap, sandbox.Landlock} {
		w := newWorld(t)
		cfg := w.config()
		readOnly, hidden := workspace.Confine(cfg)
		box, err := sandbox.Find(t.Context(), sandbox.Config{Workspace: w.dir, Scratch: filepath.Join(w.dir, ".parley/shell"),
			ReadOnly: readOnly, Hidden: hidden, Only: kind})
		if err != nil {
			t.Logf("%s does not work here: %v", kind, errors.Unwrap(err))
			continue
		}
		found++
		t.Run(string(kind), func(t *testing.T) {
			inner := *w
			inner.T = t
			inner.open(box)
			test(&inner)
		})
	}
	if found == 0 {
		t.Fatal("no sandbox works on this machine; scripts/setup installs bubblewrap")
	}
}

func (w *world) shell(command string) (string, error) {
	w.Helper()
	return w.call("shell", map[string]any{"command": command, "timeout_seconds": 60})
}

// What a command must not be able to do, however it tries. Each ends with the
// secret in its output, or with a change, if it succeeds.
func TestNoCommandLeavesTheSandbox(t *testing.T) {
	t.Setenv("PARLEY_TOKEN", secret)
	t.Setenv("ANTHROPIC_API_KEY", secret)
	t.Setenv("OPENAI_API_KEY", secret)
	home, err := os.UserHomeDir()
	if err != nil {
		t.Fatal(err)
	}
	private := filepath.Join(home, ".parley-escape-test")
	if err := os.WriteFile(private, []byte(secret), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Remove(private) })
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			_, _ = conn.Write([]byte(secret + "\n"))
			_ = conn.Close()
		}
	}()
	port := listener.Addr().(*net.TCPAddr).Port
	pid := os.Getpid()
	inEachSandbox(t, func(w *world) {
		before := w.guarded()
		for _, command := range []string{
			"cat ../outside/secret.txt", "cat " + w.base + "/outside/secret.txt", "cat /proc/self/root" + w.base + "/outside/secret.txt",
			"ln -s ../outside/secret.txt src/l; cat src/l", "ln ../outside/secret.txt src/h; cat src/h", "cp -r ../outside src/; grep -r . src/outside",
			"cd .. && cat outside/secret.txt", "tar cf - -C .. outside | strings",
			"cat .parley/hub.token", "cat .parley/parley.db", "cat " + w.dir + "/.parley/hub.token", "ln .parley/hub.token src/t; cat src/t", "mv .parley src/p; cat src/p/hub.token",
			"cat parley.yaml", "mv parley.yaml src/y; cat src/y", "cp parley.yaml src/z; cat src/z",
			"echo x >> parley.yaml", "rm -f parley.yaml; echo x > parley.yaml", "chmod 777 parley.yaml; echo x > parley.yaml",
			"echo x > agents/new.md", "rm -rf agents", "mv agents src/agents && mkdir agents", "echo x >> agents/writer.md", "chmod -R 777 agents; touch agents/y", "umount agents; touch agents/z", "mount -o remount,rw agents; touch agents/w",
			"echo x > .git/hooks/pre-commit", "rm -rf .git", "mv .git src/git && mkdir -p .git/hooks", "git config core.hooksPath src",
			"echo x > ../outside/new", "echo x > " + w.base + "/outside/new", "rm -rf ../outside", "touch /usr/parley-escape /etc/parley-escape",
			"cat " + private, "cat ~root/.parley-escape-test", "ls -a " + home + " | grep escape-test && echo " + secret[:4] + secret[4:],
			"env", "export -p", fmt.Sprintf("tr '\\0' '\\n' < /proc/%d/environ", pid), "cat /proc/*/environ | tr '\\0' '\\n'", fmt.Sprintf("cat /proc/%d/cwd/../outside/secret.txt /proc/%d/root%s", pid, pid, private),
			"cat /etc/shadow && echo " + secret, fmt.Sprintf("kill -9 %d && echo %s", pid, secret), fmt.Sprintf("kill -0 %d && echo %s", os.Getppid(), secret),
			fmt.Sprintf("exec 3<>/dev/tcp/127.0.0.1/%d; cat <&3", port),
			"unshare -m -r sh -c 'umount .parley; cat .parley/hub.token'", "nsenter -t 1 -m cat " + w.dir + "/.parley/hub.token",
			"chroot /proc/1/root cat " + w.dir + "/.parley/hub.token", "mknod src/disk b 254 0 && echo " + secret, "echo c > /proc/sysrq-trigger && echo " + secret,
		} {
			text, err := w.shell(command)
			// What a shell says of a command repeats it.
			if shown := strings.ReplaceAll(text, command, ""); err != nil || strings.Contains(shown, secret) {
				w.Errorf("%s: %v\n%s", command, err, text)
			}
		}
		if after := w.guarded(); after != before {
			w.Errorf("something was changed:\n%s\nwas\n%s", after, before)
		}
		for _, folder := range []string{"..", "/", w.base, "src/../..", ".parley", "nowhere"} {
			if text, err := w.call("shell", map[string]any{"command": "pwd", "folder": folder}); err == nil {
				w.Errorf("a command ran in %s: %s", folder, text)
			}
		}
	})
}

func TestACommandCanWork(t *testing.T) {
	inEachSandbox(t, func(w *world) {
		for _, c := range []struct{ command, want string }{
			{"cat src/main.go | head -1", "exit code 0\npackage main"},
			{"echo made > src/made && cat src/made", "exit code 0\nmade"},
			{"mkdir -p src/a/b && mv src/a src/c && ls src/c", "exit code 0\nb"},
			{"echo $HOME > ~/x; cat ~/x; touch $TMPDIR/y", "exit code 0\n" + w.dir + "/.parley/shell/home"},
			{"exit 3", "exit code 3"},
			{"echo out; echo err >&2", "exit code 0\nout\nerr"},
			{"cat; echo end", "exit code 0\nend"}, // nothing can be typed
			{"cat agents/writer.md", "exit code 0\nYou write."},
			{"git config --file .git/config --get core.x; ls .git/hooks", "exit code 0\nREADME.md"},
		} {
			if text, err := w.shell(c.command); err != nil || text != c.want {
				w.Errorf("%s: %v\n%s", c.command, err, text)
			}
		}
		if w.read("team/src/made") != "made\n" {
			w.Error("what a command writes does not stay")
		}
	})
}

// The output of a command that floods is its beginning and its end.
func TestAFloodOfOutput(t *testing.T) {
	inEachSandbox(t, func(w *world) {
		text, err := w.shell("echo first; yes | head -c 20000000; echo last; exit 1")
		if err != nil || len(text) > 40<<10 || !strings.HasPrefix(text, "exit code 1\nfirst\n") || !strings.HasSuffix(text, "last") || !strings.Contains(text, "bytes left out") {
			w.Errorf("%v, %d bytes: %.100s", err, len(text), text)
		}
	})
}

// sleepers leave their process group, their session and their parent, and hold
// the output open. The script goes on when all have begun.
const sleepers = `for how in "setsid" "setsid -f" "nohup" "env"; do
  $how sh -c 'touch $TMPDIR/s$$; exec sleep 1111' &
done
sh -c '(setsid sh -c "touch \$TMPDIR/s\$\$; exec sleep 1111" &)' &
while [ $(ls $TMPDIR | grep -c ^s) -lt 5 ]; do :; done
`

// running counts the processes that a test has left behind, by an argument that
// nobody else has.
func running(t *testing.T, argument string) (count int) {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		data, _ := os.ReadFile(file)
		if strings.HasPrefix(string(data), "sleep\x00"+argument+"\x00") {
			count++
		}
	}
	return count
}

func TestACommandTakesItsProcessesWithIt(t *testing.T) {
	inEachSandbox(t, func(w *world) {
		argument := strconv.Itoa(10_000_000 + os.Getpid())
		script := strings.ReplaceAll(sleepers, "1111", argument)
		text, err := w.shell(script + "echo end")
		if err != nil || !strings.HasPrefix(text, "exit code 0\n") || !strings.HasSuffix(text, "end") {
			w.Errorf("%v\n%s", err, text)
		}
		awaitNone(w, argument)
	})
}

func TestTheTimeOfACommand(t *testing.T) {
	inEachSandbox(t, func(w *world) {
		argument := strconv.Itoa(20_000_000 + os.Getpid())
		script := strings.ReplaceAll(sleepers, "1111", argument)
		text, err := w.call("shell", map[string]any{"command": "trap '' TERM INT HUP\n" + script + "echo waiting; sleep " + argument, "timeout_seconds": 2})
		if err != nil || !strings.HasPrefix(text, "ended after 2s: the time was over") || !strings.HasSuffix(text, "waiting") {
			w.Errorf("%v\n%s", err, text)
		}
		awaitNone(w, argument)
	})
}

func TestACancelledCallEndsItsCommand(t *testing.T) {
	inEachSandbox(t, func(w *world) {
		argument := strconv.Itoa(30_000_000 + os.Getpid())
		ctx, cancel := context.WithCancel(w.Context())
		defer cancel()
		tl, _ := tool.Find(New(w.space, workspace.Access{}), "shell")
		ended := make(chan error, 1)
		go func() {
			_, err := tl.Prepare([]byte(`{"command": "setsid sleep `+argument+` & sleep `+argument+`"}`)).Run(ctx, tool.Call{})
			ended <- err
		}()
		await(w, func() bool { return running(w.T, argument) == 2 })
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			w.Errorf("the call returned %v", err)
		}
		awaitNone(w, argument)
	})
}

func awaitNone(w *world, argument string) {
	w.Helper()
	await(w, func() bool { return running(w.T, argument) == 0 })
}

// await polls a condition of other processes, which tell nobody when they end.
func await(w *world, holds func() bool) {
	w.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(30 * time.Second)
	for !holds() {
		select {
		case <-tick.C:
		case <-deadline:
			w.Fatal("it has not come to that")
		}
	}
}

// Without a sandbox nothing is kept in, but the processes end all the same.
func TestWithoutASandbox(t *testing.T) {
	w := newWorld(t)
	cfg := sandbox.Config{Workspace: w.dir, Scratch: filepath.Join(w.dir, ".parley/shell"), Only: sandbox.Unsandboxed}
	if _, err := sandbox.Find(t.Context(), cfg); err == nil {
		t.Fatal("commands run without a sandbox although nobody said so")
	}
	if _, there := tool.Find(New(w.space, workspace.Access{}), "shell"); there {
		t.Error("shell is offered where it cannot run")
	}
	cfg.Unsandboxed = true
	box, err := sandbox.Find(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	w.open(box)
	argument := strconv.Itoa(40_000_000 + os.Getpid())
	if text, err := w.shell(strings.ReplaceAll(sleepers, "1111", argument)); err != nil || !strings.HasPrefix(text, "exit code 0") {
		t.Errorf("%v\n%s", err, text)
	}
	awaitNone(w, argument)
	if err := syscall.Kill(os.Getpid(), 0); err != nil {
		t.Error(err)
	}
}
