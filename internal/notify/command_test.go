//go:build unix

package notify_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley/internal/notify"
)

// script writes a program into the team's folder.
func (w *world) script(name, text string) {
	w.t.Helper()
	path := filepath.Join(w.dir, name)
	err := os.WriteFile(path+".new", []byte("#!/bin/sh\n"+text+"\n"), 0o755)
	if err == nil {
		err = os.Rename(path+".new", path) // it is there whole, or not at all
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

// pipe makes a pipe in the team's folder. Reading it waits for a program that writes
// there.
func (w *world) pipe(name string) (read func() string) {
	w.t.Helper()
	path := filepath.Join(w.dir, name)
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		w.t.Fatal(err)
	}
	return func() string {
		text, err := os.ReadFile(path)
		if err != nil {
			w.t.Fatal(err)
		}
		return string(text)
	}
}

// A command gets the notice on its standard input, in the team's folder, with its
// arguments as they are and without the hub's secrets. What it writes is logged.
func TestACommandIsGivenTheNotice(t *testing.T) {
	w := newWorld(t)
	read := w.pipe("out")
	w.script("tell.sh", `{ cat; echo "$1"; pwd; env; } > out; echo "written by the script, $2"`)
	teller := w.teller(quick, notify.Target{Command: []string{"./tell.sh", "--urgent $HOME; true", secret}})
	w.mail("Bot", "Ada", "It's \"done\".")
	stop := w.run(teller)
	lines := strings.Split(read(), "\n")
	var got notify.Notice
	if err := json.Unmarshal([]byte(lines[0]), &got); err != nil || got.Kind != "mail" || got.Person != "Ada" || got.Text != `It's "done".` {
		t.Errorf("%v: %s", err, lines[0])
	}
	if lines[1] != "--urgent $HOME; true" {
		t.Errorf("the argument is %q", lines[1])
	}
	if dir, err := filepath.EvalSymlinks(w.dir); err != nil || lines[2] != dir {
		t.Errorf("it ran in %q, not in %q: %v", lines[2], dir, err)
	}
	env := strings.Join(lines[3:], "\n")
	if strings.Contains(env, secretEnv) || strings.Contains(env, secret) || !strings.Contains(env, "PATH=") {
		t.Errorf("its environment: %s", env)
	}
	stop()
	if log := w.log.String(); !strings.Contains(log, "written by the script") || strings.Contains(log, secret) {
		t.Errorf("the log: %s", log)
	}
	if states, err := teller.States(t.Context()); err != nil || states[0].Problem != "" || states[0].Target != "command tell.sh" {
		t.Errorf("%+v, %v", states, err)
	}
}

// A command that fails is tried again, then given up.
func TestACommandThatFails(t *testing.T) {
	w := newWorld(t)
	read := w.pipe("out")
	w.script("tell.sh", `cat > seen; if grep -q poison seen; then echo x >> count; exit 3; fi; cat count > out`)
	teller := w.teller(quick, notify.Target{Command: []string{"./tell.sh"}})
	w.mail("Bot", "Ada", "poison")
	w.mail("Bot", "Ada", "good")
	stop := w.run(teller)
	if got := read(); got != "x\nx\nx\n" {
		t.Errorf("tried: %q", got)
	}
	stop()
	if states, err := teller.States(t.Context()); err != nil || states[0].GivenUp != 1 {
		t.Errorf("%+v, %v", states, err)
	}
	if !strings.Contains(w.log.String(), "the command ended with code 3") {
		t.Errorf("%s", w.log)
	}
}

// A command that hangs is ended with everything that it has started.
func TestACommandThatHangs(t *testing.T) {
	w := newWorld(t)
	read := w.pipe("out")
	// Reading ends when nobody has the pipe open any more: neither the script nor the
	// process that it leaves behind.
	w.script("tell.sh", `exec 3> out; if mkdir once 2>/dev/null; then trap '' TERM; echo hangs >&3; sleep 77777 & wait; sleep 77777; fi; echo done >&3`)
	timing := quick
	timing.Limit = time.Second
	timing.Pauses = slices.Repeat(timing.Pauses, 100) // a slow machine may need more tries
	teller := w.teller(timing, notify.Target{Command: []string{"./tell.sh"}})
	w.mail("Bot", "Ada", "it hangs")
	w.run(teller)
	for got := ""; got != "done\n"; got = read() {
		t.Logf("%q", got)
	}
	if !strings.Contains(w.log.String(), "the command took too long") {
		t.Errorf("%s", w.log)
	}
}

// A command that is not there is a matter of the target: nothing is given up before it
// is.
func TestACommandThatIsNotThere(t *testing.T) {
	w := newWorld(t)
	read := w.pipe("out")
	target := notify.Target{Command: []string{"./tell.sh"}}
	teller := w.teller(quick, target)
	w.mail("Bot", "Ada", "wait for it")
	w.run(teller)
	for {
		states, err := teller.States(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(states[0].Problem, "was not found") {
			break
		}
	}
	w.script("tell.sh", "cat > out")
	if got := read(); !strings.Contains(got, "wait for it") {
		t.Errorf("%q", got)
	}
}
