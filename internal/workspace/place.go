package workspace

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley"
)

// place is a name in a folder of the workspace, found without following a link.
type place struct {
	dir *os.Root
	// name is the last part of the path; "." for the workspace itself.
	name string
	// path is the full path without links, with slashes.
	path string
	// info is nil if nothing has that name.
	info fs.FileInfo
	// agents, git and shared say which protected folder the place is in.
	agents, git, shared bool
	// program says that an outside server is started from this file.
	program bool
}

func (p *place) close() { _ = p.dir.Close() }

// maxLinks is how many links are followed in a row.
const maxLinks = 40

// find walks to a path. Links within the workspace are followed here and nowhere
// else. The caller closes the place.
func (w *Workspace) find(name string) (*place, error) {
	clean, err := cleanPath(name)
	if err != nil {
		return nil, err
	}
	for range maxLinks {
		p, link, err := w.walk(clean)
		if err != nil {
			return nil, err
		}
		if link == "" {
			return p, nil
		}
		if clean, err = cleanPath(link); err != nil {
			return nil, outside(name)
		}
	}
	return nil, parley.Errorf(parley.Invalid, "%s leads through too many links.", show(name))
}

// cleanPath cleans a path and checks by its text that it stays within the workspace.
func cleanPath(name string) (string, error) {
	slashed := filepath.ToSlash(name)
	switch {
	case strings.IndexFunc(name, unicode.IsControl) >= 0 || !utf8.ValidString(name):
		return "", parley.Errorf(parley.Invalid, "A path cannot contain control characters.")
	case len(name) > 4096:
		return "", parley.Errorf(parley.Invalid, "The path is too long.")
	case name == "":
		return "", parley.Errorf(parley.Invalid, "The path is empty.").WithHint("Give a path in the workspace, such as src/main.go.")
	case path.IsAbs(slashed) || filepath.IsAbs(name) || !filepath.IsLocal(filepath.FromSlash(path.Clean(slashed))):
		return "", outside(name)
	}
	return path.Clean(slashed), nil
}

func outside(name string) *parley.Error {
	return parley.Errorf(parley.Denied, "%s is outside of the workspace.", show(name)).
		WithHint("Give a path relative to the workspace, without .. and without links that leave it.")
}

// show quotes a path for a message.
func show(name string) string { return "'" + parley.Clip(strings.ToValidUTF8(name, "?"), 200) + "'" }

// walk opens one folder after the other. If it meets a link, it returns the path to
// walk instead.
func (w *Workspace) walk(clean string) (found *place, link string, err error) {
	dir, err := w.root.OpenRoot(".")
	if err != nil {
		return nil, "", failed(clean, err)
	}
	p := &place{dir: dir, name: ".", path: "."}
	defer func() {
		if found == nil {
			p.close()
		}
	}()
	if p.info, err = dir.Stat("."); err != nil {
		return nil, "", failed(clean, err)
	}
	if err := w.classify(p); err != nil {
		return nil, "", err
	}
	if clean == "." {
		return p, "", nil
	}
	parts := strings.Split(clean, "/")
	for i, part := range parts {
		if link, err := p.step(part, parts[i+1:]); err != nil || link != "" {
			return nil, link, err
		}
		if err := w.classify(p); err != nil {
			return nil, "", err
		}
	}
	return p, "", nil
}

// step goes to the next part of a path: it enters the folder at the place and finds a
// name in it. A name that does not exist ends the walk; it can be created.
func (p *place) step(part string, rest []string) (link string, err error) {
	if p.name != "." {
		if err := p.enter(); err != nil {
			return "", err
		}
	}
	above := p.path
	p.name, p.path = part, path.Join(p.path, part)
	p.info, err = p.dir.Lstat(part)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		p.info = nil
		return "", nil
	case err != nil:
		return "", failed(p.path, err)
	case p.info.Mode()&fs.ModeSymlink == 0:
		return "", nil
	}
	target, err := p.dir.Readlink(part)
	if err != nil {
		return "", failed(p.path, err)
	}
	if filepath.IsAbs(target) {
		return "", outside(p.path)
	}
	return joinLink(above, target, rest), nil
}

// joinLink replaces a link with its target. A path that leaves the workspace keeps
// its dots and is refused because of them.
func joinLink(above, target string, rest []string) string {
	return path.Join(append([]string{above, filepath.ToSlash(target)}, rest...)...)
}

// enter opens the folder at the place. It must be the one that was looked at: opening
// follows links, and a link may have been put there since.
func (p *place) enter() error {
	if p.info == nil {
		return parley.Errorf(parley.NotFound, "There is no folder %s.", show(p.path))
	}
	if !p.info.IsDir() {
		return parley.Errorf(parley.Invalid, "%s is not a folder.", show(p.path))
	}
	next, err := p.dir.OpenRoot(p.name)
	if err != nil {
		return failed(p.path, err)
	}
	opened, err := next.Stat(".")
	if err != nil || !os.SameFile(opened, p.info) {
		_ = next.Close()
		return moved(p.path)
	}
	_ = p.dir.Close()
	p.dir = next
	return nil
}

func moved(name string) *parley.Error {
	return parley.Errorf(parley.Conflict, "%s was exchanged while it was opened.", show(name)).WithHint("Try again.")
}

// failed turns a system error into words for a model.
func failed(name string, err error) *parley.Error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return parley.Errorf(parley.NotFound, "There is no %s.", show(name)).WithHint("Look with glob.")
	case errors.Is(err, fs.ErrPermission):
		return parley.Errorf(parley.Denied, "%s may not be opened.", show(name)).WithCause(err)
	}
	return parley.Errorf(parley.Failed, "%s: %s.", show(name), reason(err)).WithCause(err)
}
