//go:build !unix

package pgtest

import (
	"errors"
	"os"
	"os/exec"
)

// account exists here so that programs which import the package compile.
type account struct{}

func serverAccount() (*account, error) {
	return nil, errors.New("PostgreSQL servers for tests are started on Unix systems only; set " + Env + " to the address of one")
}

func (*account) take(string) error { return nil }

func (*account) apply(*exec.Cmd) {}

func exited(*os.Process) bool { return false }
