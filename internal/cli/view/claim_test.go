package view_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/api"
	"parley/internal/cli/view"
)

func TestClaims(t *testing.T) {
	now := time.Date(2030, 1, 1, 12, 0, 0, 0, time.UTC)
	got := view.Screen{Now: now}.Claims([]api.Claim{
		{Path: "a.go", Holder: "coder", TaskID: "task-101", Until: now.Add(90 * time.Second)},
		{Path: "src/b.go", From: 3, Holder: "tester", Until: now.Add(-time.Second)},
		{Path: "src/b.go", From: 1, To: 2, Holder: "ada", Until: now.Add(5 * time.Minute)},
	})
	want := "PATH      LINES  HOLDER  TASK      LEFT\n" +
		"a.go      all    coder   task-101  1m 30s\n" +
		"src/b.go  3-     tester            0ms\n" +
		"src/b.go  1-2    ada               5m\n"
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}
