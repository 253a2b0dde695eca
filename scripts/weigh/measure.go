package main

import (
	"debug/elf"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// readSizes builds the program and says what each package takes up of it, stripped.
// The symbols are read from one that is not, and scaled to the other's size. It is
// built for one system, since each has its own format.
func readSizes(program, dir string) (sizes map[string]int64, total int64, err error) {
	whole, stripped := filepath.Join(dir, "whole"), filepath.Join(dir, "stripped")
	for out, flags := range map[string]string{whole: "", stripped: "-s -w"} {
		cmd := exec.Command("go", "build", "-trimpath", "-ldflags="+flags, "-o", out, program)
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH=amd64")
		if text, err := cmd.CombinedOutput(); err != nil {
			return nil, 0, fmt.Errorf("%w\n%s", err, text)
		}
	}
	info, err := os.Stat(stripped)
	if err != nil {
		return nil, 0, err
	}
	sizes, err = symbolSizes(whole)
	if err != nil {
		return nil, 0, err
	}
	var sum int64
	for _, size := range sizes {
		sum += size
	}
	for name, size := range sizes {
		sizes[name] = int64(float64(size) * float64(info.Size()) / float64(sum))
	}
	return sizes, info.Size(), nil
}

// symbolSizes adds up the symbols of each package that take up space in the file.
func symbolSizes(program string) (sizes map[string]int64, err error) {
	f, err := elf.Open(program)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	symbols, err := f.Symbols()
	if err != nil {
		return nil, err
	}
	sizes = map[string]int64{}
	for _, s := range symbols {
		inFile := int(s.Section) < len(f.Sections) && f.Sections[s.Section].Type != elf.SHT_NOBITS
		if name := packageOf(s.Name); inFile && name != "" { // the others are tables that the linker makes
			sizes[name] += int64(s.Size)
		}
	}
	return sizes, nil
}

// packageOf is the package of a symbol such as net/http.(*Client).Do. What the
// compiler makes for several has none.
func packageOf(symbol string) string {
	if strings.HasPrefix(symbol, "go:") || strings.HasPrefix(symbol, "type:") {
		return ""
	}
	path, _, _ := strings.Cut(symbol, "[") // of type parameters
	dir, base := "", path
	if i := strings.LastIndexByte(path, '/'); i >= 0 {
		dir, base = path[:i+1], path[i+1:]
	}
	base, _, found := strings.Cut(base, ".")
	if !found {
		return ""
	}
	name, err := url.PathUnescape(dir + base)
	if err != nil {
		return dir + base
	}
	return name
}

// compile compiles packages into a cache and says how much processor time it took.
func compile(cache string, packages []string) (time.Duration, error) {
	packages = slices.DeleteFunc(slices.Clone(packages), func(name string) bool { return name == "unsafe" })
	args := append([]string{"build", "-trimpath", "-o", os.DevNull}, packages...)
	if len(packages) > 1 {
		args = append([]string{"build", "-trimpath"}, packages...)
	}
	cmd := exec.Command("go", args...)
	cmd.Env = append(os.Environ(), "GOCACHE="+cache, "CGO_ENABLED=0")
	if text, err := cmd.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("%w\n%s", err, text)
	}
	// With what it has started and waited for.
	return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), nil
}

// compileOn compiles on top of what is in another cache, which stays as it is.
func compileOn(base, cache string, packages []string) (time.Duration, error) {
	if err := link(base, cache); err != nil {
		return 0, err
	}
	taken, err := compile(cache, packages)
	return taken, errors.Join(err, os.RemoveAll(cache))
}

// link makes a folder that holds the same files as another.
func link(from, to string) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		if d.IsDir() {
			return os.MkdirAll(filepath.Join(to, name), 0o755)
		}
		return os.Link(path, filepath.Join(to, name))
	})
}
