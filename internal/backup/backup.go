// Package backup packs a team into one file and restores it: its database,
// parley.yaml, agents/ and the scripts of its models. The file begins with a
// manifest that has a checksum of every other file. It holds no tokens.
//
// A backup is written under a temporary name and renamed when it is complete and
// on stable storage, so there is never half of one. A restored folder appears whole
// in the same way.
package backup

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"parley"
)

// Format is the version of the layout of a backup.
const Format = 1

// ManifestName and DatabaseName are names within a backup.
const (
	ManifestName = "manifest.json"
	DatabaseName = "parley.db"
)

// Manifest describes a backup.
type Manifest struct {
	Format  int       `json:"format"`
	Version string    `json:"version"` // of the program that wrote it
	Team    string    `json:"team"`
	Created time.Time `json:"created"`
	// Store is sqlite or postgres. Schema is that of the database; 0 if the backup
	// holds none.
	Store  string `json:"store"`
	Schema int    `json:"schema,omitempty"`
	Files  []File `json:"files"`
}

// File is one of the files in a backup.
type File struct {
	Name   string `json:"name"` // relative to the team's folder, with slashes; DatabaseName for the database
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

// Source is a file to pack.
type Source struct {
	Name string // in the backup
	Path string // on disk
}

// Write packs files, lists them in the manifest and syncs the result, in a scratch
// folder for it. It replaces an existing file only with force. It reports each step
// to progress, which may be nil.
func Write(ctx context.Context, to string, in *Scratch, m *Manifest, from []Source, force bool, progress func(string)) error {
	if err := Free(to, force); err != nil {
		return err
	}
	f, err := os.CreateTemp(in.Dir, "*.tar.gz") // readable by its owner only
	if err != nil {
		return writeError(to, err)
	}
	err = pack(ctx, f, m, from, progress)
	err = errors.Join(err, f.Sync(), f.Close())
	if err != nil {
		return writeError(to, err)
	}
	if err := Free(to, force); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), to); err != nil {
		return writeError(to, err)
	}
	return syncFolder(filepath.Dir(to))
}

// Free refuses a name that is already taken.
func Free(name string, force bool) error {
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return writeError(name, err)
	case info.IsDir():
		return parley.Errorf(parley.Conflict, "%s is a folder.", name).WithHint("Name a file, such as backup.tar.gz.")
	case !force:
		return parley.Errorf(parley.Conflict, "%s exists already.", name).WithHint("Choose another name, or replace it with --force.")
	}
	return nil
}

func pack(ctx context.Context, w io.Writer, m *Manifest, from []Source, progress func(string)) error {
	m.Format, m.Files = Format, make([]File, len(from))
	for i, s := range from {
		size, sum, err := hashFile(ctx, s.Path)
		if err != nil {
			return err
		}
		m.Files[i] = File{Name: s.Name, Size: size, SHA256: sum}
	}
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	packed := gzip.NewWriter(w)
	archive := tar.NewWriter(packed)
	err = archive.WriteHeader(header(ManifestName, int64(len(text)), m.Created))
	if err == nil {
		_, err = archive.Write(text)
	}
	for i, s := range from {
		if err != nil {
			return err
		}
		if progress != nil {
			progress("packing " + s.Name)
		}
		err = add(ctx, archive, m.Files[i], s.Path, m.Created)
	}
	return errors.Join(err, archive.Close(), packed.Close())
}

func header(name string, size int64, at time.Time) *tar.Header {
	return &tar.Header{Name: name, Mode: 0o600, Size: size, ModTime: at.Truncate(time.Second), Format: tar.FormatPAX}
}

// add packs a file exactly as it was when it was hashed. If it has changed since,
// that is an error, because the backup could not be restored.
func add(ctx context.Context, to *tar.Writer, f File, path string, at time.Time) error {
	if err := to.WriteHeader(header(f.Name, f.Size, at)); err != nil {
		return err
	}
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	sum := sha256.New()
	n, err := io.Copy(io.MultiWriter(to, sum), reader{ctx, io.LimitReader(file, f.Size)})
	if err == nil && (n != f.Size || hex.EncodeToString(sum.Sum(nil)) != f.SHA256) {
		err = parley.Errorf(parley.Conflict, "%s changed while it was packed.", f.Name).WithHint("Try again.")
	}
	return err
}

func hashFile(ctx context.Context, path string) (size int64, sum string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, "", err
	}
	defer f.Close()
	h := sha256.New()
	size, err = io.Copy(h, reader{ctx, f})
	return size, hex.EncodeToString(h.Sum(nil)), err
}

// reader stops with its context.
type reader struct {
	ctx context.Context
	io.Reader
}

func (r reader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.Reader.Read(p)
}

func syncFolder(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// writeError names the file that could not be written. It leaves a *parley.Error
// unchanged.
func writeError(name string, err error) error {
	var ours *parley.Error
	if errors.As(err, &ours) || errors.Is(err, context.Canceled) {
		return err
	}
	return parley.Errorf(parley.Internal, "%s cannot be written: %v.", name, err).
		WithHint("Check the folder, its permissions and the free space.").WithCause(err)
}
