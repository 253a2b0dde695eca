package sandbox

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Program is a program that runs beside the hub, such as a server of tools. It talks
// over its standard input and output.
type Program struct {
	Path string // absolute
	Args []string
	Dir  string
}

// Program makes the process of a program. The caller sets its environment, which should
// begin with Home, and its standard files.
func (s *Sandbox) Program(p Program) (*Supervised, error) {
	return s.process(s.Kind, job{Command: append([]string{p.Path}, p.Args...), Dir: p.Dir, Input: true})
}

// Home are the variables that lead to the sandbox's own folders.
func (s *Sandbox) Home() []string {
	if s.Kind == Unsandboxed {
		return nil
	}
	return []string{"HOME=" + s.home(), "TMPDIR=" + s.temporary()}
}

// For returns the same kind of sandbox with another configuration.
func (s *Sandbox) For(cfg Config) (*Sandbox, error) {
	if err := cfg.prepare(); err != nil {
		return nil, err
	}
	cfg.etc = s.etc
	return &Sandbox{Config: cfg, Kind: s.Kind}, nil
}

// Locate finds the file of a command as the shell would: by PATH, or relative to the
// folder that it runs in. Links in its folder are resolved. Its own name stays, since
// some programs go by it.
func Locate(command, dir string) (string, error) {
	if filepath.Base(command) != command && !filepath.IsAbs(command) {
		command = filepath.Join(dir, command)
	}
	path, err := exec.LookPath(command)
	if err != nil {
		return "", err
	}
	if path, err = filepath.Abs(path); err != nil {
		return "", err
	}
	folder, err := filepath.EvalSymlinks(filepath.Dir(path))
	return filepath.Join(folder, filepath.Base(path)), err
}

// packageMarks are files and folders that tell that a program's folder, or one above it,
// is loaded as a whole.
var packageMarks = []string{"node_modules", "package.json", "pyproject.toml", "pyvenv.cfg", "deno.json"}

// Surroundings are the folders that a program needs to read besides its file: the
// package that it belongs to, else the folder that it is in. A home, or something above
// it, is never shown as a whole; then it is the file alone.
func Surroundings(file string) (paths []string) {
	names := []string{file}
	if real, err := filepath.EvalSymlinks(file); err == nil && real != file {
		names = append(names, real)
	}
	for _, name := range names {
		paths = append(paths, surroundings(name))
	}
	return paths
}

func surroundings(file string) string {
	if tooWide(filepath.Dir(file)) {
		return file
	}
	for dir := filepath.Dir(file); !tooWide(dir); dir = filepath.Dir(dir) {
		for _, mark := range packageMarks {
			if _, err := os.Stat(filepath.Join(dir, mark)); err == nil {
				return dir
			}
		}
	}
	return filepath.Dir(file)
}

// tooWide reports whether a folder holds more than programs.
func tooWide(dir string) bool {
	home, err := os.UserHomeDir()
	return filepath.Dir(dir) == dir || err == nil && within(dir, home) || dir == filepath.Clean(os.TempDir()) ||
		strings.Count(dir, string(filepath.Separator)) < 2
}
