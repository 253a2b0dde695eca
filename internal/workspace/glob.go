package workspace

import (
	"context"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"parley"
)

const (
	maxFound   = 1000    // paths that are shown
	maxVisited = 200_000 // files that are looked at
	maxDepth   = 100
)

// Paths are the matches of a pattern.
type Paths struct {
	List []string // folders end in /
	// Cut says that there are more.
	Cut bool
}

// Glob finds files and folders by a pattern such as src/**/*.go. It leaves out what
// git ignores, unless all is set, and does not follow links.
func (w *Workspace) Glob(ctx context.Context, pattern string, all bool) (Paths, error) {
	clean, err := cleanPattern(pattern)
	if err != nil {
		return Paths{}, err
	}
	var found Paths
	err = w.visit(ctx, visit{base: fixedFolder(clean), all: all}, func(name string, p *place) bool {
		if ok, _ := doublestar.Match(clean, name); !ok {
			return true
		}
		if len(found.List) == maxFound {
			found.Cut = true
			return false
		}
		if p.info.IsDir() {
			name += "/"
		}
		found.List = append(found.List, name)
		return true
	})
	slices.Sort(found.List)
	return found, err
}

// cleanPattern refuses an invalid pattern, and one that leaves the workspace.
func cleanPattern(pattern string) (string, error) {
	clean, err := cleanPath(pattern)
	if err != nil {
		return "", err
	}
	if !doublestar.ValidatePattern(clean) || slices.Contains(strings.Split(pattern, "/"), "..") {
		return "", parley.Errorf(parley.Invalid, "%s is not a pattern.", show(pattern)).
			WithHint("Use *, **, ?, [a-z] and {a,b}, such as src/**/*.go.")
	}
	return clean, nil
}

// fixedFolder is the folder that a pattern begins with: nothing outside of it can
// match.
func fixedFolder(pattern string) string {
	base, _ := doublestar.SplitPattern(pattern)
	return path.Clean(base)
}

// visit says which files to look at.
type visit struct {
	base string
	all  bool // also what git ignores
}

// visitor walks through folders.
type visitor struct {
	*Workspace
	ctx   context.Context
	visit visit
	left  int
	see   func(name string, p *place) bool
}

// visit calls see for every file and folder below a base, in the order of their
// names, until see returns false. It leaves out links, .git and what is hidden.
func (w *Workspace) visit(ctx context.Context, v visit, see func(name string, p *place) bool) error {
	p, err := w.find(v.base)
	if parley.KindOf(err) == parley.NotFound {
		return nil
	}
	if err != nil {
		return err
	}
	defer p.close()
	if p.info == nil {
		return nil
	}
	vis := &visitor{Workspace: w, ctx: ctx, visit: v, left: maxVisited, see: see}
	if !p.info.IsDir() {
		see(p.path, p)
		return nil
	}
	rules, err := w.ignoredAbove(p.path)
	if err != nil {
		return err
	}
	if p.name != "." {
		if err := p.enter(); err != nil {
			return err
		}
	}
	vis.folder(p, rules, 0)
	return context.Cause(ctx)
}

// folder visits what is in an entered folder. It returns false to end the whole walk.
func (v *visitor) folder(at *place, rules ignoreRules, depth int) bool {
	rules = rules.with(at)
	for _, e := range entries(at) {
		if v.left--; v.left < 0 || v.ctx.Err() != nil {
			return false
		}
		if !v.entry(at, e.Name(), rules, depth) {
			return false
		}
	}
	return true
}

func entries(at *place) []fs.DirEntry {
	list, _ := fs.ReadDir(at.dir.FS(), ".") // what cannot be listed has nothing to show
	return list
}

func (v *visitor) entry(at *place, name string, rules ignoreRules, depth int) bool {
	p := &place{dir: at.dir, name: name, path: path.Join(at.path, name), agents: at.agents, git: at.git, shared: at.shared}
	info, err := at.dir.Lstat(name)
	if err != nil || info.Mode()&fs.ModeSymlink != 0 {
		return true
	}
	p.info = info
	if v.classify(p) != nil || p.git || !v.visit.all && rules.ignores(p.path, info.IsDir()) {
		return true
	}
	if !v.see(p.path, p) {
		return false
	}
	if !info.IsDir() || depth >= maxDepth {
		return true
	}
	below, err := at.dir.OpenRoot(".")
	if err != nil {
		return true
	}
	p.dir = below
	defer p.close()
	if p.enter() != nil {
		return true
	}
	return v.folder(p, rules, depth+1)
}
