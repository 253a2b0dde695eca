package workspace

import (
	"context"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"parley"
)

// What a listing may cost. A content that is held in memory can be put back if the
// command changes it.
const (
	maxListed    = 50_000    // files and folders
	maxHeldFile  = 256 << 10 // a content
	maxHeld      = 16 << 20  // those of one command
	maxHeldInAll = 64 << 20
	maxKeptAfter = 1 << 20 // a content that a command has made
)

// listing is what stands in the workspace before a command: everything but .git, what
// git ignores, and what no command can write.
type listing struct {
	entries map[string]listed
	ignored map[string]stamps // what git ignores, only by what it looks like
	// rules are those of each folder. They hold for the look afterwards too: what a changed
	// .gitignore hides or shows was neither deleted nor created.
	rules map[string]ignoreRules
	cut   bool // there is more than is listed
	held  int64
	// Guarded by the mutex of looking.
	shared  bool // another command ran at the same time
	written []parley.Change
}

type listed struct {
	state parley.FileState
	stamp stamp
}

// stamp tells from outside whether something may have changed.
type stamp struct {
	size, modified, changed int64
	inode                   uint64
	mode                    fs.FileMode
}

// lister walks through the workspace.
type lister struct {
	w       *Workspace
	ctx     context.Context
	into    *listing
	before  *listing // nil for the first look
	skipped map[string]bool
	stamped int // of what is ignored
}

func newListing() *listing {
	return &listing{entries: map[string]listed{}, ignored: map[string]stamps{}, rules: map[string]ignoreRules{}}
}

// list looks at the workspace before a command.
func (w *Workspace) list(ctx context.Context) *listing {
	one := newListing()
	w.looking.begin(one)
	l := lister{w: w, ctx: ctx, into: one, skipped: w.unlisted()}
	l.top()
	return one
}

// unlisted are the paths in the workspace that no command can write.
func (w *Workspace) unlisted() map[string]bool {
	readOnly, hidden := Confine(w.Config)
	skipped := map[string]bool{}
	for _, p := range slices.Concat(readOnly, hidden) {
		if rel, err := filepath.Rel(w.Folder, p); err == nil {
			skipped[filepath.ToSlash(rel)] = true
		}
	}
	return skipped
}

func (l *lister) top() {
	p, _, err := l.w.walk(".")
	if err != nil {
		l.into.cut = true
		return
	}
	defer p.close()
	l.folder(p, nil, 0)
}

func (l *lister) folder(at *place, rules ignoreRules, depth int) {
	if l.before != nil && l.before.rules[at.path] != nil {
		rules = l.before.rules[at.path]
	} else if rules = rules.with(at); rules == nil {
		rules = ignoreRules{}
	}
	l.into.rules[at.path] = rules
	for _, e := range entries(at) {
		if len(l.into.entries) >= maxListed || depth > maxDepth || l.ctx.Err() != nil {
			l.into.cut = true
			return
		}
		l.entry(at, e.Name(), rules, depth)
	}
}

func (l *lister) entry(at *place, name string, rules ignoreRules, depth int) {
	p := &place{dir: at.dir, name: name, path: path.Join(at.path, name)}
	info, err := at.dir.Lstat(name)
	if p.info = info; err != nil || l.leavesOut(p) {
		return
	}
	if rules.ignores(p.path, info.IsDir()) {
		l.ignore(p)
		return
	}
	if linkCount(info) > 1 && !info.IsDir() && l.w.classify(p) != nil {
		return // another name of something hidden
	}
	l.into.entries[p.path] = l.look(p)
	if !info.IsDir() {
		return
	}
	below, err := at.dir.OpenRoot(".")
	if err != nil {
		return
	}
	p.dir = below
	defer p.close()
	if p.enter() == nil {
		l.folder(p, rules, depth+1)
	}
}

// leavesOut reports whether a place is git's, or one that no command can write.
func (l *lister) leavesOut(p *place) bool {
	return strings.EqualFold(p.name, gitFolder) || l.skipped[p.path]
}

// look notes what a file is. In the first look small contents are held; in the second
// only what seems to have changed is read.
func (l *lister) look(p *place) listed {
	now := listed{stamp: stampOf(p.info)}
	if l.before != nil {
		if old, there := l.before.entries[p.path]; there && old.stamp == now.stamp {
			return old
		}
		now.state, _ = p.state(maxKeptAfter) // what cannot be read has no hash, which is a doubt
		return now
	}
	switch size := p.info.Size(); {
	case !p.info.Mode().IsRegular():
		now.state, _ = p.state(0)
	case size <= maxHeldFile && l.w.looking.hold(l.into, size):
		now.state, _ = p.state(maxHeldFile)
	default:
		now.state = parley.FileState{Kind: parley.RegularFile, Mode: uint32(p.info.Mode() & modeBits), Size: size}
	}
	return now
}

// changesSince looks again and compares.
func (w *Workspace) changesSince(ctx context.Context, before *listing) []parley.Change {
	after := newListing()
	l := lister{w: w, ctx: context.WithoutCancel(ctx), into: after, before: before, skipped: w.unlisted()}
	l.top()
	w.looking.end(before)
	written, shared := w.looking.writtenMeanwhile(before)
	if before.cut || after.cut {
		return []parley.Change{w.byCommand(parley.Change{Doubt: "there are too many files to look at all of them"})}
	}
	var list []parley.Change
	for _, path := range slices.Sorted(maps.Keys(union(before.entries, after.entries))) {
		c := parley.Change{Path: path, Before: before.entries[path].state, After: after.entries[path].state}
		if _, still := after.entries[path]; !still {
			c.After = w.gone(path)
		}
		if unchanged(before.entries[path], after.entries[path], c) {
			continue
		}
		if i := slices.IndexFunc(written, func(o parley.Change) bool { return o.Path == path }); i >= 0 {
			if ours := lastAt(written, path); ours.After.Same(c.After) {
				continue // one of our tools did it
			}
			c.Doubt = "a tool wrote it while the command ran"
		}
		if shared {
			c.Doubt = "another command ran at the same time"
		}
		list = append(list, w.byCommand(c))
	}
	return append(list, w.ignoredSince(before, after)...)
}

func (w *Workspace) byCommand(c parley.Change) parley.Change {
	c.Command, c.Place, c.Home, c.State = true, parley.InWorkspace, w.home, parley.ChangeMade
	return c
}

// unchanged reports whether a path is as it was. Of what is too large to be read the
// stamp decides.
func unchanged(before, after listed, c parley.Change) bool {
	return c.Before.Same(c.After) || before.stamp == after.stamp && c.Before.Kind == c.After.Kind
}

// gone looks again at a path that was not found: it may be ignored only now.
func (w *Workspace) gone(path string) parley.FileState {
	now, err := w.Now(path)
	if err != nil {
		return parley.FileState{Kind: parley.OtherFile}
	}
	return now
}

func lastAt(list []parley.Change, path string) (last parley.Change) {
	for _, c := range list {
		if c.Path == path {
			last = c
		}
	}
	return last
}

func union(a, b map[string]listed) map[string]bool {
	all := map[string]bool{}
	for path := range a {
		all[path] = true
	}
	for path := range b {
		all[path] = true
	}
	return all
}
