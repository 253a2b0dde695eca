package crash

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"parley/api"
	"parley/client"
)

// A kill cannot show a missing sync: what was written is in the kernel, which lives
// on. So the system calls themselves are inspected: nothing may be acknowledged
// before the database's log with it has been synced.
func TestASyncPrecedesEveryAcknowledgement(t *testing.T) {
	g := newGround(t)
	p := g.place("hub", team{})
	p.wrap = g.strace("hub.trace")
	h := g.start(p)
	markers := g.contactAtOnce(h.waitUp())
	h.stop()
	if wrong := g.unsynced("hub.trace", h.cmd.Process.Pid, markers); len(wrong) > 0 {
		t.Errorf("%d of %d contacts: %v", len(wrong), len(markers), wrong)
	}
}

// What was done for an answer reaches the disk with the answer at the latest, and an ask that
// is not answered in time with the word that it goes on.
func TestASyncPrecedesEveryAnswer(t *testing.T) {
	g := newGround(t)
	p := g.place("hub", team{})
	p.wrap = g.strace("hub.trace")
	h := g.start(p)
	hub := h.waitUp()
	const callers, each = 2, 6
	var all sync.WaitGroup
	errs := make([]error, callers)
	results := map[string]string{} // the text that has to be stored, by its marker
	for caller := range callers {
		for n := range each {
			if name := marker(caller, n); n%2 == 0 {
				results[name] = "chain #" + name + ": sum of book"
			} else {
				results[name] = "chain #" + name
			}
		}
		all.Go(func() {
			for n := range each {
				r := api.ContactRequest{Action: "ask", Agent: "Lead", Message: "chain #" + marker(caller, n), Wait: []float64{30, 0.001}[n%2]}
				c, err := hub.Contact(context.Background(), r)
				if err == nil && (c.Task.State == "completed") != (n%2 == 0) {
					err = fmt.Errorf("%d: %s is %s", n, c.Task.ID, c.Task.State)
				}
				errs[caller] = errors.Join(errs[caller], err)
			}
		})
	}
	all.Wait()
	h.stop()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	calls := g.calls("hub.trace", h.cmd.Process.Pid)
	for name, text := range results {
		if err := syncedBeforeAnswer(calls, name, text); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// The same inspection must find out a hub that does not sync. A third hub, which
// differs from that one only in the setting, shows that it is the setting that was
// found.
func TestAMissingSyncIsFound(t *testing.T) {
	for _, c := range []struct {
		synchronous string
		syncs       bool
	}{{"FULL", true}, {"OFF", false}} {
		t.Run(c.synchronous, func(t *testing.T) {
			g := newGround(t)
			hub, process, end := g.startLax(c.synchronous)
			markers := g.contactAtOnce(hub)
			end()
			wrong := g.unsynced("lax.trace", process, markers)
			if c.syncs && len(wrong) > 0 {
				t.Errorf("%d of %d contacts: %v", len(wrong), len(markers), wrong)
			}
			if !c.syncs && len(wrong) < len(markers) {
				t.Errorf("only %d of %d contacts were found to be acknowledged without a sync: %v", len(wrong), len(markers), wrong)
			}
		})
	}
}

func (g *ground) strace(trace string) []string {
	g.Helper()
	if _, err := exec.LookPath("strace"); err != nil {
		g.Fatalf("this test needs strace; scripts/setup installs it: %v", err)
	}
	return straceCommand(g.path(trace))
}

// contactAtOnce makes contacts of all kinds from several clients at once, so
// that they share commits, and returns the words by which they are found in a
// trace.
func (g *ground) contactAtOnce(hub *client.Client) []string {
	g.Helper()
	const callers, each = 4, 6
	markers := make([]string, 0, callers*each)
	var all sync.WaitGroup
	errs := make([]error, callers)
	for caller := range callers {
		for n := range each {
			markers = append(markers, marker(caller, n))
		}
		all.Go(func() {
			for n := range each {
				r := api.ContactRequest{Action: []string{"notify", "delegate", "ask"}[n%3], Agent: "Ann", Message: "part #" + marker(caller, n)}
				_, err := hub.Contact(context.Background(), r)
				errs[caller] = errors.Join(errs[caller], err)
			}
		})
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		g.Fatal(err)
	}
	return markers
}

func marker(caller, n int) string { return fmt.Sprintf("marker-%c-%c-end", 'a'+caller, 'a'+n) }

// unsynced is that of the calls of a process that has ended.
func (g *ground) unsynced(trace string, process int, markers []string) map[string]string {
	g.Helper()
	return unsynced(g.calls(trace, process), markers)
}

// calls reads the trace of a process that has ended.
func (g *ground) calls(trace string, process int) []systemCall {
	g.Helper()
	var text []byte
	g.eventually("strace has written everything", func(context.Context) (bool, error) {
		var err error
		text, err = os.ReadFile(g.path(trace))
		last := fmt.Sprintf("\n%d +++ ", process)
		padded := fmt.Sprintf("\n%-5d +++ ", process)
		return strings.Contains(string(text), last) || strings.Contains(string(text), padded), err
	})
	calls, err := parseTrace(strings.NewReader(string(text)))
	if err != nil {
		g.Fatal(err)
	}
	return calls
}

// startLax starts this program as a hub that syncs as told.
func (g *ground) startLax(synchronous string) (hub *client.Client, process int, end func()) {
	g.Helper()
	self, err := os.Executable()
	if err != nil {
		g.Fatal(err)
	}
	p := &place{wrap: g.strace("lax.trace"), log: g.path("lax.log"), program: []string{self}}
	p.change = func(cmd *exec.Cmd) { cmd.Env = append(cmd.Env, laxEnv+"="+synchronous) }
	h := g.start(p)
	var up laxUp
	if err := json.Unmarshal(h.firstLine(), &up); err != nil {
		g.Fatal(err)
	}
	return client.New(up.URL, up.Token), h.cmd.Process.Pid, h.kill
}

// The calls of several threads are interleaved in a trace; what counts is when
// each began and when it was done.
func TestUnsynced(t *testing.T) {
	const (
		request = `10 read(7<socket:[1]>, "POST /v1/contacts HTTP/1.1\r\n\r\n{\"message\":\"word\"}", 4096) = 90` + "\n"
		written = `11 pwrite64(5</data/parley.db-wal>, "\r\0\0word", 4096, 32) = 4096` + "\n"
		synced  = `11 fsync(5</data/parley.db-wal>) = 0` + "\n"
		begun   = `11 fsync(5</data/parley.db-wal> <unfinished ...>` + "\n"
		resumed = `11 <... fsync resumed>)             = 0` + "\n"
		failed  = `11 fsync(5</data/parley.db-wal>) = -1 EIO (Input/output error)` + "\n"
		other   = `11 fsync(6</data/other>) = 0` + "\n"
		answer  = `10 write(7<socket:[1]>, "HTTP/1.1 200 OK\r\n\r\n{}", 22) = 22` + "\n"
	)
	for _, c := range []struct{ name, trace, wrong string }{
		{"as it should be", request + written + synced + answer, ""},
		{"the sync takes its time", request + written + begun + resumed + answer, ""},
		{"the answer comes before the sync is done", request + written + begun + answer + resumed, "without a sync"},
		{"the answer comes first", request + answer + written + synced, "before it was written"},
		{"the sync is of something before", request + synced + written + answer, "without a sync"},
		{"the sync is of another file", request + written + other + answer, "without a sync"},
		{"the sync fails", request + written + failed + answer, "without a sync"},
		{"nothing is answered", request + written + synced, "never answered"},
	} {
		calls, err := parseTrace(strings.NewReader(c.trace))
		if err != nil {
			t.Fatal(err)
		}
		wrong := unsynced(calls, []string{"word"})["word"]
		if !strings.Contains(wrong, c.wrong) || c.wrong == "" && wrong != "" {
			t.Errorf("%s: %q, want %q", c.name, wrong, c.wrong)
		}
	}
}
