package sandbox

import (
	"os"
	"path/filepath"
	"slices"
)

// bubblewrap returns the arguments that define what a program sees: new namespaces,
// so that it neither sees nor reaches any process of the machine, and only what is
// mounted here. Later mounts cover earlier ones.
func (c *Config) bubblewrap(dir string) []string {
	args := []string{"--unshare-user-try", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try",
		"--die-with-parent", "--new-session", "--cap-drop", "ALL",
		"--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--tmpfs", "/run", "--tmpfs", "/var/tmp"}
	if !c.Network {
		args = append(args, "--unshare-net")
	}
	for _, p := range c.readable() {
		args = append(args, "--ro-bind-try", p, p)
	}
	args = append(args, "--ro-bind-try", "/etc", "/etc")
	for _, p := range c.etc.closed {
		args = append(args, cover(p)...)
	}
	for _, p := range c.Shown {
		args = append(args, "--ro-bind-try", p, p)
	}
	args = append(args, c.workspaceMounts()...)
	return append(args, "--chdir", dir, "--")
}

// workspaceMounts makes the workspace writable and covers what is not. A mount cannot
// be renamed or removed from inside. So every folder on the way to a protected one is
// mounted too: otherwise it could be moved away and created again.
func (c *Config) workspaceMounts() []string {
	bind := "--bind"
	if c.ReadsOnly {
		bind = "--ro-bind"
	}
	args := []string{bind, c.Workspace, c.Workspace}
	for _, p := range slices.Concat(c.ReadOnly, c.Hidden) {
		for _, dir := range c.foldersAbove(p) {
			args = append(args, bind+"-try", dir, dir)
		}
	}
	for _, p := range c.ReadOnly {
		if within(c.Workspace, p) { // elsewhere nothing can be written anyway
			args = append(args, "--ro-bind-try", p, p)
		}
	}
	for _, p := range c.Hidden {
		if slices.ContainsFunc(slices.Concat(c.Shown, []string{c.Workspace}), func(dir string) bool { return within(dir, p) }) {
			args = append(args, cover(p)...) // elsewhere it is not visible anyway
		}
	}
	return append(args, "--bind", c.Scratch, c.Scratch)
}

// cover hides a file or a folder behind an empty one.
func cover(path string) []string {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil
	case info.IsDir():
		return []string{"--tmpfs", path}
	}
	return []string{"--ro-bind", "/dev/null", path}
}

// foldersAbove are the folders between the workspace and something in it.
func (c *Config) foldersAbove(path string) (dirs []string) {
	for dir := filepath.Dir(path); dir != c.Workspace && within(c.Workspace, dir); dir = filepath.Dir(dir) {
		dirs = append(dirs, dir)
	}
	slices.Reverse(dirs)
	return dirs
}
