package watch

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/internal/cli/view"
)

// purpose is what the line at the bottom is for.
type purpose int

const (
	writing   purpose = iota // @name or #channel, and a message
	denying                  // why an approval is denied
	answering                // the answer to a question
	declining                // why a question is not answered
)

// line is the line at the bottom, while something is typed.
type line struct {
	open    bool
	purpose purpose
	about   string // the item that it decides
	runes   []rune
	pos     int
	// turn is the last completion: what was typed, and which name it became.
	turn struct {
		typed string
		n     int
		text  string
	}
}

// mostTyped is how many characters can be typed. Longer messages come from files,
// with parley delegate.
const mostTyped = 20000

func (l line) text() string { return string(l.runes) }

// typed puts text at the cursor. Line breaks of what is pasted become spaces.
func (l line) typed(text string) line {
	if !l.open {
		return l
	}
	clean := []rune(strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return ' '
		case unicode.IsControl(r), r == utf8.RuneError:
			return -1
		}
		return r
	}, strings.ReplaceAll(text, "\r\n", "\n")))
	if room := mostTyped - len(l.runes); len(clean) > room {
		clean = clean[:max(0, room)]
	}
	l.runes = slices.Concat(l.runes[:l.pos], clean, l.runes[l.pos:])
	l.pos += len(clean)
	return l
}

// key moves the cursor or removes something; it reports whether the key does.
func (l line) key(name string) (line, bool) {
	switch name {
	case "left", "ctrl+b":
		l.pos = max(0, l.pos-1)
	case "right", "ctrl+f":
		l.pos = min(len(l.runes), l.pos+1)
	case "home", "ctrl+a":
		l.pos = 0
	case "end", "ctrl+e":
		l.pos = len(l.runes)
	case "backspace", "ctrl+h":
		l = l.cut(l.pos-1, l.pos)
	case "delete":
		l = l.cut(l.pos, l.pos+1)
	case "ctrl+w", "alt+backspace":
		l = l.cut(l.wordStart(), l.pos)
	case "ctrl+u":
		l = l.cut(0, l.pos)
	case "ctrl+k":
		l = l.cut(l.pos, len(l.runes))
	default:
		return l, false
	}
	return l, true
}

func (l line) cut(from, to int) line {
	from, to = max(0, from), min(len(l.runes), to)
	if from >= to {
		return l
	}
	l.runes = slices.Concat(l.runes[:from], l.runes[to:])
	l.pos = from
	return l
}

func (l line) wordStart() int {
	i := l.pos
	for i > 0 && l.runes[i-1] == ' ' {
		i--
	}
	for i > 0 && l.runes[i-1] != ' ' {
		i--
	}
	return i
}

// address splits a line into whom it is for and what it says. sign is @ or #. A name
// may have spaces, so the longest that is known goes first.
func (l line) address(agents, channels []string) (sign, name, text string) {
	whole := strings.TrimSpace(l.text())
	if whole == "" || whole[0] != '@' && whole[0] != '#' {
		return "", "", whole
	}
	sign, rest := whole[:1], whole[1:]
	known := agents
	if sign == "#" {
		known = channels
	}
	for _, n := range known {
		if len(n) > len(name) && len(rest) >= len(n) && strings.EqualFold(rest[:len(n)], n) && (len(rest) == len(n) || rest[len(n)] == ' ') {
			name, text = n, rest[len(n):]
		}
	}
	if name == "" {
		name, text, _ = strings.Cut(rest, " ")
	}
	return sign, name, strings.TrimSpace(text)
}

// complete writes the next name that begins as what was typed. Tab again goes on to
// the one after it.
func (l line) complete(agents, channels []string) line {
	typed, n := l.text(), 0
	if l.turn.text == typed && typed != "" {
		typed, n = l.turn.typed, l.turn.n+1
	}
	names := candidates(typed, agents, channels)
	if len(names) == 0 {
		return l
	}
	n %= len(names)
	l.runes, l.pos = nil, 0
	l = l.typed(names[n] + " ")
	l.turn.typed, l.turn.n, l.turn.text = typed, n, l.text()
	return l
}

// candidates are the names that a beginning can become, with their sign.
func candidates(typed string, agents, channels []string) []string {
	if typed == "" {
		return nil
	}
	names, sign := agents, typed[:1]
	if sign == "#" {
		names = channels
	} else if sign != "@" {
		return nil
	}
	var list []string
	for _, name := range names {
		if strings.HasPrefix(strings.ToLower(name), strings.ToLower(typed[1:])) {
			list = append(list, sign+name)
		}
	}
	slices.Sort(list)
	return list
}

// label says what the line is for.
func (s State) label() string {
	switch s.line.purpose {
	case denying:
		return "Why not (the agent reads it): "
	case answering:
		return "Answer: "
	case declining:
		return "Why not (the agent reads it): "
	}
	return ""
}

// drawLine draws the line in w columns, and says where the cursor is. Of a long text
// the part around the cursor is shown.
func (s State) drawLine(w int) (row string, cursor int) {
	if !s.line.open {
		return s.row(w, []span{{" ", plain}, {"@", bold}, {"name hands work over, ", dim}, {"#", bold}, {"channel posts, ", dim}, {"?", bold}, {" shows the keys", dim}}), -1
	}
	label := fit(" "+s.sign("›", ">")+" "+s.label(), max(0, w/2), "")
	room := w - columns(label) - 1
	if room < 1 {
		return s.row(w, nil), -1
	}
	// Only as much as can be seen is looked at: a line may have thousands of letters.
	before := settle(view.Clean(string(s.line.runes[max(0, s.line.pos-w):s.line.pos])))
	for columns(before) > room {
		_, size := utf8.DecodeRuneInString(before)
		before = before[size:]
	}
	after := fit(settle(view.Clean(string(s.line.runes[s.line.pos:min(len(s.line.runes), s.line.pos+w)]))), room-columns(before), "")
	return s.row(w, []span{{label, bold}, {before + after, plain}}), columns(label) + columns(before)
}
