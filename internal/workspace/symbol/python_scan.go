package symbol

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// scanPython takes a Python file apart. A token is fresh if it begins a statement's
// first line: not within brackets, nor behind a backslash.
func scanPython(src []byte) (*source, error) {
	s := &source{src: src, fresh: true, byIndent: true}
	for s.at < len(src) {
		if err := s.pythonToken(); err != nil {
			return nil, err
		}
	}
	return s, s.closed()
}

func (s *source) pythonToken() error {
	from, c := s.at, s.src[s.at]
	switch {
	case c == '\n':
		s.fresh = s.fresh || len(s.open) == 0
		s.at++
	case c == '\\':
		return s.continued()
	case c == '#':
		s.lineComment()
	case strings.IndexByte("()[]{}", c) >= 0:
		return s.bracket()
	case c == '"' || c == '\'':
		return s.pythonText(from, "")
	case isDigit(c) || c == '.' && isDigit(s.peek(1)):
		s.at++
		s.number()
		s.add(value, from)
	case isNamed(s.rune()):
		return s.pythonWord(from)
	case s.has(":=") || s.has("->") || s.has("=="):
		s.at += 2
		s.add(mark, from)
	default:
		r, size := utf8.DecodeRune(s.src[s.at:])
		s.at += size
		if !unicode.IsSpace(r) && r != '\uFEFF' {
			s.add(mark, from)
		}
	}
	return nil
}

// continued steps over a line end that does not count.
func (s *source) continued() error {
	end := s.lineEnd()
	if len(bytes.TrimRight(s.src[s.at+1:end], "\r")) > 0 {
		return mistake(s.at)
	}
	s.at = min(end+1, len(s.src))
	return nil
}

// pythonWord is a name, or the letters before a text.
func (s *source) pythonWord(from int) error {
	s.name("")
	if next := s.peek(0); next == '"' || next == '\'' {
		prefix := strings.ToLower(string(s.src[from:s.at]))
		switch prefix {
		case "r", "u", "b", "f", "t", "br", "rb", "fr", "rf", "tr", "rt", "ur":
			return s.pythonText(from, prefix)
		}
	}
	s.add(word, from)
	return nil
}

// pythonText goes to the end of a text, in one quote or in three.
func (s *source) pythonText(from int, prefix string) error {
	quote := string(s.src[s.at : s.at+1])
	if s.has(strings.Repeat(quote, 3)) {
		quote = strings.Repeat(quote, 3)
	}
	s.at += len(quote)
	t := pythonText{source: s, quote: quote, raw: strings.Contains(prefix, "r"), filled: strings.ContainsAny(prefix, "ft")}
	if err := t.body(); err != nil {
		return mistake(from)
	}
	s.add(value, from)
	return nil
}

// pythonText is a text that is gone through. A filled one holds expressions in
// braces, and these hold anything, also texts in the same quotes.
type pythonText struct {
	*source
	quote       string
	raw, filled bool
}

func (t *pythonText) body() error {
	for t.at < len(t.src) {
		c := t.src[t.at]
		switch {
		case t.has(t.quote):
			t.at += len(t.quote)
			return nil
		case c == '\\':
			t.escape()
		case c == '\n' && len(t.quote) == 1:
			return mistake(t.at)
		case t.filled && (t.has("{{") || t.has("}}")):
			t.at += 2
		case t.filled && c == '{':
			if err := t.field(); err != nil {
				return err
			}
		default:
			t.at++
		}
	}
	return mistake(t.at)
}

// escape steps over a backslash and what it takes along. The braces of a field are
// not taken, those of a character's name are.
func (t *pythonText) escape() {
	t.at++
	switch {
	case t.filled && !t.raw && t.has("N{"):
		longest := t.src[t.at:min(t.at+100, len(t.src))]
		t.at += 1 + max(0, bytes.IndexByte(longest, '}'))
	case t.filled && (t.peek(0) == '{' || t.peek(0) == '}'):
	case t.peek(0) == '\r' && t.peek(1) == '\n':
		t.at += 2
	default:
		t.at++
	}
}

// field goes to the end of an expression in braces and of the format behind it.
// Its tokens are no concern of the file's structure.
func (t *pythonText) field() error {
	tokens, open, fresh := len(t.tokens), len(t.open), t.fresh
	if open > maxNesting {
		return mistake(t.at)
	}
	defer func() { t.tokens, t.fresh = t.tokens[:tokens], fresh }()
	if err := t.bracket(); err != nil {
		return err
	}
	for t.at < len(t.src) {
		if c := t.src[t.at]; len(t.open) == open+1 && (c == ':' || c == '!' && t.peek(1) != '=') {
			if err := t.format(); err != nil {
				return err
			}
		}
		if err := t.pythonToken(); err != nil {
			return err
		}
		if len(t.open) == open {
			return nil
		}
	}
	return mistake(t.at)
}

// format goes to the brace that ends a field. It may hold further fields.
func (t *pythonText) format() error {
	for t.at < len(t.src) {
		switch c := t.src[t.at]; {
		case c == '}':
			return nil
		case c == '{':
			if err := t.field(); err != nil {
				return err
			}
		case c == '\n' && len(t.quote) == 1, t.has(t.quote):
			return mistake(t.at)
		default:
			t.at++
		}
	}
	return mistake(t.at)
}
