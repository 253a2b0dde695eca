package cli

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"parley/api"
)

// drawn returns what the terminal gets for each piece.
func drawn(t *testing.T, pieces ...api.Live) []string {
	t.Helper()
	var out bytes.Buffer
	now := time.Now()
	c := &console{err: &out, now: func() time.Time { return now }, getenv: func(string) string { return "" }}
	w := waiting{console: c, since: now, task: api.Task{ID: "task-101", Agent: "Echo"}}
	var list []string
	for _, p := range pieces {
		w.hear(p)
		list = append(list, out.String())
		out.Reset()
	}
	w.clear()
	return append(list, out.String())
}

func TestAReplyGrowsAndIsTakenAway(t *testing.T) {
	const bottom = "waiting for Echo… 0s"
	got := drawn(t,
		api.Live{Kind: "step"},
		api.Live{Kind: "text", Text: "One"},
		api.Live{Kind: "text", Text: " line,\nand \x1b[31manother."},
		api.Live{Kind: "tool", Tool: "read"},
		api.Live{Kind: "restart"},
		api.Live{Kind: "text", Text: "Again", Missed: true},
		api.Live{Kind: "end", State: "completed"},
	)
	want := []string{
		"", // nothing to draw yet
		"\r\x1b[K  | One\n" + bottom,
		"\r\x1b[1A\x1b[J  | One line,\n  | and \ufffd[31manother.\n" + bottom,
		"\r\x1b[2A\x1b[J  | One line,\n  | and \ufffd[31manother.\n" + bottom + ", which uses read",
		"\r\x1b[2A\x1b[J" + bottom,
		"\r\x1b[K  |  […] Again\n" + bottom,
		"",
		"\r\x1b[1A\x1b[J",
	}
	for i, text := range want {
		if got[i] != text {
			t.Errorf("after piece %d: %q, want %q", i, got[i], text)
		}
	}
}

func TestOnlyTheEndOfALongReplyIsShown(t *testing.T) {
	got := drawn(t, api.Live{Kind: "text", Text: strings.Repeat("é a long line\n", 2_000) + "last"})
	if n := strings.Count(got[0], "\n"); n != maxPartialLines || !strings.Contains(got[0], "\n  | last\n") {
		t.Errorf("%d lines: %q", n, got[0])
	}
	for _, width := range strings.Split(drawn(t, api.Live{Kind: "text", Text: strings.Repeat("x", 500)})[0], "\n") {
		if len(width) > 90 {
			t.Errorf("a line of %d columns would be broken by the terminal", len(width))
		}
	}
}
