package config

import (
	"bytes"
	"embed"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"parley"
	"parley/internal/yamlfile"
)

// templateFiles are the teams as they are written to disk. The compiler fills
// it and nothing changes it.
//
//go:embed all:template
var templateFiles embed.FS

// Template is a team to start with. Each works without a key, and with a real
// model after a change of one line in its parley.yaml.
type Template struct {
	Name    string
	Summary string
	// Try is whom to ask first, and what.
	Try [2]string
}

// DefaultTemplate is the template of a new team if no other is named.
const DefaultTemplate = "starter"

// Templates lists all templates, the simplest first.
func Templates() []Template {
	return []Template{
		{DefaultTemplate, "coordinator, researcher, writer", [2]string{"coordinator", "Plan a launch"}},
		{"company", "coordinator, data, writer, analyst, intern with a manager, a nightly archive", [2]string{"coordinator", "Prepare the Q4 report"}},
		{"coding", "planner, reader, writer, reviewer, scribe, docs, for the code in the folder", [2]string{"planner", "Add a greeting"}},
		{"loom", "lead, researcher, coder, reviewer, tester on the same files", [2]string{"lead", "Add a greeting"}},
	}
}

// FindTemplate finds a template by its name.
func FindTemplate(name string) (Template, error) {
	var names []string
	for _, t := range Templates() {
		if t.Name == name {
			return t, nil
		}
		names = append(names, t.Name)
	}
	return Template{}, parley.Errorf(parley.NotFound, "There is no template %q.", name).WithHint("%s", yamlfile.Suggest(name, names))
}

// Write writes the team into dir, which is made if it does not exist, and
// returns the files relative to dir. If any of them exists already, or one
// cannot be written, no file is added or changed.
func (t Template) Write(dir string) ([]string, error) {
	files, err := t.files()
	if err != nil {
		return nil, parley.Errorf(parley.Internal, "The template %s is missing from this build.", t.Name).WithCause(err)
	}
	files[TeamFile] = named(files[TeamFile], dir)
	return writeFiles(files, dir)
}

// unnamed is the line of a new team's file that its folder's name goes into.
const unnamed = "\nteam: main\n"

// named calls a new team like its folder, so that two teams of one machine have two names.
// It stays main if the folder's name cannot be a team's.
func named(file []byte, dir string) []byte {
	whole, err := filepath.Abs(dir)
	if err != nil || parley.CheckName(filepath.Base(whole)) != nil {
		return file
	}
	return bytes.Replace(file, []byte(unnamed), []byte("\nteam: "+quoted(filepath.Base(whole))+"\n"), 1)
}

func (t Template) files() (map[string][]byte, error) {
	files := map[string][]byte{}
	dir := path.Join("template", t.Name)
	err := fs.WalkDir(templateFiles, dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files[strings.TrimPrefix(name, dir+"/")], err = templateFiles.ReadFile(name)
		return err
	})
	return files, err
}

// writeFiles writes all files or none.
func writeFiles(files map[string][]byte, dir string) ([]string, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, unusable(dir, err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, unusable(dir, err)
	}
	defer root.Close()
	w := writer{files: files, root: root}
	if err := w.write(); err != nil {
		w.undo()
		return nil, err
	}
	return w.written, nil
}

// writer writes files through the root, so that a link in the folder cannot
// send them elsewhere, and remembers what it made.
type writer struct {
	files   map[string][]byte
	root    *os.Root
	written []string
	folders []string
}

// write looks for files in the way before it writes the first one, so that the
// usual refusal changes nothing.
func (w *writer) write() error {
	names := slices.Sorted(maps.Keys(w.files))
	var inTheWay []string
	for _, name := range names {
		if _, err := w.root.Lstat(name); err == nil {
			inTheWay = append(inTheWay, name)
		}
	}
	if len(inTheWay) > 0 {
		return parley.Errorf(parley.Conflict, "There is already %s in %s.", strings.Join(inTheWay, ", "), w.place()).
			WithHint("Nothing was changed; choose another folder.")
	}
	for _, name := range names {
		if err := w.writeFile(name); err != nil {
			return err
		}
	}
	return nil
}

// place names the folder in a sentence, where "." would be lost.
func (w *writer) place() string {
	name := w.root.Name()
	if base := filepath.Base(name); base != "." && base != ".." {
		return name
	}
	if whole, err := filepath.Abs(name); err == nil {
		return whole
	}
	return name
}

func (w *writer) writeFile(name string) error {
	if err := w.mkdir(path.Dir(name)); err != nil {
		return w.failed(name, err)
	}
	// O_EXCL: a file that has appeared since the check is kept, too.
	f, err := w.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return w.failed(name, err)
	}
	w.written = append(w.written, name)
	_, err = f.Write(w.files[name])
	if err = errors.Join(err, f.Close()); err != nil {
		return w.failed(name, err)
	}
	return nil
}

// mkdir makes the folder and those above it, and notes which are new.
func (w *writer) mkdir(dir string) error {
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

func (w *writer) failed(name string, err error) error {
	return parley.Errorf(parley.Invalid, "%s cannot be written in %s: %v.", name, w.place(), reason(err)).
		WithHint("Nothing was changed.").WithCause(err)
}

// undo removes what was made, the newest first, as far as it can: what it
// cannot remove, somebody else has changed meanwhile.
func (w *writer) undo() {
	for _, name := range w.written {
		_ = w.root.Remove(name)
	}
	for i := len(w.folders) - 1; i >= 0; i-- {
		_ = w.root.Remove(w.folders[i])
	}
}
