// Package logvfs is a layer between SQLite and its files that writes what a commit adds to
// the log with one call instead of two for every page. A commit of a single page still takes
// two.
//
// SQLite hands the log over frame by frame, a header of 24 bytes and then a page. The layer
// holds these back and writes them together when the last one has come, whose header says
// that it ends a transaction. So a commit that cannot be written fails as it would
// without the layer, and nobody sees a commit that is not written: SQLite publishes it
// afterwards. What is held of a transaction that has not ended is written before the log is
// read, synced, cut, measured, or written elsewhere. Closing drops it.
//
// A connection should not let pages spill into the log before they are committed (PRAGMA
// cache_spill = OFF). Otherwise frames of a transaction that was taken back may be held until after it
// has given up its lock, and would be written over those of another connection.
//
// A file is used by one connection, and so by one goroutine at a time. Everything but the
// log goes straight to SQLite's own layer.
package logvfs

import (
	"encoding/binary"
	"errors"
	"net/url"
	"strings"
	"sync"
	"unsafe"

	"modernc.org/libc"
	lib "modernc.org/sqlite/lib"
	"zombiezen.com/go/sqlite"
)

const (
	layerName = "parley-log"
	// frameHeader is the size of what precedes a page in the log.
	frameHeader = 24
	// usualPage is the size of most pages. With others a commit may take more calls.
	usualPage = 4096
	// mostHeld is how much is held back, which is the most that SQLite's own layer writes
	// with one call: 31 usual pages.
	mostHeld = 1<<17 - 1
)

// Register makes the layer known to SQLite. Only then can a database be opened with it.
func Register() error { return register() }

// URI is what a database is opened with, to use the layer.
func URI(path string) string {
	if strings.HasPrefix(path, "//") { // or its first part would be taken for a host
		path = "/" + strings.TrimLeft(path, "/")
	}
	u := url.URL{Path: path}
	return "file:" + u.EscapedPath() + "?vfs=" + layerName
}

var register = sync.OnceValue(func() error {
	// The first connection sets SQLite up; only then may it be asked anything.
	c, err := sqlite.OpenConn(":memory:", sqlite.OpenReadWrite)
	if err != nil {
		return err
	}
	defer func() { _ = c.Close() }()
	tls := libc.NewTLS()
	defer tls.Close()
	below.vfs = lib.Xsqlite3_vfs_find(tls, 0)
	if below.vfs == 0 {
		return errors.New("SQLite has no file layer")
	}
	own := lib.Xsqlite3_malloc(tls, int32(unsafe.Sizeof(lib.Tsqlite3_vfs{})))
	name, err := libc.CString(layerName)
	if own == 0 || err != nil {
		return errors.Join(errors.New("no memory for SQLite's file layer"), err)
	}
	original := at[lib.Tsqlite3_vfs](below.vfs)
	below.open, below.size = original.FxOpen, (uintptr(original.FszOsFile)+7)&^7
	v := at[lib.Tsqlite3_vfs](own)
	*v = *original
	v.FzName, v.FpNext = name, 0
	v.FszOsFile = int32(below.size + unsafe.Sizeof(file{}))
	v.FxOpen = pointer(fileOpen)
	if rc := lib.Xsqlite3_vfs_register(tls, own, 0); rc != lib.SQLITE_OK {
		return errors.New("SQLite refuses the file layer: " + sqlite.ResultCode(rc).String())
	}
	return nil
})

// below is SQLite's own layer. It is set once, before anything is opened.
var below struct {
	vfs, open uintptr
	size      uintptr // of its files, behind which ours begin
}

// file is what the layer knows of an open log. It lies in SQLite's memory and has no
// pointers of Go.
type file struct {
	original uintptr                 // methods
	methods  lib.Tsqlite3_io_methods // those with ours in their places
	held     uintptr                 // mostHeld bytes, of which some are used
	used     int32
	ending   bool  // the header that was held last ends a transaction
	begins   int64 // where in the file what is held begins
}

func fileOf(p uintptr) *file { return at[file](p + below.size) }

func fileOpen(tls *libc.TLS, _, name, p uintptr, flags int32, out uintptr) int32 {
	rc := function[func(*libc.TLS, uintptr, uintptr, uintptr, int32, uintptr) int32](below.open)(tls, below.vfs, name, p, flags, out)
	if rc != lib.SQLITE_OK || flags&lib.SQLITE_OPEN_WAL == 0 {
		return rc
	}
	base, f := at[lib.Tsqlite3_file](p), fileOf(p)
	*f = file{original: base.FpMethods, held: lib.Xsqlite3_malloc(tls, mostHeld)}
	if f.held == 0 {
		return lib.SQLITE_OK // it goes on without us
	}
	f.methods = *at[lib.Tsqlite3_io_methods](f.original)
	f.methods.FxWrite, f.methods.FxRead, f.methods.FxTruncate = pointer(fileWrite), pointer(fileRead), pointer(fileTruncate)
	f.methods.FxSync, f.methods.FxFileSize, f.methods.FxClose = pointer(fileSync), pointer(fileSize), pointer(fileClose)
	base.FpMethods = uintptr(unsafe.Pointer(&f.methods))
	return rc
}

// fileWrite holds a frame, and writes the last one of a transaction with all that is held. What
// is no frame is written at once.
func fileWrite(tls *libc.TLS, p, data uintptr, size int32, to int64) int32 {
	f := fileOf(p)
	header, room := size == frameHeader, size
	if header {
		room += usualPage // which follows it
	}
	if f.used > 0 && (to != f.begins+int64(f.used) || f.used+room > mostHeld) {
		if rc := f.flush(tls, p); rc != lib.SQLITE_OK {
			return rc
		}
	}
	ends := header && endsTransaction(unsafe.Slice(at[byte](data), size))
	if f.used == 0 && (!header || ends) {
		return f.put(tls, p, data, size, to)
	}
	if f.used == 0 {
		f.begins = to
	}
	copy(unsafe.Slice(at[byte](f.held+uintptr(f.used)), size), unsafe.Slice(at[byte](data), size))
	f.used += size
	if !header && f.ending {
		return f.flush(tls, p)
	}
	f.ending = ends
	return lib.SQLITE_OK
}

// endsTransaction reads the header of a frame: the last one of a transaction has the size of
// the database after it, others 0.
func endsTransaction(header []byte) bool { return binary.BigEndian.Uint32(header[4:]) != 0 }

// flush writes what is held. If that fails the transaction does, and needs it no more.
func (f *file) flush(tls *libc.TLS, p uintptr) int32 {
	if f.used == 0 {
		return lib.SQLITE_OK
	}
	size := f.used
	f.used, f.ending = 0, false
	return f.put(tls, p, f.held, size, f.begins)
}

// flushBefore writes what is held before something else is done with the file. SQLite believes it
// written, so a failure must end the whole transaction. For a full disk SQLite might take back
// one statement only; for this error it takes back everything.
func (f *file) flushBefore(tls *libc.TLS, p uintptr) int32 {
	if f.flush(tls, p) != lib.SQLITE_OK {
		return lib.SQLITE_IOERR_WRITE
	}
	return lib.SQLITE_OK
}

func (f *file) put(tls *libc.TLS, p, data uintptr, size int32, to int64) int32 {
	return function[func(*libc.TLS, uintptr, uintptr, int32, int64) int32](f.own().FxWrite)(tls, p, data, size, to)
}

// own are SQLite's methods.
func (f *file) own() *lib.Tsqlite3_io_methods { return at[lib.Tsqlite3_io_methods](f.original) }

func fileRead(tls *libc.TLS, p, into uintptr, size int32, from int64) int32 {
	f := fileOf(p)
	if rc := f.flushBefore(tls, p); rc != lib.SQLITE_OK {
		return rc
	}
	return function[func(*libc.TLS, uintptr, uintptr, int32, int64) int32](f.own().FxRead)(tls, p, into, size, from)
}

func fileTruncate(tls *libc.TLS, p uintptr, size int64) int32 {
	f := fileOf(p)
	if rc := f.flushBefore(tls, p); rc != lib.SQLITE_OK {
		return rc
	}
	return function[func(*libc.TLS, uintptr, int64) int32](f.own().FxTruncate)(tls, p, size)
}

func fileSync(tls *libc.TLS, p uintptr, flags int32) int32 {
	f := fileOf(p)
	if rc := f.flushBefore(tls, p); rc != lib.SQLITE_OK {
		return rc
	}
	return function[func(*libc.TLS, uintptr, int32) int32](f.own().FxSync)(tls, p, flags)
}

func fileSize(tls *libc.TLS, p, out uintptr) int32 {
	f := fileOf(p)
	if rc := f.flushBefore(tls, p); rc != lib.SQLITE_OK {
		return rc
	}
	return function[func(*libc.TLS, uintptr, uintptr) int32](f.own().FxFileSize)(tls, p, out)
}

// fileClose leaves out what is still held: it is of a transaction that was never committed.
func fileClose(tls *libc.TLS, p uintptr) int32 {
	f := fileOf(p)
	lib.Xsqlite3_free(tls, f.held)
	return function[func(*libc.TLS, uintptr) int32](f.own().FxClose)(tls, p)
}

// at reads an address of SQLite's memory, which the collector knows nothing about.
func at[T any](p uintptr) *T { return *(**T)(unsafe.Pointer(&p)) }

// function is what a pointer of the translated C leads to, and pointer is the way back, for
// functions that are declared. A function value of Go is a pointer to a place with the address of
// its code; that of a declared function never moves.
func function[F any](p uintptr) F { return *(*F)(unsafe.Pointer(&struct{ uintptr }{p})) }

func pointer[F any](f F) uintptr { return *(*uintptr)(unsafe.Pointer(&struct{ f F }{f})) }
