package sandbox

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestLimitsOfACommand(t *testing.T) {
	inEach(t, func(t *testing.T, s *Sandbox) {
		s.Limits = Limits{Memory: 2 << 30, FileSize: 1 << 20, OpenFiles: 99, Processes: 500}
		// The race detector alone needs hundreds of megabytes in the supervisor.
		if out := run(t, s, "exec dd if=/dev/zero of=/dev/null bs=3000M count=1"); out.Code == 0 {
			t.Errorf("it had 3000 MiB: %+v", out)
		}
		out := run(t, s, "head -c 5000000 /dev/zero > big")
		info, err := os.Stat(filepath.Join(s.Workspace, "big"))
		if err != nil || info.Size() > 1<<20 || out.Code == 0 || out.Exceeded != "file size of 1 MiB" {
			t.Errorf("%+v, %v, %v", out, info, err)
		}
		if out := run(t, s, "ulimit -n; ulimit -c"); out.Text != "99\n0\n" || out.Exceeded != "" {
			t.Errorf("%+v", out)
		}
		if out := run(t, s, "ulimit -d unlimited; ulimit -n 100"); out.Code == 0 && s.Kind != Unsandboxed {
			t.Errorf("a command raised its limits: %+v", out)
		}
		s.Limits = Limits{}
		if out := run(t, s, "dd if=/dev/zero of=/dev/null bs=400M count=1 2>/dev/null && head -c 5000000 /dev/zero > big && echo done"); out.Text != "done\n" {
			t.Errorf("without limits: %+v", out)
		}
	})
}

// The kernel's files are imitated, since few machines delegate a group to whoever runs
// the tests.
func TestControlGroups(t *testing.T) {
	root := t.TempDir()
	own := filepath.Join(root, "service")
	place := func(dir, name, text string) {
		t.Helper()
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	const membership = "4:memory:/old\n0::/service\n"
	if g := findGroups(root, membership); g != "" {
		t.Errorf("found %q where there is none", g)
	}
	place(own, "cgroup.controllers", "cpu memory\n")
	if g := findGroups(root, membership); g != "" {
		t.Errorf("found %q without pids", g)
	}
	place(own, "cgroup.controllers", "cpu memory pids\n")
	place(own, "cgroup.subtree_control", "")
	if g := findGroups(root, "4:memory:/service\n"); g != "" {
		t.Errorf("found %q in the first version", g)
	}
	g := findGroups(root, membership)
	if text, _ := os.ReadFile(filepath.Join(own, "cgroup.subtree_control")); string(g) != own || string(text) != "+memory +pids" {
		t.Errorf("found %q, which controls %q", g, text)
	}
	if again := findGroups(root, "0::/service/"+hubGroup+"\n"); again != g {
		t.Errorf("after the hub has moved: %q", again)
	}
	made, err := g.newGroup(Limits{Memory: 1 << 30, Processes: 50})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"memory.max": "1073741824", "pids.max": "50"} {
		if text, err := os.ReadFile(filepath.Join(made.dir, name)); string(text) != want || err != nil {
			t.Errorf("%s is %q, %v", name, text, err)
		}
	}
	limits := Limits{Memory: 1 << 30, Processes: 50}
	if got := limits.exceeded(1, made); got != "" {
		t.Errorf("exceeded %q", got)
	}
	place(made.dir, "pids.events", "max 3\n")
	if got := limits.exceeded(1, made); got != "50 processes" {
		t.Errorf("exceeded %q", got)
	}
	place(made.dir, "memory.events", "low 0\nhigh 0\nmax 12\noom 1\noom_kill 1\n")
	if got := limits.exceeded(137, made); got != "memory of 1 GiB" {
		t.Errorf("exceeded %q", got)
	}
}

// What only its owner may read of /etc stays so, even if the hub is root.
func TestKeysInEtcAreClosed(t *testing.T) {
	root := t.TempDir()
	for name, mode := range map[string]os.FileMode{"ssl/certs/ca.pem": 0o644, "ssl/private/key.pem": 0o644, "hosts": 0o644,
		"app/secret.conf": 0o640, "app/usual.conf": 0o644, "plain/deep/x": 0o644} {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, mode); err != nil {
			t.Fatal(err)
		}
	}
	for name, target := range map[string]string{"leak": "app/secret.conf", "out": t.TempDir(), "fine": "hosts"} {
		if err := os.Symlink(target, filepath.Join(root, name)); err != nil {
			t.Fatal(err)
		}
	}
	e := readEtc(root)
	got := strings.ReplaceAll(strings.Join(e.open, " ")+" | "+strings.Join(e.closed, " "), root+"/", "")
	if want := "app/usual.conf fine hosts plain ssl/certs | app/secret.conf ssl/private"; got != want {
		t.Errorf("open and closed: %s", got)
	}
	inEach(t, func(t *testing.T, s *Sandbox) {
		if s.Kind != Unsandboxed {
			if out := run(t, s, "cat /etc/ssl/private/* /etc/shadow 2>/dev/null; ls /etc/ssl/private 2>/dev/null"); out.Text != "" {
				t.Errorf("it reads %q", out.Text)
			}
		}
	})
}
