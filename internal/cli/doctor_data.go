package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"parley/internal/cli/view"
)

// folder checks that the user, and nobody else, can write the data folder.
func (e *examination) folder(data string) {
	info, err := os.Stat(data)
	if errors.Is(err, fs.ErrNotExist) {
		if err := tryMaking(data); err != nil {
			e.wrong("data", fmt.Sprintf("%s cannot be made: %v.", data, err), "Give yourself write permission, or name another folder as data in parley.yaml.")
			return
		}
		e.ok("data", "%s, new; the hub will make it when it starts", data)
		return
	}
	if err != nil {
		e.failed("data", err)
		return
	}
	if !info.IsDir() {
		e.wrong("data", data+" is not a folder.", "Remove it, or name another one as data in parley.yaml.")
		return
	}
	if err := tryWriting(data); err != nil {
		e.wrong("data", fmt.Sprintf("%s cannot be written: %v.", data, err), "Give yourself write permission, or name another folder as data in parley.yaml.")
		return
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 {
		e.wrong("data", fmt.Sprintf("%s can be read by others (mode %04o).", data, mode), "chmod 700 "+shellQuote(data))
		return
	}
	e.ok("data", "%s, writable by you alone", data)
}

// tryMaking tries to write where a new folder would be made.
func tryMaking(dir string) error {
	for above := filepath.Dir(dir); ; above = filepath.Dir(above) {
		if _, err := os.Stat(above); !errors.Is(err, fs.ErrNotExist) || above == filepath.Dir(above) {
			return tryWriting(above)
		}
	}
}

func tryWriting(dir string) error {
	f, err := os.CreateTemp(dir, "doctor-*")
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// leastSpace is the free space below which to warn. A hub stores everything that
// is said, and accepts nothing when the disk is full.
const leastSpace = 256 << 20

func (e *examination) space(data string) {
	for dir := data; ; dir = filepath.Dir(dir) {
		free, err := freeSpace(dir)
		switch {
		case errors.Is(err, fs.ErrNotExist) && dir != filepath.Dir(dir):
			continue // it does not exist yet
		case err != nil:
			e.note("disk", fmt.Sprintf("The free space is not known: %v.", err), "")
		case free < leastSpace:
			e.wrong("disk", "Only "+view.Bytes(free)+" are free.", "Make room: a hub accepts nothing when the disk is full.")
		default:
			e.ok("disk", "%s free", view.Bytes(free))
		}
		return
	}
}

// token checks that nobody else can read the user's token.
func (e *examination) token(data string) {
	name := filepath.Join(data, "hub.token")
	info, err := os.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return // no hub has run here yet
	}
	if err != nil {
		e.failed("token", err)
		return
	}
	if mode := info.Mode().Perm(); mode != 0o600 {
		e.wrong("token", fmt.Sprintf("%s has mode %04o: others may be able to act as you.", name, mode), "chmod 600 "+shellQuote(name))
		return
	}
	e.ok("token", "readable by you alone")
}
