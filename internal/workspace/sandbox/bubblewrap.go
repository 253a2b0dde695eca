package sandbox

import (
	"os"
	"path/filepath"
	"slices"
)

// bubblewrap returns the arguments that define what a command sees: new namespaces,
// so that it neither sees nor reaches any process of the machine, and only what is
// mounted here. Later mounts cover earlier ones.
func (s *Sandbox) bubblewrap(c Command) []string {
	args := []string{"--unshare-user-try", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try",
		"--die-with-parent", "--new-session", "--cap-drop", "ALL",
		"--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--tmpfs", "/run", "--tmpfs", "/var/tmp"}
	if !s.Network {
		args = append(args, "--unshare-net")
	}
	for _, p := range s.readable() {
		args = append(args, "--ro-bind-try", p, p)
	}
	args = append(args, "--ro-bind-try", "/etc", "/etc")
	_, closed := etc()
	for _, p := range closed {
		args = append(args, cover(p)...)
	}
	args = append(args, s.workspaceMounts()...)
	return append(args, "--chdir", c.Dir, "--", shellPath(), "-c", c.Script)
}

// workspaceMounts makes the workspace writable and covers what is not. A mount cannot
// be renamed or removed from inside. So every folder on the way to a protected one is
// mounted too: otherwise it could be moved away and created again.
func (s *Sandbox) workspaceMounts() []string {
	args := []string{"--bind", s.Workspace, s.Workspace}
	for _, p := range slices.Concat(s.ReadOnly, s.Hidden) {
		for _, dir := range s.foldersAbove(p) {
			args = append(args, "--bind-try", dir, dir)
		}
	}
	for _, p := range s.ReadOnly {
		args = append(args, "--ro-bind-try", p, p)
	}
	for _, p := range s.Hidden {
		if within(s.Workspace, p) { // otherwise it is not visible anyway
			args = append(args, cover(p)...)
		}
	}
	return append(args, "--bind", s.Scratch, s.Scratch)
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
func (s *Sandbox) foldersAbove(path string) (dirs []string) {
	for dir := filepath.Dir(path); dir != s.Workspace && within(s.Workspace, dir); dir = filepath.Dir(dir) {
		dirs = append(dirs, dir)
	}
	slices.Reverse(dirs)
	return dirs
}
