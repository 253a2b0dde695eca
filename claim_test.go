package parley_test

import (
	"strings"
	"testing"

	"parley"
)

func TestLinesOverlapAndCover(t *testing.T) {
	whole := parley.Lines{}
	for _, c := range []struct {
		a, b             parley.Lines
		overlaps, covers bool
	}{
		{whole, whole, true, true},
		{whole, parley.Lines{From: 3, To: 9}, true, true},
		{parley.Lines{From: 3, To: 9}, whole, true, false},
		{parley.Lines{From: 1, To: 5}, parley.Lines{From: 5, To: 9}, true, false},
		{parley.Lines{From: 1, To: 5}, parley.Lines{From: 6, To: 9}, false, false},
		{parley.Lines{From: 1, To: 9}, parley.Lines{From: 3, To: 4}, true, true},
		{parley.Lines{From: 3, To: 4}, parley.Lines{From: 1, To: 9}, true, false},
		{parley.Lines{From: 7, To: parley.LastLine}, parley.Lines{From: 5, To: 6}, false, false},
		{parley.Lines{From: 7, To: parley.LastLine}, parley.Lines{From: 900, To: 901}, true, true},
	} {
		if got := c.a.Overlaps(c.b); got != c.overlaps || c.b.Overlaps(c.a) != got {
			t.Errorf("%v overlaps %v: %v", c.a, c.b, got)
		}
		if got := c.a.Covers(c.b); got != c.covers {
			t.Errorf("%v covers %v: %v", c.a, c.b, got)
		}
	}
}

func TestParseLines(t *testing.T) {
	for _, c := range []struct {
		from, to int
		want     string
		ok       bool
	}{
		{0, 0, "a.go", true},
		{3, 9, "lines 3-9 of a.go", true},
		{3, 3, "line 3 of a.go", true},
		{3, 0, "lines 3 to the end of a.go", true},
		{0, 9, "lines 1-9 of a.go", true},
		{9, 3, "", false},
		{-1, 3, "", false},
		{1, -3, "", false},
		{1 << 40, 0, "", false},
	} {
		got, err := parley.ParseLines(c.from, c.to)
		if (err == nil) != c.ok || err == nil && got.In("a.go") != c.want {
			t.Errorf("%d to %d: %q, %v", c.from, c.to, got.In("a.go"), err)
		}
	}
}

// A path is compared by its spelling, so there is one; and none leaves the
// workspace.
func TestCleanPath(t *testing.T) {
	for name, want := range map[string]string{
		"a.go": "a.go", "./a.go": "a.go", " a.go ": "a.go", "x//a.go": "x/a.go", `x\a.go`: "x/a.go", "x/../a.go": "a.go",
		"x/y/": "x/y", "the release notes": "the release notes", ".": ".", "..a": "..a",
		"": "", " ": "", "..": "", "../a.go": "", "x/../../a.go": "", "/etc/passwd": "", `C:\a.go`: "", `\\host\a`: "",
		"a\nb": "", "a\x00b": "", "\xff": "", strings.Repeat("a", 513): "",
	} {
		got, err := parley.CleanPath(name)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%q is %q, %v", name, got, err)
		}
	}
}
