package workspace

import (
	"fmt"
	"hash/maphash"
	"maps"
	"path"
	"slices"

	"parley"
)

// What git ignores may be large and is made anew by a build, so no content of it is held
// and nothing of it is taken back. But whoever takes a task back should know what is left:
// which of the ignored files and folders a command changed is found by their stamps.
const (
	maxStampedIn  = 2_000  // entries of one ignored folder
	maxStamped    = 20_000 // of all
	maxIgnoredRow = 100    // that one command is said to have changed
)

// stamps are those of an ignored file, or of a folder and what is in it.
type stamps struct {
	sum  uint64
	most int // entries that are looked at
}

// stampSeed is that of this process: sums are compared only within a command.
var stampSeed = maphash.MakeSeed()

// ignore notes what an ignored file or folder looks like. A folder is one sum of what is
// in it, as far as is looked at.
func (l *lister) ignore(p *place) {
	var sum maphash.Hash
	sum.SetSeed(stampSeed)
	most := min(maxStampedIn, maxStamped-l.stamped)
	if l.before != nil {
		if old, known := l.before.ignored[p.path]; known {
			most = old.most // else it would look different
		}
	}
	left := most
	l.addStamp(&sum, p, 0, &left)
	l.stamped += most - max(left, 0)
	l.into.ignored[p.path] = stamps{sum.Sum64(), most}
}

// addStamp adds a place and what is below it.
func (l *lister) addStamp(sum *maphash.Hash, p *place, depth int, left *int) {
	_, _ = fmt.Fprintf(sum, "%q %+v\n", p.path, stampOf(p.info))
	if !p.info.IsDir() || depth > maxDepth || *left <= 0 || l.ctx.Err() != nil {
		return
	}
	below, err := p.dir.OpenRoot(".")
	if err != nil {
		return
	}
	at := &place{dir: below, name: p.name, path: p.path, info: p.info}
	defer at.close()
	if at.enter() != nil {
		return
	}
	for _, e := range entries(at) {
		if *left--; *left < 0 {
			return
		}
		one := &place{dir: at.dir, name: e.Name(), path: path.Join(at.path, e.Name())}
		if one.info, err = at.dir.Lstat(one.name); err == nil && !l.leavesOut(one) {
			l.addStamp(sum, one, depth+1, left)
		}
	}
}

// ignoredSince are the ignored files and folders that look different now.
func (w *Workspace) ignoredSince(before, after *listing) (list []parley.Change) {
	all := maps.Clone(before.ignored)
	maps.Copy(all, after.ignored)
	more := 0
	for _, path := range slices.Sorted(maps.Keys(all)) {
		was, there := before.ignored[path]
		if is, still := after.ignored[path]; was == is && there == still {
			continue
		}
		if len(list) == maxIgnoredRow {
			more++
			continue
		}
		c := w.byCommand(parley.Change{Path: path})
		c.Place = parley.Ignored
		list = append(list, c)
	}
	if more > 0 {
		list[len(list)-1].Doubt = fmt.Sprintf("and %d more", more)
	}
	return list
}
