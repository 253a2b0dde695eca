package workspace

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"parley"
)

// Record stores changes before they are made. If it fails, no file is changed.
type Record func(...parley.Change) error

const (
	// maxHashed is the largest file whose content is compared.
	maxHashed = 16 << 20
	// modeBits are the bits of a mode that are put back.
	modeBits = fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky
)

// contentOf is the state of a regular file with this content, all of which is kept.
func contentOf(data []byte, mode fs.FileMode) parley.FileState {
	return parley.FileState{Kind: parley.RegularFile, Mode: uint32(mode & modeBits), Size: int64(len(data)), Hash: hashOf(data), Kept: true, Content: data}
}

func hashOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// Now is what stands at a path. No link is followed on the way.
func (w *Workspace) Now(name string) (parley.FileState, error) {
	p, err := w.exact(name)
	if parley.KindOf(err) == parley.NotFound {
		return parley.FileState{}, nil // not even the folder is there
	}
	if err != nil {
		return parley.FileState{}, err
	}
	defer p.close()
	return p.state(0)
}

// exact finds a name without following a link, not even a last one. The path is one that
// the system gave us: it need not be UTF-8.
func (w *Workspace) exact(name string) (*place, error) {
	if name == "" || name == "." || path.Clean(name) != name || !filepath.IsLocal(filepath.FromSlash(name)) || strings.ContainsRune(name, 0) {
		return nil, outside(name)
	}
	p, link, err := w.walk(path.Dir(name))
	switch {
	case err != nil:
		return nil, err
	case link != "":
		return nil, parley.Errorf(parley.Conflict, "%s is reached through a link now.", show(name))
	}
	if err := p.into(path.Base(name)); err != nil {
		p.close()
		return nil, err
	}
	if err := w.classify(p); err != nil {
		p.close()
		return nil, err
	}
	return p, nil
}

// into enters the folder at the place and looks at a name in it.
func (p *place) into(name string) (err error) {
	if p.name != "." {
		if err := p.enter(); err != nil {
			return err
		}
	}
	p.name, p.path = name, path.Join(p.path, name)
	p.info, err = p.dir.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		p.info, err = nil, nil
	}
	if err != nil {
		return failed(p.path, err)
	}
	return nil
}

// state is what stands at the place, with the content of a file that is not larger than
// keep.
func (p *place) state(keep int64) (s parley.FileState, err error) {
	if p.info == nil {
		return s, nil
	}
	s.Mode = uint32(p.info.Mode() & modeBits)
	switch mode := p.info.Mode(); {
	case mode.IsDir():
		s.Kind = parley.Folder
	case mode&fs.ModeSymlink != 0:
		target, err := p.dir.Readlink(p.name)
		if err != nil {
			return s, failed(p.path, err)
		}
		s = contentOf([]byte(target), 0)
		s.Kind = parley.Link
	case mode.IsRegular():
		return p.regular(keep)
	default:
		s.Kind = parley.OtherFile
	}
	return s, nil
}

func (p *place) regular(keep int64) (s parley.FileState, err error) {
	s = parley.FileState{Kind: parley.RegularFile, Mode: uint32(p.info.Mode() & modeBits), Size: p.info.Size()}
	if s.Size > maxHashed {
		return s, nil
	}
	f, err := p.open()
	if err != nil {
		return s, err
	}
	defer func() { _ = f.Close() }()
	if s.Size <= keep {
		data, err := io.ReadAll(io.LimitReader(f, keep+1))
		if err != nil {
			return s, failed(p.path, err)
		}
		if int64(len(data)) <= keep {
			return contentOf(data, p.info.Mode()), nil
		}
		return s, nil // it grows
	}
	sum := sha256.New()
	if s.Size, err = io.Copy(sum, io.LimitReader(f, maxHashed)); err != nil {
		return s, failed(p.path, err)
	}
	s.Hash = hex.EncodeToString(sum.Sum(nil))
	return s, nil
}

// hostHome names a folder so that it is unique among all machines.
func hostHome(folder string) string {
	host, err := os.Hostname()
	if err != nil {
		return folder
	}
	return host + ":" + folder
}
