package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// usualVariables are those that a command gets. Everything else stays with the hub:
// providers' keys, tokens, whatever its user has in the environment.
var usualVariables = []string{"PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "USER", "LOGNAME", "GOROOT", "GOFLAGS", "GOTOOLCHAIN", "JAVA_HOME"}

func (c *Config) environment() []string {
	env := []string{"HOME=" + c.home(), "TMPDIR=" + c.temporary(), "TERM=dumb", "SHELL=" + shellPath()}
	for _, name := range slices.Concat(usualVariables, c.Environment) {
		if value, ok := os.LookupEnv(name); ok && !strings.HasPrefix(name, "PARLEY_") {
			env = append(env, name+"="+value)
		}
	}
	return append(env, toolHomes()...)
}

// toolHomes points programs to folders in the user's home, which is not the command's
// home. They are read-only for the command.
func toolHomes() (env []string) {
	home, err := os.UserHomeDir()
	if err != nil {
		return nil
	}
	for _, at := range []struct{ name, dir string }{{"GOMODCACHE", "go/pkg/mod"}, {"RUSTUP_HOME", ".rustup"}} {
		dir := os.Getenv(at.name)
		if dir == "" {
			dir = filepath.Join(home, at.dir)
		}
		if _, err := os.Stat(dir); err == nil {
			env = append(env, at.name+"="+dir)
		}
	}
	return env
}

// shellPath is bash if there is one, since models write for bash.
func shellPath() string {
	for _, path := range []string{"/bin/bash", "/usr/bin/bash"} {
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	return "/bin/sh"
}

// systemFolders are those that commands may read.
var systemFolders = []string{"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/opt", "/nix/store", "/run/current-system",
	"/var/lib/dpkg/alternatives", "/sys/devices/system/cpu", "/sys/kernel/mm", "/sys/fs/cgroup"}

// homeFolders are the parts of a home that contain programs and no secrets.
var homeFolders = []string{"go/pkg/mod", "go/bin", "sdk", ".cargo/bin", ".cargo/registry", ".cargo/git", ".rustup", ".nvm/versions", ".pyenv", ".local/bin", ".local/lib", ".bun/bin", ".deno/bin",
	".local/share/uv", ".local/share/pipx", ".local/share/fnm", ".local/share/mise", ".volta", ".asdf"}

// readable returns the existing files and folders that commands may read besides the
// workspace and /etc.
func (c *Config) readable() (paths []string) {
	paths = append(paths, systemFolders...)
	if home, err := os.UserHomeDir(); err == nil {
		for _, dir := range homeFolders {
			paths = append(paths, filepath.Join(home, dir))
		}
	}
	paths = append(paths, os.Getenv("GOROOT"), os.Getenv("GOMODCACHE"))
	paths = append(paths, c.Readable...)
	if c.Network {
		paths = append(paths, nameServers()...)
	}
	return slices.DeleteFunc(paths, func(p string) bool { return !c.mayBeRead(p) })
}

// mayBeRead leaves out what does not exist, and what contains something hidden.
func (c *Config) mayBeRead(path string) bool {
	if !filepath.IsAbs(path) {
		return false
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return false
	}
	return !slices.ContainsFunc(c.Hidden, func(h string) bool { return within(real, h) })
}

// within reports whether path is dir or lies in it.
func within(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}
