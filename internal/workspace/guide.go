package workspace

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"parley"
)

// guideFiles are what the owner of a workspace tells agents that work there. The ones
// right in the folder are read.
func guideFiles() []string { return []string{"AGENTS.md", "CLAUDE.md"} }

// maxGuide is how much of a guide goes into a prompt.
const maxGuide = 32 << 10

// Guide is one of them.
type Guide struct {
	File string
	Size int64
	// Text is what agents read: headers that imitate the hub's are quoted. It is empty if
	// the file is not read, and Note then says why.
	Text string
	// Cut says that only the beginning is shown.
	Cut  bool
	Note string
}

// guides remembers what was read, by what the files look like.
type guides struct {
	mu    sync.Mutex
	stamp string
	list  []Guide
}

// Guides reads the guides. Files that have not changed are not read again.
func (w *Workspace) Guides() []Guide {
	var places []*place
	stamp := ""
	for _, name := range guideFiles() {
		p, err := w.find(name)
		if err != nil {
			p = &place{path: name}
			stamp += parley.Public(err)
		} else {
			defer p.close()
		}
		if p.info != nil {
			stamp += fmt.Sprint(name, p.path, stampOf(p.info))
		}
		places = append(places, p)
	}
	w.guides.mu.Lock()
	defer w.guides.mu.Unlock()
	if w.guides.stamp == stamp {
		return w.guides.list
	}
	w.guides.stamp, w.guides.list = stamp, nil
	for i, name := range guideFiles() {
		if g := w.guide(name, places[i]); g.Size > 0 || g.Note != "" {
			w.guides.list = append(w.guides.list, g)
		}
	}
	return w.guides.list
}

func (w *Workspace) guide(name string, p *place) Guide {
	g := Guide{File: name}
	switch {
	case p.dir == nil:
		g.Note = "it cannot be read: it leads out of the workspace, or to what belongs to the hub"
		return g
	case p.info == nil:
		return g
	}
	if i := slices.IndexFunc(guideFiles(), func(n string) bool { return n != name && strings.EqualFold(n, p.path) }); i >= 0 {
		g.Note = "it is a link to " + guideFiles()[i] // which is read under its own name
		return g
	}
	f, err := p.open()
	if err != nil {
		g.Note = parley.Public(err)
		return g
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, maxGuide+1))
	g.Size = p.info.Size()
	if g.Cut = len(data) > maxGuide; g.Cut {
		data = data[:bytes.LastIndexByte(data[:maxGuide], '\n')+1] // whole lines
	}
	if err != nil || !isText(data) {
		g.Note, g.Cut = "it is not text", false
		return g
	}
	g.Text = parley.Quote(strings.TrimSpace(string(bytes.TrimPrefix(data, []byte("\uFEFF")))))
	return g
}

// GuideText is what the guides add to a prompt.
func GuideText(list []Guide) string {
	var b strings.Builder
	for _, g := range list {
		if g.Text == "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteString("\n\n")
		}
		fmt.Fprintf(&b, "%s of the workspace, by its owner:\n\n%s", g.File, g.Text)
		if g.Cut {
			fmt.Fprintf(&b, "\n\n(Only the beginning of %s is shown here; read_file shows all of it.)", g.File)
		}
	}
	return b.String()
}

// isGuide reports whether a place is a guide. In folders below they are recognised by
// name, since other programs read those. One that is reached by another name counts too.
func (w *Workspace) isGuide(p *place) bool {
	if w.Memory || p.shared {
		return false
	}
	return slices.ContainsFunc(guideFiles(), func(name string) bool {
		return strings.EqualFold(p.name, name) || w.isAt(p, filepath.Join(w.Folder, name))
	})
}

// mayWrite refuses a change at a protected place.
func (w *Workspace) mayWrite(p *place, a Access) error {
	if w.isGuide(p) {
		return parley.Errorf(parley.Denied, "%s cannot be written: agents are told by it what to do.", show(p.path)).
			WithHint("Leave it to people.")
	}
	return p.mayWrite(a)
}

// guidePaths are the guides of a workspace and, of those that are links, the files that
// they lead to.
func guidePaths(folder string) (paths []string) {
	for _, name := range guideFiles() {
		path := filepath.Join(folder, name)
		paths = append(paths, path)
		if real := resolve(path); real != path {
			paths = append(paths, real)
		}
	}
	return paths
}

// sweepCovers removes what a killed hub has left of covers.
func (w *Workspace) sweepCovers() {
	for _, name := range guideFiles() {
		if info, err := w.root.Lstat(name); err == nil && isCover(info) {
			_ = w.root.Remove(name)
		}
	}
}

func isCover(info os.FileInfo) bool {
	return info.Mode().IsRegular() && info.Size() == 0 && info.Mode().Perm() == coverMode
}
