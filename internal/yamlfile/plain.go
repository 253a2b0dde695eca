package yamlfile

import (
	"strings"
	"unicode/utf8"
)

// Most files hold a few keys with plain texts and lists of words, and a team may have a
// hundred thousand of them. parsePlain reads exactly these, in one pass and without a
// syntax tree. It declines whatever it does not know, and what it accepts it reads as the
// parser does: the fuzz test compares them.

// plainText, plainList and plainMapping are values without a syntax tree.
type (
	plainText    string
	plainList    []Value
	plainMapping []Value
)

// parsePlain reads a mapping of plain values. It reports false for any other text, which
// may be valid all the same.
func parsePlain(text string) (Value, bool) {
	p := plainReader{rest: text}
	if !p.next() {
		return Value{}, false
	}
	m := make(plainMapping, 0, 8)
	root := Value{line: p.line, column: 1}
	for !p.over {
		v, ok := p.pair()
		if !ok || m.has(v.Key) {
			return Value{}, false
		}
		m = append(m, v)
	}
	root.node = m
	return root, true
}

func (m plainMapping) has(key string) bool {
	for _, v := range m {
		if v.Key == key {
			return true
		}
	}
	return false
}

// plainReader goes through the lines of a text that are not empty.
type plainReader struct {
	rest string
	text string // the present line
	line int    // its number, from 1
	over bool
}

// next goes to the next line that is not empty. It reports whether there is one.
func (p *plainReader) next() bool {
	for p.rest != "" {
		p.text, p.rest, _ = strings.Cut(p.rest, "\n")
		p.line++
		if p.text != "" {
			return true
		}
	}
	p.over = true
	return false
}

// pair reads a key with its value.
func (p *plainReader) pair() (Value, bool) {
	key, after, found := strings.Cut(p.text, ":")
	if !found || !isPlainKey(key) {
		return Value{}, false
	}
	v := Value{Key: key, line: p.line, keyColumn: 1}
	if after == "" {
		return p.list(v)
	}
	text := strings.TrimLeft(after, " ")
	if after[0] != ' ' || text == "" {
		return Value{}, false
	}
	v.column = 1 + len(p.text) - len(text)
	var ok bool
	if text[0] == '[' {
		v.node, ok = v.words(text)
	} else {
		v.node, ok = plainScalar(text)
	}
	p.next()
	// An indented line would go on with this value.
	return v, ok && (p.over || p.text[0] != ' ')
}

// list reads the items below a key, each on a line of its own.
func (p *plainReader) list(v Value) (Value, bool) {
	v.column = 1 // it is looked for at its key
	var items plainList
	indent := -1
	for p.next() {
		text := strings.TrimLeft(p.text, " ")
		at := len(p.text) - len(text)
		if at == 0 {
			break // the next key; items that are not indented are left to the parser
		}
		if indent < 0 {
			indent = at
		}
		item, dashed := strings.CutPrefix(text, "- ")
		if !dashed || at != indent {
			return v, false
		}
		word := strings.TrimLeft(item, " ")
		node, ok := plainScalar(word)
		if !ok {
			return v, false
		}
		items = append(items, Value{Key: v.Key, node: node, line: p.line, column: at + 3 + len(item) - len(word)})
	}
	v.node = items
	return v, items != nil
}

// words reads a list on one line, like [a, b].
func (v Value) words(text string) (any, bool) {
	inner, closed := strings.CutSuffix(text[1:], "]")
	if !closed || inner == "" {
		return nil, false
	}
	items := plainList{}
	column := v.column + 1
	for part := range strings.SplitSeq(inner, ",") {
		word := strings.TrimLeft(part, " ")
		if !isWord(word) || reserved(word) {
			return nil, false
		}
		items = append(items, Value{Key: v.Key, node: plainText(word), line: v.line, column: column + len(part) - len(word)})
		column += len(part) + 1
	}
	return items, true
}

// plainScalar reads a text that means the same to every reader of YAML: it begins with a
// letter and has no sign that could mean something else.
func plainScalar(s string) (any, bool) {
	if s == "" || !isLetter(s[0]) || s[len(s)-1] == ' ' || s[len(s)-1] == ':' || !utf8.ValidString(s) {
		return nil, false
	}
	for i := range len(s) {
		switch c := s[i]; {
		case c < ' ', c == 0x7f, c == '#':
			return nil, false
		case c == ':' && s[i+1] == ' ': // the last one is no colon
			return nil, false
		case c >= utf8.RuneSelf && !commonRunes(s[i:]):
			return nil, false
		}
	}
	if reserved(s) {
		return nil, false
	}
	return plainText(s), true
}

// commonRunes reports whether a text begins with a byte of a character that is no line end
// or mark to any reader.
func commonRunes(s string) bool {
	r, size := utf8.DecodeRuneInString(s)
	if size == 1 {
		return true // within a character whose beginning was looked at
	}
	return r > 0xa0 && r != 0x2028 && r != 0x2029 && r != 0xfeff
}

// reserved reports whether a text is not a text to every reader of YAML.
func reserved(s string) bool {
	if len(s) > len("false") {
		return false
	}
	switch strings.ToLower(s) {
	case "null", "true", "false", "yes", "no", "on", "off", "y", "n", "inf", "nan":
		return true
	}
	return false
}

func isPlainKey(s string) bool { return isWord(s) && !reserved(s) }

// isWord reports whether s is letters, digits, _ and - after a letter.
func isWord(s string) bool {
	for i := range len(s) {
		if c := s[i]; !isLetter(c) && (i == 0 || (c < '0' || c > '9') && c != '_' && c != '-') {
			return false
		}
	}
	return s != ""
}

func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }
