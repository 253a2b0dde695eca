package sqlite

import (
	"net/url"

	"zombiezen.com/go/sqlite"
)

// OpenMemory opens a store in memory that is gone once it is closed: the real engine
// without a file, for fast tests. Names belong to the process; no two stores may
// share one.
//
// Its writer compares what it remembers with what is stored after every commit.
//
// It has no log, so readers and writers wait for each other. It is for one caller at
// a time, not for a hub at work.
func OpenMemory(name string, opts Options) (*Store, error) {
	opts.checks, opts.Synchronous = true, "OFF"
	opts.fill()
	s := newStore(MemoryPath(name), opts)
	s.flags = sqlite.OpenURI
	if err := s.open(opts); err != nil {
		return nil, openError(name, err)
	}
	return s, nil
}

// MemoryPath is the path of the store of this name within the process, for tests that
// look at the database directly.
func MemoryPath(name string) string {
	path := url.URL{Scheme: "file", Path: "/" + name, RawQuery: "vfs=memdb"}
	return path.String()
}
