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

// How much of an agent's docs is read at once.
const (
	docBytes  = 64 << 10
	docsBytes = 256 << 10
)

// Docs are the texts that an agent offers to others.
type Docs struct {
	Agent string // as the team spells the name
	Files []Doc
	// Cut says that there was more than could be read at once.
	Cut bool
}

type Doc struct {
	Name string // within the folder, with slashes
	Text string
	Cut  bool // Text is only the beginning
}

// Docs reads every .md file in the docs folder of another agent of the caller's team.
// The hub itself reads, and only that folder: the caller needs no access to files,
// and gains none.
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

// DocsText is everything in a docs folder as one text; empty if there is none, or if it
// cannot be read.
func DocsText(folder directory.Docs) string {
	root, err := openDocs(folder)
	if err != nil {
		return ""
	}
	defer root.Close()
	var d Docs
	if d.read(root) != nil {
		return ""
	}
	var b strings.Builder
	for _, doc := range d.Files {
		b.WriteString(doc.Name + "\n" + doc.Text + "\n")
	}
	return b.String()
}

func errDocs(name string, err error) error {
	return parley.Errorf(parley.Unavailable, "The docs of %s cannot be read.", name).WithCause(err)
}

// openDocs opens the folder itself. If there is a link in its place, there are no
// docs, wherever the link leads: the files beside the folder are private.
func openDocs(d directory.Docs) (*os.Root, error) {
	if d.Folder == "" {
		return nil, fs.ErrNotExist
	}
	home, err := os.OpenRoot(d.Home)
	if err != nil {
		return nil, err
	}
	defer home.Close()
	expected, err := home.Lstat(d.Folder)
	if err != nil {
		return nil, err
	}
	if !expected.IsDir() {
		return nil, fs.ErrNotExist
	}
	root, err := home.OpenRoot(d.Folder)
	if err != nil {
		return nil, err
	}
	// A link may have replaced it since the check.
	if opened, err := root.Stat("."); err != nil || !os.SameFile(expected, opened) {
		return nil, errors.Join(fs.ErrNotExist, root.Close())
	}
	return root, nil
}

// read reads the files by name, until it has enough.
func (d *Docs) read(root *os.Root) error {
	left := docsBytes
	return fs.WalkDir(root.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil && name == ".":
			return err
		case err != nil || !entry.Type().IsRegular() || !isDoc(name):
			return nil // an unreadable folder is skipped; links are not followed
		case left == 0:
			d.Cut = true
			return fs.SkipAll
		}
		doc, err := readDoc(root, name, min(left, docBytes))
		if err != nil {
			return nil // it has just been removed, or has a name outside this folder too
		}
		left = max(0, left-len(doc.Name)-len(doc.Text)) // names count: there may be many
		d.Files = append(d.Files, doc)
		return nil
	})
}

func isDoc(name string) bool {
	return strings.EqualFold(path.Ext(name), ".md") && !strings.HasPrefix(path.Base(name), ".")
}

// readDoc reads the beginning of a file. Bytes that are not text are replaced.
func readDoc(root *os.Root, name string, limit int) (Doc, error) {
	f, err := root.Open(name)
	if err != nil {
		return Doc{}, err
	}
	defer f.Close()
	// Check the file that is open, not the one that had the name a moment ago.
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

// wholeRunes drops a character that was cut in two.
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

// plainText turns what was read into text of no more bytes.
func plainText(data []byte) string {
	text := strings.TrimPrefix(string(data), "\uFEFF")
	return strings.ReplaceAll(strings.ToValidUTF8(text, "?"), "\x00", "?")
}
