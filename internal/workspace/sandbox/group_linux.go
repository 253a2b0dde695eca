package sandbox

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

const (
	groupRoot = "/sys/fs/cgroup"
	// hubGroup is where the hub goes if it has to make room: a group that controls
	// others has no processes itself.
	hubGroup     = "parley-hub"
	commandGroup = "parley-command-*"
)

// groups is a control group in which the hub may make others, one for each command;
// empty if the system has delegated none to it.
type groups string

// findGroups finds the hub's own control group, and prepares it. See cgroups(7).
func findGroups(root, membership string) groups {
	path, ok := strings.CutPrefix(strings.TrimSpace(lastLine(membership)), "0::")
	if !ok {
		return ""
	}
	dir := filepath.Join(root, path)
	if filepath.Base(dir) == hubGroup {
		dir = filepath.Dir(dir)
	}
	if !holds(filepath.Join(dir, "cgroup.controllers"), "memory", "pids") {
		return ""
	}
	if !holds(filepath.Join(dir, "cgroup.subtree_control"), "memory", "pids") {
		if err := prepareGroup(dir); err != nil {
			return ""
		}
	}
	for _, old := range must(filepath.Glob(filepath.Join(dir, commandGroup))) {
		_ = os.Remove(old) // of a hub that was killed; it fails for those in use
	}
	return groups(dir)
}

func must(list []string, _ error) []string { return list } // the pattern is sound

// membership is the file that says which groups this process is in.
func membership() string {
	text, _ := os.ReadFile("/proc/self/cgroup")
	return string(text)
}

// lastLine is the line of the second version of control groups.
func lastLine(membership string) string {
	for line := range strings.Lines(membership) {
		if strings.HasPrefix(line, "0::") {
			return line
		}
	}
	return ""
}

// holds reports whether a file holds all of the words.
func holds(file string, words ...string) bool {
	text, err := os.ReadFile(file)
	have := strings.Fields(string(text))
	return err == nil && !slices.ContainsFunc(words, func(w string) bool { return !slices.Contains(have, w) })
}

// prepareGroup lets a group control those in it. If the hub is its only process, it moves
// into a group of its own below.
func prepareGroup(dir string) error {
	enable := func() error { return set(dir, "cgroup.subtree_control", "+memory +pids") }
	err := enable()
	if !errors.Is(err, syscall.EBUSY) {
		return err
	}
	pid := strconv.Itoa(os.Getpid())
	if text, err := os.ReadFile(filepath.Join(dir, "cgroup.procs")); err != nil || strings.TrimSpace(string(text)) != pid {
		return errors.New("the group has other processes")
	}
	hub := filepath.Join(dir, hubGroup)
	if err := os.Mkdir(hub, 0o755); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	if err := set(hub, "cgroup.procs", pid); err != nil {
		return err
	}
	if err := enable(); err != nil {
		return errors.Join(err, set(dir, "cgroup.procs", pid))
	}
	return nil
}

func set(dir, file, value string) error {
	return os.WriteFile(filepath.Join(dir, file), []byte(value), 0o644)
}

// group is the control group of one command; nil if it has none.
type group struct{ dir string }

// newGroup makes the group of a command.
func (g groups) newGroup(l Limits) (*group, error) {
	if g == "" {
		return nil, nil
	}
	dir, err := os.MkdirTemp(string(g), commandGroup)
	if err != nil {
		return nil, err
	}
	made := &group{dir}
	if l.Memory > 0 {
		err = errors.Join(set(dir, "memory.max", strconv.FormatInt(l.Memory, 10)), swapless(dir))
	}
	if l.Processes > 0 {
		err = errors.Join(err, set(dir, "pids.max", strconv.Itoa(l.Processes)))
	}
	if err != nil {
		made.end()
		return nil, err
	}
	return made, nil
}

// swapless keeps a command from going on in swap, where the machine has any.
func swapless(dir string) error {
	if err := set(dir, "memory.swap.max", "0"); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// exceeded reports which limits the command ran into.
func (g *group) exceeded() (memory, processes bool) {
	if g == nil {
		return false, false
	}
	return count(g.dir, "memory.events", "oom_kill") > 0, count(g.dir, "pids.events", "max") > 0
}

// count is a number in a file of names and numbers.
func count(dir, file, name string) int {
	text, _ := os.ReadFile(filepath.Join(dir, file)) // none is none
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(line, name+" "); ok {
			n, _ := strconv.Atoi(strings.TrimSpace(value))
			return n
		}
	}
	return 0
}

func (g *group) end() {
	if g != nil {
		_ = set(g.dir, "cgroup.kill", "1") // its processes have ended anyway
		_ = os.Remove(g.dir)
	}
}

func (g *group) path() string {
	if g == nil {
		return ""
	}
	return g.dir
}
