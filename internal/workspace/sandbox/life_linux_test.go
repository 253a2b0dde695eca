package sandbox

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// inEach runs a test in every kind of sandbox that this machine has; one it must have.
func inEach(t *testing.T, test func(t *testing.T, s *Sandbox)) {
	t.Helper()
	found := 0
	for _, kind := range []Kind{Bubblewrap, Landlock, Unsandboxed} {
		s, err := Find(t.Context(), configIn(t.TempDir(), kind))
		if err != nil {
			t.Logf("%s does not work here: %v", kind, errors.Unwrap(err))
			continue
		}
		if kind != Unsandboxed {
			found++
		}
		t.Run(string(kind), func(t *testing.T) { test(t, s) })
	}
	if found == 0 {
		t.Fatal("no sandbox works on this machine; scripts/setup installs bubblewrap")
	}
}

func run(t *testing.T, s *Sandbox, script string) Outcome {
	t.Helper()
	out, err := s.Run(t.Context(), Command{Script: script, Dir: s.Workspace, Time: time.Minute})
	if err != nil {
		t.Fatalf("%s: %v", script, err)
	}
	return out
}

// A file that the hub has open, or that whoever started the hub had open, is not
// open in a command.
func TestACommandInheritsNoDescriptor(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("TOP-SECRET"), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(secret)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD, 40) // without close-on-exec, as a parent leaves it
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = unix.Close(fd) }()
	inEach(t, func(t *testing.T, s *Sandbox) {
		out := run(t, s, fmt.Sprintf("cat <&%d; cat /proc/self/fd/%d; for d in /proc/self/fd/*; do echo ${d##*/}; done", fd, fd))
		if strings.Contains(out.Text, "TOP-SECRET") {
			t.Errorf("the command read %q", out.Text)
		}
		for _, line := range strings.Fields(run(t, s, "ls -1 /proc/self/fd").Text) {
			if line != "0" && line != "1" && line != "2" && line != "3" { // 3 is the folder that ls reads
				t.Errorf("descriptor %s is open", line)
			}
		}
	})
}

// A hub is killed again and again while its commands begin, run and end. Nothing of
// them stays, neither a process of theirs nor one of the sandbox.
func TestAKilledHubLeavesNothing(t *testing.T) {
	inEach(t, func(t *testing.T, s *Sandbox) {
		dir := t.TempDir()
		for n := range killedHubs {
			hub := exec.Command(os.Args[0], dir)
			hub.Env = append(os.Environ(), hubEnv+"="+string(s.Kind))
			out, err := hub.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := hub.Start(); err != nil {
				t.Fatal(err)
			}
			// Another moment each time: so many commands have begun.
			_, err = io.CopyN(io.Discard, out, int64((1+rand.IntN(2*commandsAtOnce))*len("begins\n")))
			if err := errors.Join(err, hub.Process.Kill()); err != nil {
				t.Fatalf("hub %d: %v", n, err)
			}
			_ = hub.Wait() // it was killed
		}
		deadline := time.After(30 * time.Second)
		tick := time.NewTicker(10 * time.Millisecond)
		defer tick.Stop()
		for len(naming(dir)) > 0 {
			select {
			case <-tick.C:
			case <-deadline:
				t.Fatalf("%d processes stay: %q", len(naming(dir)), naming(dir))
			}
		}
	})
}

// naming are the processes that name a folder in their arguments or run in it.
func naming(dir string) (list []string) {
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, file := range files {
		line, _ := os.ReadFile(file) // it may have ended
		cwd, _ := os.Readlink(filepath.Join(filepath.Dir(file), "cwd"))
		if bytes.Contains(line, []byte(dir)) || strings.HasPrefix(cwd, dir) {
			list = append(list, string(line))
		}
	}
	return list
}

// A server is asked to end by a signal that reaches it in its sandbox. If it does not
// care, it is ended with what it has started.
func TestAServerIsAskedToEnd(t *testing.T) {
	inEach(t, func(t *testing.T, s *Sandbox) {
		p, out := serve(t, s, `trap "echo bye; exit" TERM; echo ready; read word`)
		expect(t, out, "ready\n")
		p.Ask()
		expect(t, out, "bye\n")
		if err := p.Wait(); err != nil {
			t.Errorf("it ended with %v", err)
		}
		p, out = serve(t, s, `trap "" TERM; setsid sleep 88888 & echo ready; while :; do read word; done`)
		expect(t, out, "ready\n")
		p.Ask()
		p.End()
		_ = p.Wait() // it was ended
		if rest, err := io.ReadAll(out); err != nil || len(rest) > 0 {
			t.Errorf("it still wrote %q, %v", rest, err)
		}
	})
}

// serve starts a script as a server, and returns its output.
func serve(t *testing.T, s *Sandbox, script string) (*Supervised, *os.File) {
	t.Helper()
	p, err := s.Program(Program{Path: shellPath(), Args: []string{"-c", script}, Dir: s.Workspace})
	if err != nil {
		t.Fatal(err)
	}
	theirIn, ourIn, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	ourOut, theirOut, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	p.Env, p.Stdin, p.Stdout, p.Stderr = append(os.Environ(), s.Home()...), theirIn, theirOut, os.Stderr
	if err := errors.Join(p.Start(), theirIn.Close(), theirOut.Close()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		p.End()
		_ = errors.Join(ourIn.Close(), ourOut.Close())
	})
	return p, ourOut
}

func expect(t *testing.T, from io.Reader, want string) {
	t.Helper()
	got := make([]byte, len(want))
	if _, err := io.ReadFull(from, got); err != nil || string(got) != want {
		t.Fatalf("read %q, %v, want %q", got, err, want)
	}
}
