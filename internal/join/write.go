package join

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"unicode"

	"parley"
)

// Write makes a change. The file is replaced at once and keeps its mode. If somebody
// else has changed it meanwhile, nothing is written.
func (c Change) Write() error {
	path := c.Path
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target // a link stays one
	}
	now, err := readFile(path)
	if err != nil {
		return err
	}
	if !bytes.Equal(now, c.Before) {
		return parley.Errorf(parley.Conflict, "%s was changed by somebody else in this moment.", c.Path).WithHint("Nothing was written. Try again.")
	}
	mode := fs.FileMode(0o644)
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
	}
	return replaceFile(path, c.After, mode, 0o755)
}

// CheckSecret refuses a place for a secret that git keeps.
func CheckSecret(path string) error {
	if tracked(path) {
		return parley.Errorf(parley.Conflict, "git tracks %s, so a secret would be committed with it.", path).
			WithHint("Set XDG_STATE_HOME to a folder outside the repository.")
	}
	return nil
}

// WriteSecret writes a file that only its owner can read, in a folder of the same
// kind. It refuses a place that git keeps.
func WriteSecret(path string, content []byte) error {
	if err := CheckSecret(path); err != nil {
		return err
	}
	if err := replaceFile(path, content, 0o600, 0o700); err != nil {
		return err
	}
	return ignoreAll(filepath.Dir(path))
}

// ignoreAll keeps git from committing what is in a folder, if somebody keeps their home in
// a repository.
func ignoreAll(dir string) error {
	path := filepath.Join(dir, ".gitignore")
	if _, err := os.Lstat(path); err == nil {
		return nil // it may have been changed on purpose
	}
	return replaceFile(path, []byte("*\n"), 0o600, 0o700)
}

func replaceFile(path string, content []byte, mode, folder fs.FileMode) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, folder); err != nil {
		return unwritable(path, err)
	}
	temporary := filepath.Join(dir, ".parley-"+rand.Text()[:8]+".tmp")
	f, err := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return unwritable(path, err)
	}
	err = f.Chmod(mode) // whatever the mask took away
	if err == nil {
		_, err = f.Write(content)
	}
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(temporary, path)
	}
	if err != nil {
		return unwritable(path, errors.Join(err, os.Remove(temporary)))
	}
	return nil
}

func unwritable(path string, err error) error {
	return parley.Errorf(parley.Conflict, "%s cannot be written: %v.", path, err).WithCause(err)
}

// tracked reports whether git keeps a file. Without git, nothing does.
func tracked(path string) bool {
	cmd := exec.Command("git", "ls-files", "--error-unmatch", "--", filepath.Base(path))
	cmd.Dir = filepath.Dir(path)
	return cmd.Run() == nil
}

// StateFolder is where a user's parley keeps what belongs to one team: the tokens of
// the agents that joined from here, and what hooks remember.
func StateFolder(getenv func(string) string, team, hub string) string {
	root := getenv("XDG_STATE_HOME")
	if root == "" {
		root = filepath.Join(getenv("HOME"), ".local", "state")
	}
	sum := sha256.Sum256([]byte(hub))
	return filepath.Join(root, "parley", fileName(team)+"-"+hex.EncodeToString(sum[:4]))
}

// TokenFile is where an agent's token is.
func TokenFile(folder, agent string) string { return filepath.Join(folder, fileName(agent)+".token") }

// MemoryFile is where the hooks of the agent with this token file remember what they
// handed over.
func MemoryFile(tokenFile string) string {
	return strings.TrimSuffix(tokenFile, ".token") + ".hook.json"
}

// fileName is a name as a part of a path. Names are the same in any case; other names
// have other files, or one agent would act with the token of another. A hub elsewhere says
// what its team is called, so nothing in a name leads out of the folder.
func fileName(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '+'
		case unicode.IsLetter(r), unicode.IsDigit(r), strings.ContainsRune("-_.", r):
			return r
		}
		return '%' // no name of ours has this
	}, strings.ToLower(name))
}
