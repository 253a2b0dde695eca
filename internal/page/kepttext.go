package page

import (
	"strings"

	"parley"
	"parley/internal/search"
)

// A kept message is the text as its owner's model read it. A copy of a stored message
// begins with a header of the hub's, which says what the page shows as structure.

// withoutHeader is the text of a copy without that header.
func withoutHeader(m parley.KeptMessage) string {
	if n := headerOf(m); n > 0 {
		return strings.TrimLeft(m.Text[n:], " \n")
	}
	return m.Text
}

// headerOf is how long the header is; 0 if there is none. A text that imitates one keeps
// it, unless it is a copy: there the hub's own stands before it.
func headerOf(m parley.KeptMessage) int {
	if m.Message == 0 || !strings.HasPrefix(m.Text, "[") {
		return 0
	}
	line, _, _ := strings.Cut(m.Text, "\n")
	end := strings.IndexByte(line, ']')
	if end < 0 || !strings.Contains(line[:end], " from ") && !strings.Contains(line[:end], " | ") {
		return 0
	}
	return end + 1
}

// partsWithoutHeader takes the header out of an excerpt that begins with it.
func partsWithoutHeader(m parley.KeptMessage, parts []search.Part) []search.Part {
	n := headerOf(m)
	for i, p := range parts {
		if n == 0 || i == 0 && !strings.HasPrefix(p.Text, m.Text[:n]) && !strings.HasPrefix(m.Text[:n], p.Text) {
			return parts // it begins further on
		}
		if len(p.Text) > n {
			p.Text = strings.TrimLeft(p.Text[n:], " ")
			return append([]search.Part{p}, parts[i+1:]...)
		}
		n -= len(p.Text)
	}
	return parts
}
