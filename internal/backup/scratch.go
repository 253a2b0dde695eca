package backup

import (
	"crypto/rand"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// Scratch is the folder in which a backup is made, beside the file that it becomes.
// A note in the hub's data folder names it. The note is locked while the program
// runs, so that a later start can tell what a killed one has left.
type Scratch struct {
	Dir  string
	note *os.File
}

const (
	scratchPrefix = ".parley-backup-"
	notePattern   = "backup-*.note"
)

// NewScratch makes the folder. Without a data folder that can be written, there is no
// note.
func NewScratch(to, data string) (*Scratch, error) {
	parent, err := filepath.Abs(filepath.Dir(to))
	if err != nil {
		return nil, writeError(to, err)
	}
	s := &Scratch{Dir: filepath.Join(parent, scratchPrefix+rand.Text()[:8])}
	s.note = writeNote(data, s.Dir)
	if err := os.Mkdir(s.Dir, 0o700); err != nil {
		s.Close()
		return nil, writeError(to, err)
	}
	return s, nil
}

// Close removes the folder and its note.
func (s *Scratch) Close() {
	_ = os.RemoveAll(s.Dir)
	if s.note != nil {
		_ = os.Remove(s.note.Name())
		_ = s.note.Close()
	}
}

// writeNote writes where a folder is going to be. Sweep may remove a note before it
// is locked; then there is another one.
func writeNote(data, dir string) *os.File {
	for {
		f, err := os.CreateTemp(data, notePattern)
		if err != nil {
			return nil
		}
		if lock(f) == nil && isStill(f) {
			if _, err := f.WriteString(dir); err == nil && f.Sync() == nil {
				return f
			}
			_ = errors.Join(os.Remove(f.Name()), f.Close())
			return nil
		}
		_ = f.Close()
	}
}

// Sweep removes what backups have left that were killed. Those that still run keep
// theirs.
func Sweep(data string) (removed []string) {
	notes, _ := filepath.Glob(filepath.Join(data, notePattern))
	for _, name := range notes {
		if dir := sweepNote(name); dir != "" {
			removed = append(removed, dir)
		}
	}
	return removed
}

func sweepNote(name string) (removed string) {
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return ""
	}
	defer f.Close()
	if lock(f) != nil {
		return ""
	}
	text, err := io.ReadAll(io.LimitReader(f, 1<<16))
	dir := string(text)
	if err == nil && filepath.IsAbs(dir) && strings.HasPrefix(filepath.Base(dir), scratchPrefix) {
		if _, missing := os.Lstat(dir); missing == nil {
			removed = dir
		}
		if err := os.RemoveAll(dir); err != nil {
			return "" // the note stays for the next start
		}
	}
	_ = os.Remove(name)
	return removed
}

func lock(f *os.File) error {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}

// isStill reports whether a file still has its name.
func isStill(f *os.File) bool {
	here, err := f.Stat()
	there, gone := os.Stat(f.Name())
	return err == nil && gone == nil && os.SameFile(here, there)
}
