package scenario

import (
	"os"
	"testing"

	"parley/internal/workspace/sandbox"
)

// TestMain lets the test program be what a hub starts for a command.
func TestMain(m *testing.M) {
	if code, child := sandbox.Child(os.Args[1:]); child {
		os.Exit(code)
	}
	os.Exit(m.Run())
}
