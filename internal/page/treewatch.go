package page

import (
	"sync"

	"parley"
)

// treeWatch tells what of the record is about one tree, so that the page of a task need
// not look again for what others do. A nil one watches none.
type treeWatch struct {
	root   parley.TaskID
	rootOf func(parley.TaskID) (parley.TaskID, error)
	mu     sync.Mutex
	in     map[parley.TaskID]bool
}

// watched bounds how many tasks a watch remembers; what a task is below of never changes,
// so it may forget all and ask again.
const watched = 10_000

// treeOf watches the tree of a root that the browser names; nil for none.
func (v *visit) treeOf(root string) *treeWatch {
	id, err := parley.ParseTaskID(root)
	if err != nil {
		return nil
	}
	rootOf := func(id parley.TaskID) (parley.TaskID, error) { return v.Reading.RootOf(v.ctx, v.Caller, id) }
	return &treeWatch{root: id, rootOf: rootOf, in: map[parley.TaskID]bool{id: true}}
}

// has reports whether a task is in the tree.
func (w *treeWatch) has(id parley.TaskID) bool {
	if w == nil || id == 0 {
		return false
	}
	w.mu.Lock()
	in, known := w.in[id]
	w.mu.Unlock()
	if known {
		return in
	}
	root, err := w.rootOf(id) // which steps do not wait for
	if err != nil {
		return true // better one look too many
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.in) >= watched {
		clear(w.in)
	}
	w.in[id] = root == w.root
	return root == w.root
}
