package filewatch

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Watcher watches the folders of one tree by inotify. It is for one goroutine, except for
// Close.
type Watcher struct {
	dir    string
	wanted func(name string) bool
	events *os.File
	// folders are those that are watched, relative to dir, by the system's numbers for them.
	folders map[int32]string
	batch   batch
	buffer  [64 << 10]byte
}

const (
	changes = unix.IN_CREATE | unix.IN_MODIFY | unix.IN_CLOSE_WRITE | unix.IN_ATTRIB | unix.IN_MOVED_FROM | unix.IN_MOVED_TO | unix.IN_DELETE
	// gone says that a watched folder is no longer where it was.
	gone = unix.IN_DELETE_SELF | unix.IN_MOVE_SELF | unix.IN_UNMOUNT | unix.IN_IGNORED
)

// Open watches the files and folders below dir that are wanted; these are named relative to
// dir, with slashes. It fails if it could not tell of every change: where the system allows
// too few folders, where a link leads to a file that is elsewhere, and where others change
// the files without this system.
func Open(dir string, wanted func(name string) bool) (*Watcher, error) {
	if err := checkLocal(dir); err != nil {
		return nil, err
	}
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		return nil, err
	}
	w := &Watcher{dir: dir, wanted: wanted, events: os.NewFile(uintptr(fd), "inotify"), folders: map[int32]string{}}
	if err := w.add("."); err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return w, nil
}

// add watches a folder and those below it.
func (w *Watcher) add(folder string) error {
	at := filepath.Join(w.dir, filepath.FromSlash(folder))
	var number int
	err := w.onSystem(func(fd int) (err error) {
		number, err = unix.InotifyAddWatch(fd, at, changes|unix.IN_DELETE_SELF|unix.IN_MOVE_SELF|unix.IN_ONLYDIR|unix.IN_DONT_FOLLOW|unix.IN_EXCL_UNLINK)
		return err
	})
	if err != nil {
		return err
	}
	w.folders[int32(number)] = folder
	// What is there is listed after the watch began, so nothing comes in between.
	list, err := os.Open(at)
	if err != nil {
		return err
	}
	defer list.Close()
	for {
		entries, err := list.ReadDir(listedAtOnce)
		for _, e := range entries {
			if err := w.addEntry(path.Join(folder, e.Name()), e.Type()); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// listedAtOnce bounds what is in memory of a folder's list, which may be long.
const listedAtOnce = 256

// addEntry watches what a folder lists, if it is a folder too.
func (w *Watcher) addEntry(name string, kind fs.FileMode) error {
	switch {
	case kind.IsRegular() || !w.wanted(name):
		return nil
	case kind&fs.ModeSymlink != 0:
		return errors.New("a link leads out of sight")
	case kind.IsDir():
		return w.add(name)
	}
	return nil
}

func (w *Watcher) onSystem(do func(fd int) error) error {
	conn, err := w.events.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	if err := conn.Control(func(fd uintptr) { failed = do(int(fd)) }); err != nil {
		return err
	}
	return failed
}

// Next waits for changes and names the files, relative to the folder. It returns ErrLost if
// changes may have been missed, and fails when the watcher is closed.
func (w *Watcher) Next() ([]string, error) {
	for {
		if w.batch.due() {
			return w.batch.take(), nil
		}
		if err := w.events.SetReadDeadline(w.batch.wait()); err != nil {
			return nil, err
		}
		n, err := w.events.Read(w.buffer[:])
		if errors.Is(err, os.ErrDeadlineExceeded) {
			return w.batch.take(), nil
		}
		if err != nil {
			return nil, err
		}
		if err := w.read(w.buffer[:n]); err != nil {
			return nil, err
		}
	}
}

// read takes over what the system reports.
func (w *Watcher) read(data []byte) error {
	for len(data) >= unix.SizeofInotifyEvent {
		e := *(*unix.InotifyEvent)(unsafe.Pointer(&data[0])) // the system aligns them
		name := data[unix.SizeofInotifyEvent : unix.SizeofInotifyEvent+int(e.Len)]
		data = data[unix.SizeofInotifyEvent+int(e.Len):]
		if err := w.event(e, strings.TrimRight(string(name), "\x00")); err != nil {
			return err
		}
	}
	return nil
}

func (w *Watcher) event(e unix.InotifyEvent, name string) error {
	if e.Mask&unix.IN_Q_OVERFLOW != 0 {
		return ErrLost
	}
	folder, known := w.folders[e.Wd]
	if e.Mask&gone != 0 {
		if known && path.Dir(folder) == "." { // the folder itself, or one right in it
			return ErrLost
		}
		if e.Mask&unix.IN_IGNORED != 0 {
			delete(w.folders, e.Wd)
		}
		return nil // the folder around it tells
	}
	changed := path.Join(folder, name)
	if !known || !w.wanted(changed) {
		return nil
	}
	isFolder, isNew := e.Mask&unix.IN_ISDIR != 0, e.Mask&(unix.IN_CREATE|unix.IN_MOVED_TO) != 0
	switch {
	case isNew && (isFolder && folder == "." || w.isLink(changed)):
		return ErrLost
	case isNew && isFolder:
		if err := w.add(changed); err != nil && !errors.Is(err, fs.ErrNotExist) { // it may be gone again
			return errors.Join(ErrLost, err)
		}
	}
	w.batch.note(changed, !isFolder && e.Mask&(unix.IN_CREATE|unix.IN_MODIFY) != 0)
	return nil
}

// checkLocal refuses file systems that others change too.
func checkLocal(dir string) error {
	var info unix.Statfs_t
	if err := unix.Statfs(dir, &info); err != nil {
		return err
	}
	switch uint32(info.Type) {
	case unix.NFS_SUPER_MAGIC, unix.SMB_SUPER_MAGIC, unix.SMB2_SUPER_MAGIC, unix.CIFS_SUPER_MAGIC, unix.FUSE_SUPER_MAGIC,
		unix.V9FS_MAGIC, unix.AFS_SUPER_MAGIC, unix.CEPH_SUPER_MAGIC, unix.CODA_SUPER_MAGIC:
		return errors.New("others may change these files unseen")
	}
	return nil
}

// isLink reports whether a new file is a link, whose file may be out of sight.
func (w *Watcher) isLink(name string) bool {
	info, err := os.Lstat(filepath.Join(w.dir, filepath.FromSlash(name)))
	return err == nil && info.Mode()&fs.ModeSymlink != 0
}

// Close ends the watch, and Next with it.
func (w *Watcher) Close() error { return w.events.Close() }
