package workspacetools

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"
)

// A folder that is exchanged for a link at any moment: whoever reads gets what is
// in the folder or an error, and nothing is written elsewhere.
func TestAFolderExchangedForALink(t *testing.T) {
	w := newWorld(t)
	w.write("team/swap/secret.txt", "harmless")
	w.write("team/swap/hub.token", "harmless")
	before := w.guarded()
	swap := filepath.Join(w.dir, "swap")
	done := make(chan struct{})
	var wait sync.WaitGroup
	wait.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-done:
				return
			default:
			}
			// Both have the name in turn, and at no moment nobody.
			link := filepath.Join(w.dir, "aside")
			_ = os.Symlink([]string{".parley", ".git", "agents", "../outside"}[i%4], link)
			for range 50 {
				_ = unix.Renameat2(unix.AT_FDCWD, swap, unix.AT_FDCWD, link, unix.RENAME_EXCHANGE)
			}
			_ = os.Remove(link)
		}
	})
	for range 3000 {
		for _, name := range []string{"swap/secret.txt", "swap/hub.token"} {
			if text, _ := w.call("read_file", map[string]any{"path": name}); strings.Contains(text, secret) {
				t.Errorf("%s was read through a link: %s", name, text)
			}
		}
		_, _ = w.call("write_file", map[string]any{"path": "swap/new.md", "content": "x"})
		if text, _ := w.call("grep", map[string]any{"pattern": secret, "path": "swap"}); strings.Contains(text, secret) {
			t.Errorf("a search went through a link: %s", text)
		}
	}
	close(done)
	wait.Wait()
	if after := w.guarded(); after != before {
		t.Errorf("something was changed:\n%s\nwas\n%s", after, before)
	}
}
