package backup

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"parley"
)

// largestManifest bounds what is read before the manifest can say how much there
// is.
const largestManifest = 16 << 20

// Read unpacks a backup into a new folder, checks it with check, and then gives it
// its name. dir may be an empty folder or not exist. If anything is wrong, nothing
// is left behind.
func Read(ctx context.Context, from, dir string, check func(m Manifest, dir string) error) (m Manifest, err error) {
	if err := Empty(dir); err != nil {
		return m, err
	}
	parent := filepath.Dir(filepath.Clean(dir))
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return m, writeError(parent, err)
	}
	temporary, err := os.MkdirTemp(parent, "."+filepath.Base(dir)+".*")
	if err != nil {
		return m, writeError(dir, err)
	}
	defer func() { _ = os.RemoveAll(temporary) }() // if all went well, it was renamed before
	if m, err = unpack(ctx, from, temporary); err != nil {
		return m, err
	}
	if err := check(m, temporary); err != nil {
		return m, err
	}
	if err := os.Remove(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return m, writeError(dir, err)
	}
	if err := os.Rename(temporary, dir); err != nil {
		return m, writeError(dir, err)
	}
	return m, syncFolder(parent)
}

// Empty refuses a folder that is not empty.
func Empty(dir string) error {
	list, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return parley.Errorf(parley.Conflict, "%s is not an empty folder.", dir).WithCause(err)
	case len(list) > 0:
		return parley.Errorf(parley.Conflict, "The folder %s is not empty.", dir).
			WithHint("Name a new folder: a backup is never restored over something.")
	}
	return nil
}

func unpack(ctx context.Context, from, dir string) (m Manifest, err error) {
	f, err := os.Open(from)
	if err != nil {
		return m, parley.Errorf(parley.NotFound, "The backup %s cannot be read: %v.", from, err).WithCause(err)
	}
	defer f.Close()
	packed, err := gzip.NewReader(reader{ctx, f})
	if err != nil {
		return m, damaged(from, err)
	}
	archive := tar.NewReader(packed)
	if m, err = readManifest(archive); err != nil {
		return m, damaged(from, err)
	}
	if m.Format > Format {
		return m, parley.Errorf(parley.Invalid, "%s was written by a newer parley (%s).", from, m.Version).WithHint("Install that version or a later one.")
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return m, writeError(dir, err)
	}
	defer root.Close()
	for _, want := range m.Files {
		if err := take(archive, root, want); err != nil {
			return m, damaged(from, err)
		}
	}
	if _, err := archive.Next(); err != io.EOF {
		return m, damaged(from, errors.New("it holds more files than its manifest lists"))
	}
	return m, nil
}

func readManifest(archive *tar.Reader) (m Manifest, err error) {
	h, err := archive.Next()
	if err != nil {
		return m, err
	}
	if h.Name != ManifestName || h.Size > largestManifest {
		return m, errors.New("it does not begin with a manifest")
	}
	text, err := io.ReadAll(io.LimitReader(archive, largestManifest))
	if err != nil {
		return m, err
	}
	return m, json.Unmarshal(text, &m)
}

// take writes the next file if the manifest names it.
func take(archive *tar.Reader, root *os.Root, want File) error {
	h, err := archive.Next()
	if err != nil {
		return err
	}
	if h.Name != want.Name || h.Typeflag != tar.TypeReg || h.Size != want.Size || !fs.ValidPath(h.Name) {
		return fmt.Errorf("%s is not what the manifest says", h.Name)
	}
	if err := root.MkdirAll(path.Dir(want.Name), 0o755); err != nil {
		return writeError(want.Name, err)
	}
	f, err := root.OpenFile(want.Name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return writeError(want.Name, err)
	}
	sum := sha256.New()
	_, err = io.Copy(io.MultiWriter(f, sum), archive)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if hex.EncodeToString(sum.Sum(nil)) != want.SHA256 {
		return fmt.Errorf("the checksum of %s is not that of the manifest", want.Name)
	}
	return nil
}

func damaged(name string, err error) error {
	var ours *parley.Error
	if errors.As(err, &ours) || errors.Is(err, context.Canceled) {
		return err
	}
	return parley.Errorf(parley.Invalid, "%s is damaged, or not a backup made by parley: %v.", name, err).
		WithHint("Nothing was restored. Use another copy.").WithCause(err)
}
