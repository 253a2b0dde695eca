package sandbox

import (
	"os"
	"testing"
)

func TestMain(m *testing.M) {
	if code, child := Child(os.Args[1:]); child {
		os.Exit(code)
	}
	os.Exit(m.Run())
}
