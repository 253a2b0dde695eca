package join

import (
	"cmp"
	"os"
	"path/filepath"
)

// Elsewhere reports whether a client that runs the hooks of one project works in another.
// Claude Code does so: in a worktree of git it also runs the hooks of the main one, which
// are another agent's, and what they handed over would be lost to that agent. A client that
// does not say where it works is taken to be in the project, and so is every client if the
// project's folder is gone: then it was moved, together with its hooks.
func (c Client) Elsewhere(project string, in HookInput, getenv func(string) string) bool {
	at := in.Folder
	if c.ProjectVariable != "" {
		at = cmp.Or(getenv(c.ProjectVariable), at)
	}
	home, err := os.Stat(project)
	if project == "" || at == "" || err != nil {
		return false
	}
	if path, err := filepath.EvalSymlinks(at); err == nil {
		at = path
	}
	for dir := filepath.Clean(at); ; dir = filepath.Dir(dir) {
		if info, err := os.Stat(dir); err == nil && os.SameFile(info, home) {
			return false
		}
		// A worktree may also lie inside the main one.
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil || dir == filepath.Dir(dir) {
			return true
		}
	}
}
