package sandbox

import (
	"crypto/sha256"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// keeping puts modes and times of protected files back. Landlock does not keep commands
// from changing those of a file that they may read. Commands that run at once share one
// memory of how it was: otherwise one would take the other's change for the truth.
type keeping struct {
	mu      sync.Mutex
	running int
	files   map[string]kept
}

// kept is how a file was.
type kept struct {
	info    fs.FileInfo
	content [sha256.Size]byte
}

// begin notes how the protected files are, and returns what puts them back.
func (k *keeping) begin(paths []string) (end func()) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.running == 0 {
		k.files = look(paths)
	}
	k.running++
	return func() {
		k.mu.Lock()
		defer k.mu.Unlock()
		k.running--
		for path, file := range k.files {
			file.restore(path)
		}
	}
}

func look(paths []string) map[string]kept {
	files := map[string]kept{}
	for _, top := range paths {
		_ = filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return nil // what cannot be looked at is left alone
			}
			if info, err := d.Info(); err == nil && info.Mode()&fs.ModeSymlink == 0 {
				files[path] = kept{info, digest(path, info)}
			}
			return nil
		})
	}
	return files
}

// maxDigest is the largest file whose content is compared.
const maxDigest = 1 << 20

// digest tells a change by a person, who may write the file, from one by a command. The
// files of git are never written in place, so their size is enough.
func digest(path string, info fs.FileInfo) (sum [sha256.Size]byte) {
	if !info.Mode().IsRegular() || info.Size() > maxDigest || strings.Contains(path, string(filepath.Separator)+".git"+string(filepath.Separator)) {
		return sum
	}
	data, _ := os.ReadFile(path) // it may have gone
	return sha256.Sum256(data)
}

// restore puts the mode and the time of a file back, unless somebody else has written
// or replaced it since.
func (f kept) restore(path string) {
	now, err := os.Lstat(path)
	if err != nil || !os.SameFile(now, f.info) || now.Mode() == f.info.Mode() && now.ModTime().Equal(f.info.ModTime()) {
		return
	}
	if now.Mode() != f.info.Mode() {
		_ = os.Chmod(path, f.info.Mode())
	}
	same := now.Size() == f.info.Size() && digest(path, now) == f.content
	if f.info.IsDir() || same {
		_ = os.Chtimes(path, time.Time{}, f.info.ModTime())
	}
}
