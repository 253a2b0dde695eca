// Package filewatch says which files in a folder, and in folders below it, have changed,
// without looking at each. The system may not be able to; then Open fails, and whoever
// wants to know has to look.
//
// It reports names, never what has happened to them, and a name may be reported although
// its file is the same. A file is reported when whoever writes it has closed it.
package filewatch

import (
	"errors"
	"time"
)

// ErrLost says that changes may have been missed. The watcher is of no more use.
var ErrLost = errors.New("changes of files may have been missed")

const (
	// quiet is how long nothing has to happen before changes are reported, since editors
	// and checkouts change several files at once.
	quiet = 20 * time.Millisecond
	// patience is how long a file that is not closed, or a stream of changes that does not
	// end, is waited for.
	patience = 2 * time.Second
)

// batch collects changes until they can be reported.
type batch struct {
	names map[string]bool // whether somebody still writes the file
	first time.Time
}

func (b *batch) note(name string, writing bool) {
	if len(b.names) == 0 {
		b.names, b.first = map[string]bool{}, time.Now()
	}
	b.names[name] = writing
}

// wait is until when to wait for further changes.
func (b *batch) wait() time.Time {
	if len(b.names) == 0 {
		return time.Time{}
	}
	for _, writing := range b.names {
		if writing {
			return time.Now().Add(patience)
		}
	}
	return time.Now().Add(quiet)
}

// due reports whether the changes have waited long enough.
func (b *batch) due() bool { return len(b.names) > 0 && time.Since(b.first) > patience }

func (b *batch) take() (names []string) {
	for name := range b.names {
		names = append(names, name)
	}
	b.names = nil
	return names
}
