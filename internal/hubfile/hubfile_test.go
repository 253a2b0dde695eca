package hubfile_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"parley"
	"parley/internal/hubfile"
)

var hub = hubfile.Hub{URL: "http://127.0.0.1:7420", Process: 4711, Started: time.Unix(1_000_000, 0).UTC(), Token: "parley_secret"}

func acquire(t *testing.T, dir string) *hubfile.Lock {
	t.Helper()
	l, err := hubfile.Acquire(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Release() }) // releasing twice does no harm
	return l
}

func TestAHubIsFoundWhileItRuns(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "deep", "data")
	_, err := hubfile.Find(dir)
	if parley.KindOf(err) != parley.Unavailable || !strings.Contains(err.Error(), "parley up") {
		t.Errorf("before: %v", err)
	}
	l := acquire(t, dir)
	if _, err := hubfile.Find(dir); parley.KindOf(err) != parley.Unavailable || !strings.Contains(err.Error(), "starting") {
		t.Errorf("while it starts: %v", err)
	}
	if err := l.Publish(hub); err != nil {
		t.Fatal(err)
	}
	if got, err := hubfile.Find(dir); got != hub || err != nil {
		t.Errorf("found %+v, %v", got, err)
	}
	if err := l.Release(); err != nil {
		t.Fatal(err)
	}
	if _, err := hubfile.Find(dir); parley.KindOf(err) != parley.Unavailable {
		t.Errorf("after: %v", err)
	}
}

func TestASecondHubIsRefusedWithTheFirstOnesAddress(t *testing.T) {
	dir := t.TempDir()
	l := acquire(t, dir)
	if _, err := hubfile.Acquire(dir); parley.KindOf(err) != parley.Conflict {
		t.Errorf("while the first one starts: %v", err)
	}
	if err := l.Publish(hub); err != nil {
		t.Fatal(err)
	}
	_, err := hubfile.Acquire(dir)
	if parley.KindOf(err) != parley.Conflict || !strings.Contains(err.Error(), hub.URL) || !strings.Contains(err.Error(), "4711") {
		t.Errorf("got %v", err)
	}
	if strings.Contains(err.Error(), "secret") {
		t.Errorf("the token is in the error: %v", err)
	}
	if got, err := hubfile.Find(dir); got != hub || err != nil {
		t.Errorf("the first one's files were touched: %+v, %v", got, err)
	}
}

// The files of a killed hub neither stop a new hub nor look like a running one.
func TestLeftoversOfAKilledHub(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"hub.lock": "", "hub.json": `{"url": "http://127.0.0.1:1", "process": 1}`, "hub.json.new": "{", "hub.token": "parley_old\n", "hub.token.new": "x",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := hubfile.Find(dir); parley.KindOf(err) != parley.Unavailable {
		t.Errorf("found: %v", err)
	}
	l := acquire(t, dir)
	if got := l.Token(); got != "parley_old" {
		t.Errorf("the token is %q", got)
	}
	if _, err := hubfile.Find(dir); parley.KindOf(err) != parley.Unavailable {
		t.Errorf("the old address is believed: %v", err)
	}
	if err := l.Publish(hub); err != nil {
		t.Fatal(err)
	}
	if got, err := hubfile.Find(dir); got != hub || err != nil {
		t.Errorf("found %+v, %v", got, err)
	}
}

func TestNobodyElseMayRead(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	elsewhere := filepath.Join(t.TempDir(), "elsewhere")
	if err := os.WriteFile(elsewhere, []byte("untouched"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"hub.token", "hub.token.new"} {
		if err := os.Symlink(elsewhere, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	l := acquire(t, dir)
	if err := l.Publish(hub); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]os.FileMode{"": 0o700 | os.ModeDir, "hub.token": 0o600, "hub.json": 0o600, "hub.lock": 0o600} {
		info, err := os.Lstat(filepath.Join(dir, name))
		if err != nil || info.Mode() != want {
			t.Errorf("%q has the mode %v, %v", name, info.Mode(), err)
		}
	}
	if text, err := os.ReadFile(elsewhere); string(text) != "untouched" || err != nil {
		t.Errorf("a link was followed: %q, %v", text, err)
	}
}

func TestAFolderThatIsNone(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := hubfile.Acquire(filepath.Join(file, "data"))
	var e *parley.Error
	if !errors.As(err, &e) || e.Kind != parley.Internal || !strings.Contains(e.Message, "not a directory") {
		t.Errorf("got %v", err)
	}
}

// Held takes the lock for a moment. A hub that starts then must not mistake this
// for another hub.
func TestLookersDoNotKeepAHubFromStarting(t *testing.T) {
	dir := t.TempDir()
	if err := acquire(t, dir).Release(); err != nil {
		t.Fatal(err)
	}
	stop := make(chan struct{})
	var lookers sync.WaitGroup
	for range 4 {
		lookers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					hubfile.Held(dir)
				}
			}
		})
	}
	for range 200 {
		l, err := hubfile.Acquire(dir)
		if err != nil {
			t.Error(err)
			break
		}
		if !hubfile.Held(dir) {
			t.Error("the lock is held, and does not look so")
		}
		if err := l.Release(); err != nil {
			t.Error(err)
		}
	}
	close(stop)
	lookers.Wait()
}

// git add takes nothing of the folder, whether it is new or was made by an older
// version. What somebody else wrote there stays.
func TestGitIgnoresTheFolder(t *testing.T) {
	top := t.TempDir()
	old := filepath.Join(top, "old")
	if err := os.Mkdir(old, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(old, "hub.token"), []byte("parley_old\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	acquire(t, old)
	acquire(t, filepath.Join(top, "new"))
	if out, err := exec.Command("git", "-C", top, "init", "-q").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	out, err := exec.Command("git", "-C", top, "add", "--dry-run", ".").CombinedOutput()
	if err != nil || len(out) > 0 {
		t.Errorf("git would take %q, %v", out, err)
	}
	mine := filepath.Join(top, "mine")
	if err := errors.Join(os.Mkdir(mine, 0o700), os.WriteFile(filepath.Join(mine, ".gitignore"), []byte("*.db\n"), 0o600)); err != nil {
		t.Fatal(err)
	}
	acquire(t, mine)
	if text, err := os.ReadFile(filepath.Join(mine, ".gitignore")); string(text) != "*.db\n" || err != nil {
		t.Errorf("it was changed to %q, %v", text, err)
	}
}

// A hub of another user may be anybody's.
func TestCheckOwner(t *testing.T) {
	dir := t.TempDir()
	if err := hubfile.CheckOwner(dir); parley.KindOf(err) != parley.Denied {
		t.Errorf("without a hub: %v", err)
	}
	if err := acquire(t, dir).Publish(hub); err != nil {
		t.Fatal(err)
	}
	if err := hubfile.CheckOwner(dir); err != nil {
		t.Errorf("one's own: %v", err)
	}
	for _, name := range []string{"hub.json", "hub.lock"} {
		path := filepath.Join(dir, name)
		if os.Getuid() == 0 {
			if err := os.Chown(path, 65534, -1); err != nil {
				t.Fatal(err)
			}
		} else if err := errors.Join(os.Rename(path, path+".mine"), os.Symlink("/", path)); err != nil { // root's
			t.Fatal(err)
		}
		if err := hubfile.CheckOwner(dir); parley.KindOf(err) != parley.Denied || !strings.Contains(err.Error(), "another user") {
			t.Errorf("%s of another user: %v", name, err)
		}
		if os.Getuid() == 0 {
			_ = os.Chown(path, 0, -1)
		} else {
			_ = os.Rename(path+".mine", path)
		}
	}
}

// Only the process that has the lock open is the hub.
func TestHolds(t *testing.T) {
	dir := t.TempDir()
	l := acquire(t, dir)
	if !hubfile.Holds(dir, os.Getpid()) {
		t.Error("the holder is not known")
	}
	if hubfile.Holds(dir, 1) || hubfile.Holds(dir, 0) {
		t.Error("any process is the holder")
	}
	if _, err := os.Stat("/proc/self/fd"); err == nil && hubfile.Holds(dir, os.Getppid()) {
		t.Error("a process that has not opened the lock is the holder")
	}
	if err := l.Release(); err != nil {
		t.Fatal(err)
	}
}
