package change

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/diff"

	"parley"
	"parley/internal/access"
	"parley/internal/store"
)

// Diff is what tasks changed.
type Diff struct {
	Files []FileDiff
	// Notes say whose changes these are, what is not known, and what is not among them.
	Notes []string
	// Cut says that some of the text is left out.
	Cut bool
}

// FileDiff is what was changed at one path.
type FileDiff struct {
	Path  string
	From  string // its former path, if it was renamed
	Place parley.ChangePlace
	// What is created, changed, deleted or renamed.
	What          string
	Before, After parley.FileState
	Tasks         []parley.TaskID
	Command       bool
	Undone        bool
	Doubt         string
	// Text is a unified diff, in the form that git applies.
	Text string
}

const (
	maxText    = 256 << 10 // of one file
	maxAllText = 4 << 20
)

// Diff shows what a task changed in files, with those that it goes on from, and with the
// tasks below unless only itself is wanted. What was taken back is left out of the texts.
func (s *Service) Diff(ctx context.Context, c access.Caller, id parley.TaskID, only bool) (Diff, error) {
	if err := s.Sees(ctx, c, id); err != nil {
		return Diff{}, err
	}
	w, err := s.load(ctx, c, id, only)
	if err != nil {
		return Diff{}, err
	}
	out := Diff{Notes: w.notes()}
	for _, c := range w.unknown {
		out.Notes = append(out.Notes, fmt.Sprintf("What a command of %s changed is not known: %s.", c.Task, c.Doubt))
	}
	err = s.Store.View(ctx, func(tx *store.Tx) error {
		out.Files = nil
		for _, f := range w.files {
			if err := out.add(tx, f); err != nil {
				return err
			}
		}
		return nil
	})
	if slices.ContainsFunc(out.Files, func(f FileDiff) bool { return f.Command && !f.Undone }) {
		out.Notes = append(out.Notes, byListing)
	}
	out.pairRenames()
	out.fit()
	return out, err
}

func (d *Diff) add(tx *store.Tx, f *file) error {
	for _, seg := range f.segments {
		if seg.nothing() {
			continue
		}
		one := describe(f, seg)
		before, err := content(tx, seg.before().Task, seg.before().Before)
		if err != nil {
			return err
		}
		after, err := content(tx, seg.after().Task, seg.after().After)
		if err != nil {
			return err
		}
		one.Text = text(QuotePath("a/"+f.path), QuotePath("b/"+f.path), before, after)
		d.Files = append(d.Files, one)
	}
	if len(f.undone) > 0 {
		one := describe(f, f.undone)
		one.Undone = true
		d.Files = append(d.Files, one)
	}
	return nil
}

func describe(f *file, seg segment) FileDiff {
	one := FileDiff{Path: f.path, Place: f.place, Before: seg.before().Before, After: seg.after().After, What: "changed", Doubt: f.doubt}
	switch {
	case one.Before.Kind == parley.NoFile:
		one.What = "created"
	case one.After.Kind == parley.NoFile:
		one.What = "deleted"
	}
	for _, c := range seg {
		one.Command = one.Command || c.Command
		if !slices.Contains(one.Tasks, c.Task) {
			one.Tasks = append(one.Tasks, c.Task)
		}
	}
	return one
}

// content reads what a state says, if it is kept.
func content(tx *store.Tx, task parley.TaskID, s parley.FileState) (parley.FileState, error) {
	if !s.Kept {
		return s, nil
	}
	var err error
	s.Content, err = tx.FileContent(task, s.Hash)
	if errors.Is(err, store.ErrNotFound) {
		s.Kept, err = false, nil
	}
	return s, err
}

// text writes the difference as git does. Folders have none.
func text(a, b string, before, after parley.FileState) string {
	if before.Kind == parley.Folder || after.Kind == parley.Folder {
		return ""
	}
	var out strings.Builder
	fmt.Fprintf(&out, "diff --git %s %s\n", a, b)
	oldName, newName := a, b
	switch {
	case before.Kind == parley.NoFile:
		oldName = "/dev/null"
		fmt.Fprintf(&out, "new file mode %s\n", modeOf(after))
	case after.Kind == parley.NoFile:
		newName = "/dev/null"
		fmt.Fprintf(&out, "deleted file mode %s\n", modeOf(before))
	case modeOf(before) != modeOf(after):
		fmt.Fprintf(&out, "old mode %s\nnew mode %s\n", modeOf(before), modeOf(after))
	}
	known := func(s parley.FileState) bool { return s.Kind == parley.NoFile || s.Kept }
	switch {
	case before.Hash == after.Hash && before.Hash != "":
	case !known(before) || !known(after):
		fmt.Fprintf(&out, "(The content is not kept: %d bytes before, %d afterwards.)\n", before.Size, after.Size)
	case binary(before.Content) || binary(after.Content):
		fmt.Fprintf(&out, "Binary files %s and %s differ\n", oldName, newName)
	default:
		if whole := diff.Diff(oldName, before.Content, newName, after.Content); whole != nil {
			_, hunks, _ := bytes.Cut(whole, []byte("\n")) // its own first line
			out.Write(hunks)
		}
	}
	return out.String()
}

func binary(data []byte) bool { return !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0 }

func modeOf(s parley.FileState) string {
	if s.Kind == parley.Link {
		return "120000"
	}
	return fmt.Sprintf("100%03o", s.Mode&0o777)
}

// pairRenames finds files that went from one path to another as they were.
func (d *Diff) pairRenames() {
	for i := range d.Files {
		made := &d.Files[i]
		if made.What != "created" || made.Undone || made.After.Kind != parley.RegularFile || made.After.Hash == "" || made.After.Size == 0 {
			continue
		}
		for j := range d.Files {
			gone := &d.Files[j]
			if gone.What == "deleted" && !gone.Undone && gone.Place == made.Place && gone.Before.Same(made.After) {
				made.What, made.From = "renamed", gone.Path
				made.Text = fmt.Sprintf("diff --git %s %s\nsimilarity index 100%%\nrename from %s\nrename to %s\n",
					QuotePath("a/"+gone.Path), QuotePath("b/"+made.Path), QuotePath(gone.Path), QuotePath(made.Path))
				gone.What = "" // it is said there
				break
			}
		}
	}
	d.Files = slices.DeleteFunc(d.Files, func(f FileDiff) bool { return f.What == "" })
}

// fit leaves out what is too long.
func (d *Diff) fit() {
	all := 0
	for i := range d.Files {
		f := &d.Files[i]
		if len(f.Text) > maxText || all+len(f.Text) > maxAllText {
			head, _, _ := strings.Cut(f.Text, "\n")
			f.Text = fmt.Sprintf("%s\n(%d bytes of this diff are left out.)\n", head, len(f.Text))
			d.Cut = true
		}
		all += len(f.Text)
	}
}

// QuotePath shows a path as git does: one with control characters, quotes or bytes that
// are not UTF-8 stands in quotes, with those in octal.
func QuotePath(path string) string {
	var b strings.Builder
	for i := 0; i < len(path); {
		r, size := utf8.DecodeRuneInString(path[i:])
		switch {
		case r == utf8.RuneError && size == 1, r < ' ', r == 0x7f, r >= 0x80 && r < 0xa0:
			for _, c := range []byte(path[i : i+size]) {
				fmt.Fprintf(&b, `\%03o`, c)
			}
		case r == '"' || r == '\\':
			b.WriteString(`\` + string(r))
		default:
			b.WriteString(path[i : i+size])
		}
		i += size
	}
	if b.String() == path {
		return path
	}
	return `"` + b.String() + `"`
}
