package demo

import (
	"embed"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"

	"parley"
)

// teamFiles is the team that is written to disk.
//
//go:embed team
var teamFiles embed.FS

// makeTeam writes the team's folder. remove deletes it, unless it is to be kept.
func makeTeam(o Options) (dir string, remove func() error, err error) {
	if o.Keep == "" {
		dir, err = os.MkdirTemp("", "parley-demo-")
		remove = func() error { return os.RemoveAll(dir) }
	} else {
		dir, err = filepath.Abs(o.Keep)
		remove = func() error { return nil }
		err = errors.Join(err, emptyDir(dir))
	}
	if err != nil {
		return "", nil, unwritable(err)
	}
	if err := writeTeam(dir, o.Fast); err != nil {
		return "", nil, errors.Join(unwritable(err), remove())
	}
	return dir, remove, nil
}

// emptyDir refuses a folder that is not empty, so that nothing is overwritten.
func emptyDir(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	entries, err := os.ReadDir(dir)
	if err == nil && len(entries) > 0 {
		return parley.Errorf(parley.Conflict, "The folder %s is not empty.", dir).WithHint("Choose another one to keep the demo in.")
	}
	return err
}

func unwritable(err error) error {
	var e *parley.Error
	if errors.As(err, &e) {
		return e
	}
	return parley.Errorf(parley.Internal, "The demo's team cannot be written: %v.", err).WithCause(err)
}

var pause = regexp.MustCompile(`(?m)^( *)(- )?wait: .*\n`)

// writeTeam copies the files. With fast it removes the pauses from the script.
func writeTeam(dir string, fast bool) error {
	files, err := fs.Sub(teamFiles, "team")
	if err != nil {
		return err
	}
	return fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		to := filepath.Join(dir, filepath.FromSlash(name))
		if d.IsDir() {
			return os.MkdirAll(to, 0o777)
		}
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		if fast && name == "script.yaml" {
			text = pause.ReplaceAll(text, []byte("${1}${2}wait: 1ms\n"))
		}
		return os.WriteFile(to, text, 0o666)
	})
}
