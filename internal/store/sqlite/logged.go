package sqlite

import (
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"os"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// Logged is what the commits of the writer wrote into the log of one table or index.
type Logged struct {
	Name  string
	Pages int64 // into the log, each time anew
	Size  int64 // pages that it has
}

// logReader counts the pages in the log by their numbers. The log is the file's format:
// a header with two numbers that change when it begins anew, and frames that repeat them.
type logReader struct {
	file    *os.File
	salt    [8]byte
	at      int64 // where the next frame begins
	commits int64
	pages   map[uint32]int64
}

const (
	logHeader   = 32
	frameHeader = 24
)

// newLogReader begins at the end of the log. A store in memory has none.
func newLogReader(path string) (*logReader, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	l := &logReader{file: f}
	l.read()
	l.commits, l.pages = 0, map[uint32]int64{}
	return l, nil
}

// read counts what was written since. It is called by the writer between two commits.
func (l *logReader) read() {
	var head [logHeader]byte
	if _, err := l.file.ReadAt(head[:], 0); err != nil {
		return
	}
	if salt := [8]byte(head[16:24]); salt != l.salt {
		l.salt, l.at = salt, logHeader
	}
	frames := io.NewSectionReader(l.file, 0, 1<<62)
	for {
		var frame [frameHeader]byte
		if _, err := frames.ReadAt(frame[:], l.at); err != nil || [8]byte(frame[8:16]) != l.salt {
			return // left from before the log began anew
		}
		if l.pages != nil {
			l.pages[binary.BigEndian.Uint32(frame[:4])]++
		}
		if binary.BigEndian.Uint32(frame[4:8]) != 0 {
			l.commits++
		}
		l.at += PageBytes
	}
}

// byTable says whose pages they are now. It reads the whole file.
func (l *logReader) byTable(path string) (list []Logged, err error) {
	c, err := sqlite.OpenConn(path, sqlite.OpenReadWrite)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	of := map[string]*Logged{}
	err = sqlitex.ExecuteTransient(c, "SELECT name, pageno FROM dbstat", &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
		one := of[s.ColumnText(0)]
		if one == nil {
			one = &Logged{Name: s.ColumnText(0)}
			of[one.Name] = one
		}
		one.Size++
		page := uint32(s.ColumnInt64(1))
		one.Pages += l.pages[page]
		delete(l.pages, page)
		return nil
	}})
	free := Logged{Name: "pages that are free now"}
	for _, n := range l.pages {
		free.Pages += n
	}
	for _, one := range of {
		list = append(list, *one)
	}
	return append(list, free), err
}
