package config

import (
	"bytes"
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"parley"
)

// ChangeFile changes an agent's file. First the whole team is checked as it
// would be then; if that finds a new mistake, nothing is written. The file is
// replaced at once: whoever reads it gets the old or the new one. If somebody
// else has changed it meanwhile, the change is made again to what they wrote.
// It reports whether the file has changed.
func ChangeFile(team *Team, a *Agent, change func(file []byte) ([]byte, error)) (bool, error) {
	return changeFile(team, a.File, change, checkChange)
}

func changeFile(team *Team, file string, change func(file []byte) ([]byte, error), check func(*Team, string, []byte) error) (bool, error) {
	root, err := os.OpenRoot(team.Dir)
	if err != nil {
		return false, unusable(team.Dir, err)
	}
	defer root.Close()
	const attempts = 10
	for range attempts {
		before, mode, err := readWhole(root, file)
		if err != nil {
			return false, err
		}
		after, err := change(before)
		if err != nil || bytes.Equal(before, after) {
			return false, err
		}
		if err := check(team, file, after); err != nil {
			return false, err
		}
		written, err := replaceFile(root, file, before, after, mode)
		if err != nil || written {
			return written, unwritable(filepath.Join(team.Dir, filepath.FromSlash(file)), err)
		}
	}
	return false, parley.Errorf(parley.Conflict, "%s is being changed by somebody else all the time.", file).WithHint("Try again later.")
}

// readWhole reads a file that can be replaced. A link cannot: the new file
// would take its place.
func readWhole(root *os.Root, name string) ([]byte, fs.FileMode, error) {
	info, err := root.Lstat(name)
	if err != nil {
		return nil, 0, parley.Errorf(parley.NotFound, "%s is gone.", name).WithHint("parley reload takes the team over as it is now.").WithCause(err)
	}
	if !info.Mode().IsRegular() {
		return nil, 0, parley.Errorf(parley.Conflict, "%s is a link.", name).WithHint("Change the file that it leads to.")
	}
	data, err := readLimited(root, name)
	if err == nil && len(data) > maxFile {
		err = errors.New("too large")
	}
	if err != nil {
		return nil, 0, parley.Errorf(parley.Conflict, "%s cannot be read: %v.", name, reason(err)).WithCause(err)
	}
	return data, info.Mode().Perm(), nil
}

// checkChange refuses a file that would bring a mistake into the team.
func checkChange(team *Team, file string, text []byte) error {
	now, agents, err := read(team.Dir)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(agents.drafts, func(d *draft) bool { return d.agent.File == file })
	if i < 0 {
		return parley.Errorf(parley.Conflict, "%s has a mistake already.", file).WithHint("Correct it first; parley doctor says what it is.")
	}
	if found := binaryLine(text); found > 0 {
		return parley.Errorf(parley.Invalid, "%s:%d: This is not UTF-8 text.", file, found)
	}
	d, found := newDraft(file, fallbackName(file), plainLines(string(bytes.TrimPrefix(text, []byte("\uFEFF")))))
	if found != nil {
		return refuse(problems(file, found))
	}
	changed := agents
	changed.drafts, changed.problems = slices.Clone(agents.drafts), slices.Clone(agents.problems)
	changed.drafts[i] = d
	now.Person = team.Person
	incumbents := incumbents(team)
	agents.check(now, incumbents)
	changed.check(now, incumbents)
	return refuse(slices.DeleteFunc(changed.problems, func(p Problem) bool { return slices.Contains(agents.problems, p) }))
}

// fallbackName is the name of an agent whose file does not say it.
func fallbackName(file string) string {
	if path.Base(file) == agentFile && path.Dir(file) != agentsDir {
		return path.Base(path.Dir(file))
	}
	return strings.TrimSuffix(path.Base(file), path.Ext(file))
}

func refuse(found []Problem) error {
	if len(found) == 0 {
		return nil
	}
	return parley.Errorf(parley.Invalid, "%s", list(found)).WithHint("Nothing was changed.")
}

// replaceFile writes a file beside the old one and moves it into its place,
// unless the old one is no longer the one that was read. The new file's name
// begins with a dot, so that no reader of the team takes it for an agent.
func replaceFile(root *os.Root, name string, before, after []byte, mode fs.FileMode) (written bool, err error) {
	beside := path.Join(path.Dir(name), unfinished+rand.Text()[:8]+".tmp")
	if err := writeWhole(root, beside, after, mode); err != nil {
		return false, errors.Join(err, ignoreMissing(root.Remove(beside)))
	}
	now, _, err := readWhole(root, name)
	if err != nil || !bytes.Equal(now, before) {
		return false, errors.Join(err, root.Remove(beside))
	}
	if err := root.Rename(beside, name); err != nil {
		return false, errors.Join(err, root.Remove(beside))
	}
	return true, syncFolder(root, path.Dir(name))
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func writeWhole(root *os.Root, name string, data []byte, mode fs.FileMode) (err error) {
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if err := f.Chmod(mode); err != nil { // whatever the mask took away
		return err
	}
	if _, err := f.Write(data); err != nil {
		return err
	}
	return f.Sync()
}

// syncFolder makes the new name durable.
func syncFolder(root *os.Root, dir string) error {
	f, err := root.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	_ = f.Sync() // not every system can; the name is there all the same
	return nil
}

// unwritable says what to do about a file that cannot be replaced.
func unwritable(file string, err error) error {
	var ours *parley.Error
	switch {
	case err == nil, errors.As(err, &ours):
		return err
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return parley.Errorf(parley.Conflict, "The hub may not write in %s.", filepath.Dir(file)).
			WithHint("Let the hub's user write there, or change %s where it comes from; the hub takes it over by itself.", filepath.Base(file)).WithCause(err)
	default:
		return parley.Errorf(parley.Internal, "%s cannot be written: %v.", file, reason(err)).WithCause(err)
	}
}
