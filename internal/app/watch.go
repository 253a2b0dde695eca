package app

import (
	"cmp"
	"context"
	"sync"
	"time"

	"parley"
	"parley/internal/config"
	"parley/internal/filewatch"
	"parley/internal/rulebook"
)

// refresh reads the files that may have changed and applies what has.
func (f *teamFiles) refresh(ctx context.Context, files []string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	change, err := f.take(ctx, 0, false, func() (*config.Team, []config.Problem, error) {
		return config.Refresh(f.held, f.read, append(files, f.unread...))
	})
	if err != nil || change.Nothing() {
		return err
	}
	if time.Since(f.noticedAt) > justNow {
		f.noticed = rulebook.Change{}
	}
	f.noticed, f.noticedAt = change.After(f.noticed), time.Now()
	return nil
}

// since names the files that look different from when they were read. misses says that the
// model of an agent could not be made, and found that its script has changed since.
func (f *teamFiles) since(s *config.Sight) (names []string, misses, found bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	m := f.cfg.models
	return s.Since(f.read), m.failed, m.failed && !m.current()
}

// retried reports whether a reload failed for a reason outside the files, such as a
// database that cannot be reached, and is worth trying again.
func retried(err error) bool {
	kind := parley.KindOf(err)
	return err != nil && kind != parley.Invalid && kind != parley.NotFound
}

const (
	// lookEvery is how often to look at the files where the system does not tell of changes.
	// Looking takes at most a fiftieth of the time, however many files there are.
	lookEvery = 2 * time.Second
	lookShare = 50
	// lookAnyway is how often to look where it tells.
	lookAnyway = 10 * time.Minute
)

// watch takes changes of the files over, and all files at once when told to, until the
// context is done. It never reads a file while somebody writes it, and as long as no file
// changes, it reads and writes nothing.
func (f *teamFiles) watch(ctx context.Context, every time.Duration, now <-chan struct{}) {
	l := lookout{files: f, dir: f.cfg.Team.Dir, every: cmp.Or(every, lookEvery)}
	defer l.listening.Wait()
	l.listen(ctx)
	for {
		select {
		case <-ctx.Done():
			return
		case <-now:
			_, _ = f.Reload(ctx, 0) // it has logged what is wrong
			l.tried, _ = config.Look(l.dir)
		case names, ok := <-l.changed:
			if !ok { // something may have been missed
				l.listen(ctx)
			} else {
				l.apply(ctx, names)
			}
		case <-time.After(l.pause):
			l.look(ctx)
		}
	}
}

// lookout notices changes of a team's files. Where the system tells of them, it listens,
// and otherwise it looks from time to time. It then applies a change when two looks in a
// row see the same, so that nobody is writing.
type lookout struct {
	files *teamFiles
	dir   string
	every time.Duration

	listening sync.WaitGroup
	changed   <-chan []string // nil if the system does not tell
	pause     time.Duration   // until the next look
	seen      *config.Sight   // at the last look
	tried     *config.Sight   // when changes were applied last
	again     bool            // that failed, and is worth another try
}

// listen begins to be told of changes, and looks for those that came before. If the system
// cannot tell, the changes are looked for.
func (l *lookout) listen(ctx context.Context) {
	l.changed, l.pause = nil, l.every
	w, err := filewatch.Open(l.dir, config.Watched)
	if err != nil {
		l.files.log.Debug("the system does not tell of changed files", "error", err)
		return
	}
	changed := make(chan []string)
	forget := context.AfterFunc(ctx, func() { _ = w.Close() })
	l.listening.Go(func() {
		defer close(changed)
		defer func() { _ = w.Close() }()
		defer forget()
		for {
			names, err := w.Next()
			if err != nil {
				return
			}
			select {
			case changed <- names:
			case <-ctx.Done():
				return
			}
		}
	})
	l.changed = changed
	l.look(ctx)
}

// apply takes over changes. Then it looks at the files soon, in case that something was
// missing.
func (l *lookout) apply(ctx context.Context, names []string) {
	l.again = retried(l.files.refresh(ctx, names))
	l.pause = l.every
}

// look looks at all files, and applies what has changed if nobody is writing.
func (l *lookout) look(ctx context.Context) {
	begun := time.Now()
	sight, err := config.Look(l.dir)
	if err != nil {
		l.pause, l.seen = l.every, nil
		return
	}
	l.pause = max(l.every, lookShare*time.Since(begun))
	names, misses, found := l.files.since(sight)
	same := sight.Same(l.seen)
	l.seen = sight
	switch {
	case (len(names) == 0 || sight.Same(l.tried)) && !l.again && !found:
		if l.changed != nil && !misses {
			l.pause = max(l.pause, lookAnyway)
		}
	case same:
		l.tried = sight
		l.apply(ctx, names)
	}
}
