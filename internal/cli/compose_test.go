package cli

import (
	"bytes"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/spf13/cobra"
)

// A socket may never end, so it is not read unasked; but what it holds is not dropped
// without a word.
func TestASocketAsStandardInput(t *testing.T) {
	for _, c := range []struct {
		name     string
		words    []string
		noInput  bool
		want     string
		warnings int
	}{
		{"beside words", []string{"Review", "this."}, false, "Review this.", 1},
		{"asked for", []string{"-"}, false, "+ new", 0},
		{"left alone", []string{"Review", "this."}, true, "Review this.", 0},
		{"alone", nil, false, "", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			ends, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
			if err != nil {
				t.Fatal(err)
			}
			in, other := os.NewFile(uintptr(ends[0]), "in"), os.NewFile(uintptr(ends[1]), "other")
			defer func() { _ = in.Close() }()
			if _, err := other.WriteString("+ new\n"); err != nil {
				t.Fatal(err)
			}
			if err := other.Close(); err != nil {
				t.Fatal(err)
			}
			var said bytes.Buffer
			console := &console{in: in, err: &said, noInput: c.noInput}
			got, err := console.compose(&cobra.Command{}, c.words)
			if got != c.want || (err == nil) != (c.want != "") {
				t.Errorf("got %q, %v; want %q", got, err, c.want)
			}
			if n := strings.Count(said.String(), "Standard input is a socket and is not read."); n != c.warnings {
				t.Errorf("it said %q", said.String())
			}
		})
	}
}
