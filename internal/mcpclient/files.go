package mcpclient

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"parley/internal/workspace/sandbox"
)

// Files are the program and the scripts that a server is started with: the command, and
// the arguments that name a file with code in it. Whoever can write them decides what
// the server does.
func (s Server) Files() (files []string) {
	def, _, err := s.expand()
	if err != nil || def.Command == "" {
		return nil // it cannot be started either
	}
	if path, err := sandbox.Locate(def.Command, def.Dir); err == nil {
		files = append(files, path)
	}
	bases := []string{def.Dir}
	for _, arg := range arguments(def.Args) {
		for _, base := range bases {
			path := below(base, arg)
			info, err := os.Stat(path)
			switch {
			case err != nil:
				continue
			case info.IsDir(): // uv --directory DIR run server.py, node DIR
				bases = append(bases, path)
				files = append(files, entryPoints(path)...)
			case info.Mode().IsRegular() && isCode(path, info):
				files = append(files, path)
			}
			break
		}
	}
	slices.Sort(files)
	return slices.Compact(files)
}

// arguments are the texts that may be paths: arguments, and what follows a = in one.
func arguments(args []string) (texts []string) {
	for _, arg := range args {
		if _, value, ok := strings.Cut(arg, "="); ok && strings.HasPrefix(arg, "-") {
			arg = value
		}
		if arg != "" {
			texts = append(texts, arg)
		}
	}
	return texts
}

func below(base, name string) string {
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(base, name)
}

// entryPoints are the files that runtimes start if they are given a folder.
func entryPoints(dir string) (files []string) {
	for _, name := range []string{"package.json", "index.js", "index.mjs", "index.cjs", "index.ts", "__main__.py", "__init__.py", "pyproject.toml"} {
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			files = append(files, path)
		}
	}
	return files
}

var codeEndings = []string{".py", ".pyz", ".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".tsx", ".jsx", ".rb", ".sh", ".bash", ".zsh", ".pl", ".php",
	".lua", ".jar", ".wasm", ".go", ".rs", ".exs", ".ex", ".ps1", ".r", ".jl", ".tcl", ".so", ".dll", ".dylib"}

// isCode tells a program or a script from data, which the server may be there to change.
func isCode(path string, info os.FileInfo) bool {
	if info.Mode()&0o111 != 0 || slices.Contains(codeEndings, strings.ToLower(filepath.Ext(path))) {
		return true
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }()
	mark := make([]byte, 2)
	_, err = io.ReadFull(f, mark)
	return err == nil && string(mark) == "#!"
}
