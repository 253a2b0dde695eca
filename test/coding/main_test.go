package coding

import (
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"parley/internal/cli"
	"parley/internal/workspace/sandbox"
)

// TestMain makes the test program the real one, if it is started as parley, and
// what a hub starts for a command.
func TestMain(m *testing.M) {
	if code, child := sandbox.Child(os.Args[1:]); child {
		os.Exit(code)
	}
	testscript.Main(m, map[string]func(){
		"parley": func() { os.Exit(cli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) },
	})
}
