package config

import (
	"embed"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"parley"
)

// starterFiles is the starter team as it is written to disk. The compiler
// fills it and nothing changes it.
//
//go:embed all:starter
var starterFiles embed.FS

const starterDir = "starter"

// WriteStarter writes a small team that works without a key into dir, which
// is made if it does not exist, and returns the files relative to dir. If any
// of them exists already, or one cannot be written, no file is added or changed.
func WriteStarter(dir string) ([]string, error) {
	files, err := fs.Sub(starterFiles, starterDir)
	if err != nil {
		return nil, parley.Errorf(parley.Internal, "The starter team is missing from this build.").WithCause(err)
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, unusable(dir, err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, unusable(dir, err)
	}
	defer root.Close()
	w := starter{files: files, root: root}
	if err := w.write(); err != nil {
		w.undo()
		return nil, err
	}
	return w.written, nil
}

// starter writes files through the root, so that a link in the folder cannot
// send them elsewhere, and remembers what it made.
type starter struct {
	files   fs.FS
	root    *os.Root
	written []string
	folders []string
}

// write looks for files in the way before it writes the first one, so that
// the usual refusal touches nothing at all.
func (w *starter) write() error {
	var inTheWay []string
	err := w.walk(func(name string) error {
		if _, err := w.root.Lstat(name); err == nil {
			inTheWay = append(inTheWay, name)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if len(inTheWay) > 0 {
		return parley.Errorf(parley.Conflict, "There is already %s in %s.", strings.Join(inTheWay, ", "), w.place()).
			WithHint("Nothing was changed; choose another folder.")
	}
	return w.walk(w.writeFile)
}

// place names the folder in a sentence, where "." would be lost.
func (w *starter) place() string {
	name := w.root.Name()
	if base := filepath.Base(name); base != "." && base != ".." {
		return name
	}
	if whole, err := filepath.Abs(name); err == nil {
		return whole
	}
	return name
}

func (w *starter) walk(visit func(name string) error) error {
	return fs.WalkDir(w.files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		return visit(name)
	})
}

func (w *starter) writeFile(name string) error {
	data, err := fs.ReadFile(w.files, name)
	if err != nil {
		return err
	}
	if err := w.mkdir(path.Dir(name)); err != nil {
		return w.failed(name, err)
	}
	// O_EXCL: a file that came into being since the look around is kept too.
	f, err := w.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return w.failed(name, err)
	}
	w.written = append(w.written, name)
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err != nil {
		return w.failed(name, err)
	}
	return nil
}

// mkdir makes the folder and those above it, and notes which are new.
func (w *starter) mkdir(dir string) error {
	if dir == "." {
		return nil
	}
	if err := w.mkdir(path.Dir(dir)); err != nil {
		return err
	}
	err := w.root.Mkdir(dir, 0o777)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err == nil {
		w.folders = append(w.folders, dir)
	}
	return err
}

func (w *starter) failed(name string, err error) error {
	return parley.Errorf(parley.Invalid, "%s cannot be written in %s: %v.", name, w.place(), reason(err)).
		WithHint("Nothing was changed.").WithCause(err)
}

// undo removes what was made, the newest first. It does its best: what it
// cannot remove has been made unremovable by someone else meanwhile.
func (w *starter) undo() {
	for _, name := range w.written {
		_ = w.root.Remove(name)
	}
	for i := len(w.folders) - 1; i >= 0; i-- {
		_ = w.root.Remove(w.folders[i])
	}
}
