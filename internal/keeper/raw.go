package keeper

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"parley"
)

// rawOf is the messages themselves: those of keepers first, then the others, which
// are left some room.
func rawOf(kept, said []found) string {
	last := raw(said, saidRunes)
	room := maxAnswerRunes
	if last != "" {
		room -= utf8.RuneCountInString(last) + 1
	}
	first := raw(kept, room)
	if first == "" {
		return raw(said, maxAnswerRunes)
	}
	left := maxAnswerRunes - utf8.RuneCountInString(first) - 1
	if last = raw(said, left); last != "" {
		last = "\n" + last
	}
	return first + last
}

// cuts are the lengths to which a message that does not fit is cut. They are few, so
// that a redaction finds what was shown of it.
var cuts = []int{7000, 2500}

// raw is messages, best first, each with where it comes from: as many as fit
// completely, or the beginning of the best one.
func raw(list []found, left int) string {
	var b strings.Builder
	for _, f := range list {
		text := entry(f.Text)
		around := fmt.Sprintf("[%s]: \n  from %s", f.Role, f.from)
		if b.Len() > 0 {
			around += "\n"
		}
		room := left - utf8.RuneCountInString(around)
		if utf8.RuneCountInString(text) > room {
			i := slices.IndexFunc(cuts, func(n int) bool { return n <= room })
			if i < 0 || b.Len() > 0 {
				continue // a shorter one may still fit
			}
			text = cut(text, cuts[i])
		}
		if b.Len() > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "[%s]: %s\n  from %s", f.Role, text, f.from)
		left = room - utf8.RuneCountInString(text)
	}
	return b.String()
}

func lineOf(m parley.KeptMessage) string { return fmt.Sprintf("[%s]: %s", m.Role, entry(m.Text)) }

// entry shows a message so that no line of it can look like another message, like
// where one comes from, or like the hub's own words. What was quoted before is not
// quoted twice.
func entry(text string) string {
	if quoted := parley.Quote(text); strings.Count(quoted, "> > ") == strings.Count(text, "> > ") {
		text = quoted
	}
	return parley.Continued(text)
}
