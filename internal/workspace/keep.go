package workspace

import (
	"io/fs"
	"path"

	"parley"
)

// Keep replaces one text file with what change makes of it, and returns the new content.
// Nothing else gets in between. It follows no link.
func (w *Workspace) Keep(name string, change func(old string) (string, error), record func(...parley.Change) error) (string, error) {
	w.writing.Lock()
	defer w.writing.Unlock()
	if dir := path.Dir(name); dir != "." {
		if err := w.root.MkdirAll(dir, 0o700); err != nil {
			return "", failed(dir, err)
		}
	}
	p, err := w.exact(name)
	if err != nil {
		return "", err
	}
	defer p.close()
	c, old := parley.Change{Path: name}, file{}
	mode := fs.FileMode(0o600)
	if p.info != nil {
		if old, err = p.read(); err != nil {
			return "", err
		}
		mode = p.info.Mode()
		c.Before = contentOf(old.data, mode)
	}
	text, err := change(string(old.data))
	if err != nil {
		return "", err
	}
	c.After = contentOf([]byte(text), mode)
	return text, w.makeChange(p, []parley.Change{c}, record)
}
