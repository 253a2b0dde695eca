package parley_test

import (
	"os"
	"strings"
	"testing"
)

// The version of a program is made of the repository that it is built from: an image
// whose build does not see it calls itself "development".
func TestTheImageIsBuiltWithTheRepository(t *testing.T) {
	text, err := os.ReadFile(".dockerignore")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if name := strings.Trim(strings.TrimSpace(line), "/*"); name == ".git" {
			t.Errorf(".dockerignore leaves out %s", name)
		}
	}
}
