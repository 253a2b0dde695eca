package workspace

import (
	"io/fs"

	"github.com/google/uuid"

	"parley"
)

// Restore brings a path from one state to another, if it is in the first: what somebody
// has changed since stays.
func (w *Workspace) Restore(name string, from, to parley.FileState) error {
	w.writing.Lock()
	defer w.writing.Unlock()
	p, err := w.exact(name)
	if err != nil {
		return err
	}
	defer p.close()
	// It is a person who takes something back, so that guides are brought back too.
	if err := p.mayWrite(Access{Shared: true}); err != nil {
		return err
	}
	now, err := p.state(0)
	if err != nil {
		return err
	}
	if !now.Same(from) {
		return parley.Errorf(parley.Conflict, "%s has changed since.", show(name))
	}
	w.noteWrite(p.path, to)
	if err := p.become(to); err != nil {
		return failed(p.path, err)
	}
	return nil
}

// become puts something else at the place. The place was looked at just before.
func (p *place) become(to parley.FileState) error {
	mode := fs.FileMode(to.Mode) & modeBits
	if p.info != nil && (p.info.IsDir() != (to.Kind == parley.Folder) || to.Kind == parley.NoFile) {
		if err := p.dir.Remove(p.name); err != nil { // a folder has to be empty
			return err
		}
		p.info = nil
	}
	switch to.Kind {
	case parley.RegularFile:
		return p.replace(to.Content, mode)
	case parley.Link:
		return p.replaceLink(string(to.Content))
	case parley.Folder:
		if p.info == nil {
			if err := p.dir.Mkdir(p.name, 0o700); err != nil {
				return err
			}
		}
		return p.dir.Chmod(p.name, mode)
	}
	return nil
}

func (p *place) replaceLink(target string) error {
	temporary := ".parley-" + uuid.NewString() + ".tmp"
	if err := p.dir.Symlink(target, temporary); err != nil {
		return err
	}
	if err := p.dir.Rename(temporary, p.name); err != nil {
		_ = p.dir.Remove(temporary)
		return err
	}
	return nil
}
