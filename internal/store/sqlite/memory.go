package sqlite

import (
	"net/url"

	"zombiezen.com/go/sqlite"
)

// OpenMemory opens a store that lives in memory and is gone when it is closed: the
// real engine without a file, for tests that want one in no time. Names are the
// process's own; two stores must not have the same.
//
// It has no log, so a reader and a writer wait for each other. It is for one
// caller at a time, and not for a hub at work.
func OpenMemory(name string, opts Options) (*Store, error) {
	opts.fill()
	s := newStore(MemoryPath(name), opts)
	s.flags = sqlite.OpenURI
	if err := s.open(opts); err != nil {
		return nil, openError(name, err)
	}
	return s, nil
}

// MemoryPath is where SQLite finds the store of this name, in the same process, for
// tests that look at it past the program.
func MemoryPath(name string) string {
	path := url.URL{Scheme: "file", Path: "/" + name, RawQuery: "vfs=memdb"}
	return path.String()
}
