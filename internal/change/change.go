// Package change shows what tasks changed in files, and takes it back.
//
// A change was recorded before it was made. If the hub was killed in between, what
// stands at the path says whether it was: whoever looks settles it. To take changes
// back, every path has to be as the last of them left it, and the first of them has to
// have begun where the one before ended: so nobody else's work is lost. What is not
// certain is refused by name, and unless the caller wants a part nothing is done at all.
package change

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"

	"parley"
	"parley/internal/access"
	"parley/internal/store"
)

// Files is a folder in which files were changed. Package workspace implements it.
type Files interface {
	Home() string
	Now(path string) (parley.FileState, error)
	Restore(path string, from, to parley.FileState) error
}

// Config is what a Service works with.
type Config struct {
	Store  store.Store
	Access *access.Control
	// Sees refuses a task that the caller may not read.
	Sees func(ctx context.Context, c access.Caller, id parley.TaskID) error
}

// Service is safe for concurrent use.
type Service struct {
	Config
	undoing sync.Mutex // one at a time, so that each sees what the one before did

	mu     sync.RWMutex
	places map[parley.TeamID]Places
}

// Places finds the folder that a team's path is in; nil if it is not on this machine.
type Places func(place parley.ChangePlace, path string) Files

func New(cfg Config) *Service {
	return &Service{Config: cfg, places: map[parley.TeamID]Places{}}
}

// Serve says where the files of a team are; nil if they are not here any more.
func (s *Service) Serve(team parley.TeamID, places Places) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if places == nil {
		delete(s.places, team)
		return
	}
	s.places[team] = places
}

// files finds the folder of a change; nil if it is not here.
func (s *Service) files(c parley.Change) Files {
	s.mu.RLock()
	places := s.places[c.Team]
	s.mu.RUnlock()
	if places == nil {
		return nil
	}
	f := places(c.Place, c.Path)
	if f == nil || s.Store.Shared() && f.Home() != c.Home {
		return nil // another hub's, on the same database
	}
	return f
}

// file is what some tasks did at one path, in order. Changes that follow from each other
// are one segment; what somebody else did in between separates two.
type file struct {
	place    parley.ChangePlace
	path     string
	segments []segment
	undone   []parley.Change
	// doubt says why nobody knows what was done here.
	doubt string
	// rest are changes by others after the last.
	rest []parley.Change
}

type segment []parley.Change

func (s segment) before() parley.Change { return s[0] }
func (s segment) after() parley.Change  { return s[len(s)-1] }

// nothing reports whether everything is as it was before.
func (s segment) nothing() bool { return s.before().Before.Same(s.after().After) }

// work is what some tasks changed.
type work struct {
	tasks []parley.Task
	from  []parley.TaskID // of these, the tasks that others of them go on from
	heirs []heir
	files []*file
	// unknown are commands of which nobody knows what they changed.
	unknown []parley.Change
	// ignored is what commands changed and git ignores.
	ignored []parley.Change
}

// load reads what a task changed, with those that it goes on from and, unless only itself
// is wanted, the tasks below. An agent sees its own changes.
func (s *Service) load(ctx context.Context, c access.Caller, id parley.TaskID, only bool) (w work, err error) {
	var list []found
	err = s.Store.View(ctx, func(tx *store.Tx) error {
		w = work{}
		if w.tasks, w.from, err = family(tx, id, only); err != nil {
			return err
		}
		if !s.Access.IsPerson(c.Agent) {
			w.tasks = slices.DeleteFunc(w.tasks, func(t parley.Task) bool { return t.Agent != c.Agent })
			w.from = slices.DeleteFunc(w.from, func(id parley.TaskID) bool {
				return !slices.ContainsFunc(w.tasks, func(t parley.Task) bool { return t.ID == id })
			})
		}
		if w.heirs, err = heirsOf(tx, w.tasks); err != nil {
			return err
		}
		list, err = changesOf(tx, w.tasks)
		return err
	})
	if err != nil {
		return w, err
	}
	return w, s.collect(&w, list) // outside of the transaction: it may look at files
}

// found is a stored change, with those that came after it at the same path.
type found struct {
	parley.Change
	later []parley.Change
}

// changesOf reads what tasks changed, in the order in which it happened.
func changesOf(tx *store.Tx, tasks []parley.Task) (all []found, err error) {
	for _, t := range tasks {
		list, err := tx.Changes(t.ID)
		if err != nil {
			return nil, err
		}
		for _, c := range list {
			f := found{Change: c}
			if c.Path != "" && c.Place != parley.Ignored && c.State != parley.ChangeUndone {
				if f.later, err = tx.ChangesAt(c.Team, c.Place, c.Path, c.ID); err != nil {
					return nil, err
				}
			}
			all = append(all, f)
		}
	}
	slices.SortFunc(all, func(a, b found) int { return cmp.Compare(a.ID, b.ID) })
	return all, nil
}

func (s *Service) collect(w *work, all []found) error {
	byPath := map[string]*file{}
	for _, found := range all {
		c := found.Change
		if c.Path == "" {
			w.unknown = append(w.unknown, c)
			continue
		}
		if c.Place == parley.Ignored {
			w.ignored = append(w.ignored, c)
			continue
		}
		key := string(c.Place) + "\x00" + c.Path
		f := byPath[key]
		if f == nil {
			f = &file{place: c.Place, path: c.Path}
			byPath[key] = f
			w.files = append(w.files, f)
		}
		if err := s.add(w, f, found); err != nil {
			return err
		}
	}
	slices.SortFunc(w.files, func(a, b *file) int { return strings.Compare(a.path, b.path) })
	return nil
}

// add adds a change to what was done at its path.
func (s *Service) add(w *work, f *file, found found) error {
	c, later := found.Change, found.later
	if c.State == parley.ChangeUndone {
		f.undone = append(f.undone, c)
		return nil
	}
	made := true
	if c.State == parley.ChangeBegun {
		var err error
		if made, err = s.settle(f, c, later); err != nil {
			return err
		}
	}
	if c.Doubt != "" {
		f.doubt = c.Doubt
	}
	f.rest = slices.DeleteFunc(later, func(o parley.Change) bool {
		return o.State == parley.ChangeUndone || slices.ContainsFunc(w.tasks, func(t parley.Task) bool { return t.ID == o.Task })
	})
	last := len(f.segments) - 1
	switch {
	case !made:
	case last >= 0 && f.segments[last].after().After.Same(c.Before):
		f.segments[last] = append(f.segments[last], c)
	default:
		f.segments = append(f.segments, segment{c})
	}
	return nil
}

// settle finds out whether a change was made before the hub was killed: by what the next
// one found, or else by what is there now.
func (s *Service) settle(f *file, c parley.Change, later []parley.Change) (made bool, err error) {
	var now parley.FileState
	if len(later) > 0 {
		now = later[0].Before
	} else if files := s.files(c); files == nil {
		f.doubt = "the hub was killed while it was changed, and the file is not on this machine"
		return true, nil
	} else if now, err = files.Now(c.Path); err != nil {
		f.doubt = parley.Public(err)
		return true, nil
	}
	switch {
	case now.Same(c.After):
		return true, nil
	case now.Same(c.Before):
		return false, nil
	}
	f.doubt = "the hub was killed while it was changed, and it has changed since"
	return true, nil
}
