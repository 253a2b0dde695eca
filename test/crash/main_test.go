package crash

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

func TestMain(m *testing.M) {
	if synchronous := os.Getenv(laxEnv); synchronous != "" {
		fmt.Fprintln(os.Stderr, serveLaxly(synchronous))
		os.Exit(1)
	}
	if file := os.Getenv(deskEnv); file != "" {
		serveDesk(file)
	}
	if memory := os.Getenv(memberEnv); memory != "" {
		runMember(memory == "remembers")
	}
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func run(m *testing.M) (code int, err error) {
	// Other users run it too, so it is not in a folder of ours alone.
	dir, err := os.MkdirTemp("", "parley-program-")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if err := os.Chmod(dir, 0o755); err != nil {
		return 0, err
	}
	program = filepath.Join(dir, "parley")
	build := exec.Command("go", "build", "-overlay="+os.Getenv("PARLEY_TEST_OVERLAY"), "-o", program, "parley/cmd/parley")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("go build: %w\n%s", err, out)
	}
	code = m.Run()
	return code, stopServer(code != 0)
}
