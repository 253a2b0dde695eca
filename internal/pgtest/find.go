package pgtest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
)

// places are folders where packagers put the programs of PostgreSQL without linking
// them into the PATH.
var places = []string{
	"/usr/lib/postgresql/*/bin",         // Debian, Ubuntu
	"/usr/pgsql-*/bin",                  // the PostgreSQL project's RPMs
	"/usr/libexec/postgresql*",          // Alpine
	"/opt/homebrew/opt/postgresql*/bin", // Homebrew on Apple silicon
	"/usr/local/opt/postgresql*/bin",    // Homebrew on Intel
	"/home/linuxbrew/.linuxbrew/opt/postgresql*/bin",
	"/Applications/Postgres.app/Contents/Versions/*/bin",
	"/usr/local/pgsql/bin", // built from source
}

// Find returns the folder with the programs of an installed PostgreSQL: the one in
// the PATH, else the newest in the usual places. Its error says how to install
// PostgreSQL.
func Find() (string, error) { return find(places) }

func find(places []string) (string, error) {
	if initdb, err := exec.LookPath("initdb"); err == nil {
		if real, err := filepath.EvalSymlinks(initdb); err == nil && complete(filepath.Dir(real)) {
			return filepath.Dir(real), nil
		}
	}
	var found []string
	for _, place := range places {
		dirs, err := filepath.Glob(place)
		if err != nil {
			return "", err
		}
		found = append(found, slices.DeleteFunc(dirs, func(dir string) bool { return !complete(dir) })...)
	}
	if len(found) == 0 {
		return "", fmt.Errorf("PostgreSQL (initdb, postgres) is not installed here. Install it: %s, or let scripts/setup do it. Or set %s to the address of a running server", installCommand(), Env)
	}
	return slices.MaxFunc(found, func(a, b string) int { return version(a) - version(b) }), nil
}

func complete(dir string) bool {
	_, errInit := os.Stat(filepath.Join(dir, "initdb"))
	_, errServer := os.Stat(filepath.Join(dir, "postgres"))
	return errors.Join(errInit, errServer) == nil
}

var digits = regexp.MustCompile(`\d+`)

// version reads the major version from a folder's name; 0 if it has none.
func version(dir string) int {
	n, err := strconv.Atoi(digits.FindString(dir))
	if err != nil {
		return 0
	}
	return n
}

// installCommand names the command for this system's package manager.
func installCommand() string {
	for _, m := range []struct{ manager, command string }{
		{"apt-get", "apt-get install postgresql"},
		{"dnf", "dnf install postgresql-server"},
		{"apk", "apk add postgresql"},
		{"pacman", "pacman -S postgresql"},
		{"brew", "brew install postgresql@17"},
	} {
		if _, err := exec.LookPath(m.manager); err == nil {
			return m.command
		}
	}
	return "see https://www.postgresql.org/download"
}
