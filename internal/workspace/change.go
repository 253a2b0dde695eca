package workspace

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/google/uuid"

	"parley"
)

// Writing is a file to write.
type Writing struct {
	Path, Content string
	// Digest is that of the content to replace; empty for a new file.
	Digest string
	// Record stores the change; nil if nobody wants to know.
	Record Record
}

// Changed is a file after a change.
type Changed struct {
	Path, Digest string
	// From and To are the new lines.
	From, To int
	// Note is a remark for the reader.
	Note string
}

// WriteFile creates a file and the folders above it, or replaces a whole file. If it is
// refused or fails, the folders are gone again.
func (w *Workspace) WriteFile(a Access, c Writing) (done Changed, err error) {
	if len(c.Content) > maxFile {
		return Changed{}, parley.Errorf(parley.Limited, "The content is larger than 4 MiB.")
	}
	w.writing.Lock()
	defer w.writing.Unlock()
	p, folders, err := w.findToWrite(a, c.Path)
	defer func() {
		if err != nil {
			w.removeFolders(folders)
		}
	}()
	if err != nil {
		return Changed{}, err
	}
	defer p.close()
	mode, before := fs.FileMode(0o644), parley.FileState{}
	if p.info != nil {
		old, err := p.expect(c.Digest)
		if err != nil {
			return Changed{}, err
		}
		mode = p.info.Mode().Perm()
		before = contentOf(old.data, p.info.Mode())
	} else if c.Digest != "" {
		return Changed{}, stale(p.path, "it is no longer there")
	}
	f := file{path: p.path, data: []byte(c.Content)}
	change := parley.Change{Path: p.path, Before: before, After: contentOf(f.data, mode)}
	if err := w.makeChange(p, append(folders, change), c.Record); err != nil {
		return Changed{}, err
	}
	return Changed{Path: p.path, Digest: f.digest(), From: 1, To: len(f.lines())}, nil
}

// removeFolders removes folders that were made for a file, inner ones first. One into
// which somebody has put something meanwhile stays.
func (w *Workspace) removeFolders(made []parley.Change) {
	for _, c := range slices.Backward(made) {
		p, err := w.exact(c.Path)
		if err != nil {
			continue
		}
		if p.info != nil && p.info.IsDir() {
			_ = p.dir.Remove(p.name)
			w.noteWrite(p.path, parley.FileState{})
		}
		p.close()
	}
}

// makeChange stores the change of a file, after those of the folders that were made for
// it, and then makes it. A kill in between leaves a record of which the file's content
// says whether it was made.
func (w *Workspace) makeChange(p *place, list []parley.Change, record Record) error {
	c := list[len(list)-1]
	if record != nil && !c.Before.Same(c.After) {
		for i := range list {
			list[i].Place, list[i].Home, list[i].State = w.kind(), w.home, parley.ChangeBegun
		}
		if err := record(list...); err != nil {
			return err
		}
	}
	w.noteWrite(p.path, c.After)
	return p.replace(c.After.Content, fs.FileMode(c.After.Mode))
}

func stale(name, why string) *parley.Error {
	return parley.Errorf(parley.Conflict, "stale target: %s is not what you have read: %s.", show(name), why).
		WithHint("Read it again and use the digest that is shown then.")
}

// expect refuses a file whose content does not have the digest.
func (p *place) expect(digest string) (f file, err error) {
	f, err = p.read()
	switch {
	case err != nil:
		return f, err
	case digest == "":
		return f, parley.Errorf(parley.Conflict, "%s exists.", show(p.path)).WithHint("Read it first and give the digest that is shown.")
	case f.digest() != strings.TrimSpace(digest):
		return f, stale(p.path, "its digest is now "+f.digest())
	}
	return f, nil
}

// findToWrite finds a writable place, and creates the folders above it, which it returns
// even if it fails.
func (w *Workspace) findToWrite(a Access, name string) (p *place, folders []parley.Change, err error) {
	clean, err := cleanPath(name)
	if err != nil {
		return nil, nil, err
	}
	for dir := range above(clean) {
		made, err := w.makeFolder(a, dir)
		folders = append(folders, made...)
		if err != nil {
			return nil, folders, err
		}
	}
	if p, err = w.find(clean); err != nil {
		return nil, folders, err
	}
	err = w.mayWrite(p, a)
	if err == nil && p.info != nil && !p.info.Mode().IsRegular() {
		err = parley.Errorf(parley.Invalid, "%s is not a regular file.", show(p.path))
	}
	if err != nil {
		p.close()
		return nil, folders, err
	}
	return p, folders, nil
}

// above yields the folders on the way to a path, outer ones first.
func above(clean string) func(func(string) bool) {
	return func(yield func(string) bool) {
		for i, r := range clean {
			if r == '/' && !yield(clean[:i]) {
				return
			}
		}
	}
}

// makeFolder creates a folder unless it is there.
func (w *Workspace) makeFolder(a Access, dir string) (made []parley.Change, err error) {
	p, err := w.find(dir)
	if err != nil {
		return nil, err
	}
	defer p.close()
	if p.info != nil {
		return nil, nil
	}
	// Nobody would read a folder in agents/_shared, so only files are created there.
	if err := w.mayWrite(p, a); err != nil {
		return nil, err
	}
	switch err := p.dir.Mkdir(p.name, 0o755); {
	case errors.Is(err, fs.ErrExist):
		return nil, nil
	case err != nil:
		return nil, failed(p.path, err)
	}
	made = []parley.Change{{Path: p.path}}
	if p.info, err = p.dir.Lstat(p.name); err != nil {
		return made, failed(p.path, err)
	}
	made[0].After, err = p.state(0)
	w.noteWrite(p.path, made[0].After)
	return made, err
}

// replace replaces the file atomically: readers see the old or the new content. A
// link that was put there meanwhile is replaced, not followed.
func (p *place) replace(data []byte, mode fs.FileMode) (err error) {
	temporary := ".parley-" + uuid.NewString() + ".tmp"
	f, err := p.dir.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return failed(p.path, err)
	}
	defer func() {
		if err != nil {
			_ = p.dir.Remove(temporary)
		}
	}()
	_, err = f.Write(data)
	if err == nil {
		err = f.Chmod(mode)
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return failed(p.path, err)
	}
	if err = p.dir.Rename(temporary, p.name); err != nil {
		return failed(p.path, err)
	}
	return nil
}

// lineEnd is the line end that a file uses.
func lineEnd(data []byte) string {
	if i := bytes.IndexByte(data, '\n'); i > 0 && data[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// withLineEnds gives a text the line ends of a file.
func withLineEnds(text, end string) string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	if end == "\n" {
		return text
	}
	return strings.ReplaceAll(text, "\n", end)
}
