package sqlite

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// A folder or a file that we may not write to is refused at the start, not at the
// first message. Tests that run as root may write anywhere, so the thread accesses
// files as nobody.
func TestReadOnlyPlacesAreRefused(t *testing.T) {
	dir, err := os.MkdirTemp("/tmp", "parley-readonly-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	source, err := os.ReadFile(filled(t))
	if err != nil {
		t.Fatal(err)
	}
	existing := filepath.Join(dir, "existing.db")
	if err := os.WriteFile(existing, source, 0o444); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	for name, path := range map[string]string{
		"a new file":      filepath.Join(dir, "parley.db"),
		"a new folder":    filepath.Join(dir, "data", "parley.db"),
		"an existing one": existing,
	} {
		s, err := openAsNobody(t, path)
		if err == nil {
			t.Errorf("%s: opened, %v", name, s.Close())
		} else if !strings.Contains(err.Error(), "you may write to it") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func openAsNobody(t *testing.T, path string) (*Store, error) {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if os.Getuid() == 0 {
		if err := syscall.Setfsuid(65534); err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := syscall.Setfsuid(0); err != nil {
				t.Fatal(err)
			}
		}()
	}
	return Open(path, Options{Readers: 1})
}
