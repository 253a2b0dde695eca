package workspace

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"syscall"
	"unicode/utf8"

	"parley"
)

// maxFile is the largest file that is read as a whole.
const maxFile = 4 << 20

// file is the content of a file at one moment.
type file struct {
	path string
	data []byte
}

// digest identifies the content. It is short because models copy it.
func (f file) digest() string {
	sum := sha256.Sum256(f.data)
	return hex.EncodeToString(sum[:6])
}

// isText reports whether the content can be shown as text.
func isText(data []byte) bool {
	return utf8.Valid(data) && bytes.IndexByte(data, 0) < 0
}

// read reads the text file at a place.
func (p *place) read() (file, error) {
	f, err := p.open()
	if err != nil {
		return file{}, err
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	switch {
	case err != nil:
		return file{}, failed(p.path, err)
	case len(data) > maxFile:
		return file{}, parley.Errorf(parley.Limited, "%s is larger than 4 MiB.", show(p.path)).WithHint("Look for what you need with grep, or with shell.")
	case !isText(data):
		return file{}, parley.Errorf(parley.Invalid, "%s is a binary file of %d bytes.", show(p.path), len(data)).WithHint("Only text can be read.")
	}
	return file{path: p.path, data: data}, nil
}

// open opens the file at the place. It must be the file that was looked at before.
// Opening does not block, even if a pipe has been put there.
func (p *place) open() (*os.File, error) {
	switch {
	case p.info == nil:
		return nil, parley.Errorf(parley.NotFound, "There is no file %s.", show(p.path)).WithHint("Look with glob.")
	case p.info.IsDir():
		return nil, parley.Errorf(parley.Invalid, "%s is a folder.", show(p.path)).WithHint("List it with glob, such as %s/*.", parley.Clip(p.path, 200))
	case !p.info.Mode().IsRegular():
		return nil, parley.Errorf(parley.Invalid, "%s is not a regular file.", show(p.path))
	}
	f, err := p.dir.OpenFile(p.name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, failed(p.path, err)
	}
	info, err := f.Stat()
	if err != nil || !os.SameFile(info, p.info) {
		_ = f.Close()
		return nil, moved(p.path)
	}
	return f, nil
}
