package workspace

import (
	"io/fs"
	"os"
	"sync"

	"github.com/google/uuid"

	"parley/internal/workspace/sandbox"
)

// coverMode marks a cover: nobody else makes an empty file that nobody may write.
const coverMode = 0o444

// covers keep commands under bubblewrap from making a guide where there is none, and from
// replacing one that is a link. bubblewrap can mount something read-only only where
// something is, and a mount cannot be removed from inside. So an empty file is put there
// as long as commands run. A link cannot be mounted over: it is put back afterwards.
type covers struct {
	mu      sync.Mutex
	running int
	made    map[string]fs.FileInfo
	links   map[string]string
}

// cover guards the guides while a command runs.
func (w *Workspace) cover() (uncover func()) {
	if w.Sandbox.Kind != sandbox.Bubblewrap {
		return func() {}
	}
	c := &w.covers
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.running++; c.running == 1 {
		c.made, c.links = map[string]fs.FileInfo{}, map[string]string{}
		for _, name := range guideFiles() {
			w.coverOne(name)
		}
	}
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.running--; c.running == 0 {
			w.uncover()
		}
	}
}

func (w *Workspace) coverOne(name string) {
	if target, err := w.root.Readlink(name); err == nil {
		w.covers.links[name] = target
		return
	}
	f, err := w.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, coverMode)
	if err != nil {
		return // there is one
	}
	defer func() { _ = f.Close() }()
	if f.Chmod(coverMode) == nil {
		w.covers.made[name], _ = f.Stat()
	}
}

// uncover removes the covers that nobody has written into, and puts links back. What
// stands in the place of a link is kept beside it: it may be a person's.
func (w *Workspace) uncover() {
	for name, made := range w.covers.made {
		if now, err := w.root.Lstat(name); err == nil && made != nil && os.SameFile(now, made) && now.Size() == 0 {
			_ = w.root.Remove(name)
		}
	}
	for name, target := range w.covers.links {
		if now, err := w.root.Readlink(name); err == nil && now == target {
			continue
		}
		_ = w.root.Rename(name, name+"."+uuid.NewString()[:8]+".put-aside")
		_ = w.root.Symlink(target, name)
	}
}
