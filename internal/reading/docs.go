package reading

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"unicode/utf8"

	"parley"
	"parley/internal/access"
	"parley/internal/directory"
	"parley/internal/hardlink"
	"parley/internal/policy"
)

// What is read of an agent's docs at once.
const (
	docBytes  = 64 << 10
	docsBytes = 256 << 10
)

// Docs are the texts that an agent has for others.
type Docs struct {
	Agent string // as the name is spelled
	Files []Doc
	// Cut says that there was more than is read at once.
	Cut bool
}

// Doc is one of them.
type Doc struct {
	Name string // within the folder, with slashes
	Text string
	Cut  bool // this is its beginning
}

// Docs reads every .md file in the docs folder of another agent of the caller's
// team. It is the hub that reads, and nothing but that folder: whoever asks needs
// no right to files, and gets at none by it.
func (s *Service) Docs(ctx context.Context, c access.Caller, name string) (Docs, error) {
	e, err := s.dir.Find(c.Team, name)
	if err != nil {
		return Docs{}, err
	}
	if e.ID == c.Agent {
		return Docs{}, parley.ErrOwnDocs()
	}
	if err := s.access.PermitOutside(ctx, c, policy.AgentComm, "read_docs "+e.Name); err != nil {
		return Docs{}, err
	}
	d := Docs{Agent: e.Name}
	root, err := openDocs(e.Docs)
	if errors.Is(err, fs.ErrNotExist) {
		return d, nil
	}
	if err != nil {
		return d, errDocs(e.Name, err)
	}
	defer root.Close()
	if err := d.read(root); err != nil {
		return d, errDocs(e.Name, err)
	}
	return d, nil
}

func errDocs(name string, err error) error {
	return parley.Errorf(parley.Unavailable, "The docs of %s cannot be read.", name).WithCause(err)
}

// openDocs opens the folder itself. If a link stands in its place there are no
// docs, wherever it leads: next to them lies what is nobody else's business.
func openDocs(d directory.Docs) (*os.Root, error) {
	if d.Folder == "" {
		return nil, fs.ErrNotExist
	}
	home, err := os.OpenRoot(d.Home)
	if err != nil {
		return nil, err
	}
	defer home.Close()
	meant, err := home.Lstat(d.Folder)
	if err != nil {
		return nil, err
	}
	if !meant.IsDir() {
		return nil, fs.ErrNotExist
	}
	root, err := home.OpenRoot(d.Folder)
	if err != nil {
		return nil, err
	}
	// A link may have taken its place since it was looked at.
	if opened, err := root.Stat("."); err != nil || !os.SameFile(meant, opened) {
		return nil, errors.Join(fs.ErrNotExist, root.Close())
	}
	return root, nil
}

// read takes the files in the order of their names, until it has enough.
func (d *Docs) read(root *os.Root) error {
	left := docsBytes
	return fs.WalkDir(root.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil && name == ".":
			return err
		case err != nil || !entry.Type().IsRegular() || !isDoc(name):
			return nil // a folder that cannot be read hides nothing but itself; links are not followed
		case left == 0:
			d.Cut = true
			return fs.SkipAll
		}
		doc, err := readDoc(root, name, min(left, docBytes))
		if err != nil {
			return nil // it was there a moment ago, or is no file of this folder alone
		}
		left = max(0, left-len(doc.Name)-len(doc.Text)) // names count: there may be many
		d.Files = append(d.Files, doc)
		return nil
	})
}

func isDoc(name string) bool {
	return strings.EqualFold(path.Ext(name), ".md") && !strings.HasPrefix(path.Base(name), ".")
}

// readDoc reads the beginning of a file. What is no text in it is replaced.
func readDoc(root *os.Root, name string, limit int) (Doc, error) {
	f, err := root.Open(name)
	if err != nil {
		return Doc{}, err
	}
	defer f.Close()
	// What is open now is looked at, not what had the name a moment ago.
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() || hardlink.Shared(info) {
		return Doc{}, errors.Join(fs.ErrNotExist, err)
	}
	data, err := io.ReadAll(io.LimitReader(f, int64(limit)+1))
	doc := Doc{Name: name, Cut: len(data) > limit}
	if doc.Cut {
		data = wholeRunes(data[:limit])
	}
	doc.Text = plainText(data)
	return doc, err
}

// wholeRunes leaves out a character that was cut in two.
func wholeRunes(data []byte) []byte {
	for i := len(data) - 1; i >= 0 && i >= len(data)-utf8.UTFMax; i-- {
		if utf8.RuneStart(data[i]) {
			if !utf8.FullRune(data[i:]) {
				return data[:i]
			}
			break
		}
	}
	return data
}

// plainText makes text of what was read, in no more bytes than that was.
func plainText(data []byte) string {
	text := strings.TrimPrefix(string(data), "\uFEFF")
	return strings.ReplaceAll(strings.ToValidUTF8(text, "?"), "\x00", "?")
}
